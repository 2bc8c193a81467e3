//! `ferrovox mesh --label` and `--labels`.

mod files;
mod wide;

use crate::{
    samples::{nifti_of_type, nrrd},
    support::Folder,
};
use ferrovox::io::read_mesh;
use serde_json::{Value, json};
use std::fs;

const DIMS: [usize; 3] = [14, 12, 10];

/// Returns the label of a voxel: two adjacent boxes with a common wall, a voxel that touches one of
/// them only at a corner, and a voxel at the border.
fn label(x: usize, y: usize, z: usize) -> i32 {
    match (x, y, z) {
        (2..6, 2..8, 2..8) => 70_001,
        (6..10, 3..9, 1..7) => 70_002,
        (10, 9, 7) => 70_002,
        (13, 11, 9) => -5,
        _ => 0,
    }
}

fn samples(value: impl Fn(i32) -> i32) -> Vec<i32> {
    let [nx, ny, nz] = DIMS;
    let at = |index: usize| label(index % nx, index / nx % ny, index / (nx * ny));
    (0..nx * ny * nz).map(|index| value(at(index))).collect()
}

fn folder() -> Folder {
    let folder = Folder::new();
    let write = |name: &str, samples: Vec<i32>| {
        let bytes: Vec<u8> = samples.iter().flat_map(|it| it.to_le_bytes()).collect();
        folder.file(name, nifti_of_type(&bytes, DIMS.map(|n| n as u16), 8, 32));
    };
    write("seg.nii", samples(|label| label));
    write("two.nii", samples(|label| i32::from(label == 70_002)));
    let [nx, ..] = DIMS;
    let half = samples(|_| 0).into_iter().enumerate();
    write(
        "half.nii",
        half.map(|(at, _)| i32::from(at % nx < 8)).collect(),
    );
    let bytes: Vec<u8> = samples(|label| (label - 70_000).clamp(0, 200))
        .iter()
        .map(|&it| it as u8)
        .collect();
    let fields = "type: uint8\nsizes: 14 12 10\nencoding: raw";
    folder.file("bytes.nrrd", nrrd(fields, &bytes));
    folder
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn one_mesh_contains_every_shared_wall_once() {
    let folder = folder();
    let run = "mesh seg.nii --labels all -o all.ply --check --json --device cpu";
    let report = folder.run(run).ok().json();
    let labels = report["labels"].as_array().unwrap();
    let column = |key: &str| labels.iter().map(|it| it[key].clone()).collect::<Vec<_>>();
    assert_eq!(column("label"), [json!(-5), json!(70_001), json!(70_002)]);
    assert_eq!(column("voxels"), [json!(1), json!(144), json!(145)]);
    assert_eq!(column("closed"), [json!(true), json!(true), json!(true)]);
    // the voxel that touches a box at a corner has a surface of its own
    assert_eq!(column("components"), [json!(1), json!(1), json!(2)]);
    for key in [
        "unbalanced_edges",
        "non_manifold_edges",
        "non_manifold_vertices",
        "self_intersections",
        "degenerate_triangles",
        "duplicate_positions",
    ] {
        assert_eq!(column(key), [json!(0), json!(0), json!(0)], "{key}");
    }
    for error in column("volume_error") {
        assert!(error.as_f64().unwrap().abs() < 0.01, "{error}");
    }
    assert_eq!(report["unshared_walls"], json!(0));
    let counts: Vec<u64> = labels
        .iter()
        .map(|it| it["triangles"].as_u64().unwrap())
        .collect();
    let all = report["triangles"].as_u64().unwrap();
    // the wall of 5 x 5 voxels has two triangles each, more where a quad is divided as a fan, which
    // count for both labels
    assert!((50..60).contains(&(counts.iter().sum::<u64>() - all)));
    let mesh = read_mesh(folder.path("all.ply")).unwrap();
    assert_eq!(mesh.triangles.len() as u64, all);
    assert_eq!(
        mesh.vertices.len(),
        report["vertices"].as_u64().unwrap() as usize
    );
    let header = text(&fs::read(folder.path("all.ply")).unwrap()[..600]);
    assert!(
        header.contains("property int label_inside\nproperty int label_outside\n"),
        "{header}"
    );
}

/// Smoothing changes positions, but not which walls there are; separated contacts change the
/// surface of voxels that touch in an edge.
#[test]
fn smoothing_and_contacts_are_options() {
    let folder = folder();
    folder.file("contact.raw", [4, 0, 0, 4]);
    let run = |options: &str| {
        let line = format!("mesh {options} --labels all -o out.ply --check --json --device cpu");
        let report = folder.run(&line).ok().json();
        let mesh = read_mesh(folder.path("out.ply")).unwrap();
        (report, mesh.vertices)
    };
    let (smooth, positions) = run("seg.nii");
    assert_eq!(smooth["smoothing_steps"], json!(20));
    let (raw, raw_positions) = run("seg.nii --smooth none");
    assert_eq!(raw["smoothing_steps"], json!(0));
    assert_ne!(positions, raw_positions);
    let (five, five_positions) = run("seg.nii --smooth taubin:5");
    assert_eq!(five["smoothing_steps"], json!(5));
    assert_ne!(positions, five_positions);
    for report in [&smooth, &raw, &five] {
        assert_eq!(report["labels"][1]["manifold"], json!(true));
    }
    let contact = "contact.raw --dims 2x2x1 --type u8";
    let (joined, _) = run(contact);
    assert_eq!(joined["labels"][0]["components"], json!(1));
    let (separate, _) = run(&format!("{contact} --voxel-contact separate"));
    assert_eq!(separate["labels"][0]["components"], json!(2));
}

/// Masks, components, normals, simplification and the table of walls.
#[test]
fn filters_apply_to_each_label() {
    let folder = folder();
    let run = |options: &str| {
        let line = format!("mesh seg.nii --labels all {options} --check --json --device cpu");
        folder.run(&line).ok()
    };
    let voxels = |report: &Value| -> Vec<(i64, u64)> {
        let labels = report["labels"].as_array().unwrap().iter();
        labels
            .map(|it| {
                (
                    it["label"].as_i64().unwrap(),
                    it["voxels"].as_u64().unwrap(),
                )
            })
            .collect()
    };
    let largest = run("--largest").json();
    assert_eq!(voxels(&largest), [(-5, 1), (70_001, 144), (70_002, 144)]);
    let large = run("--min-voxels 2");
    assert!(
        large.stderr.contains("removes the label -5"),
        "{}",
        large.stderr
    );
    assert_eq!(voxels(&large.json()), [(70_001, 144), (70_002, 144)]);
    let masked = run("--mask half.nii -o masked-{label}.stl").json();
    assert_eq!(voxels(&masked), [(70_001, 144), (70_002, 72)]);
    assert!(!folder.path("masked--5.stl").exists());

    let all = run("-o all.ply").json();
    let simple = run("-o simple.ply --simplify 20% --normals --wall-table walls.csv").json();
    let count = |report: &Value| report["triangles"].as_u64().unwrap();
    assert!(count(&simple) * 4 < count(&all));
    assert_eq!(
        simple["simplification"]["triangles_before"],
        all["triangles"]
    );
    let mesh = read_mesh(folder.path("simple.ply")).unwrap();
    assert_eq!(mesh.normals.unwrap().len(), mesh.vertices.len());
    let table = fs::read_to_string(folder.path("walls.csv")).unwrap();
    let rows: Vec<Vec<f64>> = table
        .lines()
        .skip(1)
        .map(|line| line.split(',').map(|it| it.parse().unwrap()).collect())
        .collect();
    assert!(
        table.starts_with("label,neighbour,triangles,area\n"),
        "{table}"
    );
    assert_eq!(
        rows.iter().map(|it| it[2]).sum::<f64>(),
        count(&simple) as f64
    );
    let shared = rows
        .iter()
        .find(|it| it[..2] == [70_001.0, 70_002.0])
        .unwrap();
    assert!((20.0..27.0).contains(&shared[3]), "{shared:?}");
    for label in simple["labels"].as_array().unwrap() {
        assert_eq!(
            (&label["closed"], &label["manifold"]),
            (&json!(true), &json!(true))
        );
    }
}

/// A limit of memory and several devices give the same files, with a mask and components too.
#[test]
fn slabs_have_the_same_files() {
    let folder = folder();
    let read = |name: &str| fs::read(folder.path(name)).unwrap();
    for options in [
        "seg.nii --labels all",
        "seg.nii --labels all --mask half.nii --largest",
        "seg.nii --labels 70002,-5 --crop 3:14,0:12,2:9 --simplify 50%",
        "two.nii --nonzero --smooth taubin:20",
    ] {
        let run = |more: &str, name: &str| {
            let tables = format!("--wall-table {name}.csv --measure-table {name}-labels.csv");
            let line = format!("mesh {options} -o {name}.ply {tables} --json {more}");
            folder.run(&line)
        };
        let whole = run("--device cpu", "whole").ok().json();
        assert_eq!(whole["slabs"], json!(1));
        let needed = run("--device cpu --memory 1K", "small");
        assert_eq!(needed.status, Some(1), "{}", needed.stderr);
        let words = needed.stderr.split_whitespace();
        let numbers: Vec<u64> = words.filter_map(|it| it.parse().ok()).collect();
        let [1024, bytes] = numbers[..] else {
            panic!("{}", needed.stderr)
        };
        let devices = run("--device cpu,cpu,cpu", "devices").ok().json();
        assert_eq!(devices["slabs"], json!(3), "{options}");
        let memory = run(&format!("--device cpu --memory {bytes}"), "memory")
            .ok()
            .json();
        assert!(memory["slabs"].as_u64().unwrap() > 1, "{options}: {memory}");
        for report in [&devices, &memory] {
            assert_eq!(report["labels"], whole["labels"], "{options}");
        }
        for name in ["devices", "memory"] {
            for file in [".ply", ".csv", "-labels.csv"] {
                let [found, expected] = [name, "whole"].map(|it| read(&format!("{it}{file}")));
                assert!(found == expected, "{options}: {name}{file}");
            }
        }
    }
}

/// A volume of one plane has surfaces one voxel thick.
#[test]
fn one_plane_has_closed_surfaces() {
    let folder = folder();
    folder.file("plane.raw", [4, 4, 9, 0, 4, 9]);
    let run = "mesh plane.raw --dims 3x2x1 --type u8 --labels all --check --json --device cpu";
    let report = folder.run(run).ok().json();
    for (label, voxels) in report["labels"].as_array().unwrap().iter().zip([3.0, 2.0]) {
        assert_eq!(label["closed"], json!(true));
        let volume = label["volume"].as_f64().unwrap();
        assert!((volume / voxels - 1.0).abs() < 0.05, "{label}");
    }
}

/// A part of the volume has the surfaces of a file with that part only, at its place.
#[test]
fn crop_extracts_a_part_of_the_labels() {
    let folder = folder();
    let [nx, ny, nz] = [11, 12, 7];
    let part = |at: usize| label(3 + at % nx, at / nx % ny, 2 + at / (nx * ny));
    let part: Vec<u8> = (0..nx * ny * nz)
        .flat_map(|at| part(at).to_le_bytes())
        .collect();
    let fields = "type: int32\nsizes: 11 12 7\nencoding: raw";
    folder.file("part.nrrd", nrrd(fields, &part));
    let run = |options: &str| {
        let line = format!("mesh {options} --labels all --coordinates voxel --check --json");
        folder.run(&format!("{line} -o out.ply --device cpu")).ok();
        read_mesh(folder.path("out.ply")).unwrap()
    };
    let cropped = run("seg.nii --crop 3:14,0:12,2:9");
    let expected = run("part.nrrd");
    assert_eq!(cropped.triangles, expected.triangles);
    assert!(!cropped.vertices.is_empty());
    let offsets = cropped.vertices.iter().zip(&expected.vertices);
    for (cropped, expected) in offsets {
        for (axis, first) in [0.0, 0.0, 0.0].into_iter().enumerate() {
            assert!((cropped[axis] - expected[axis] - first).abs() < 1e-4);
        }
    }
}

#[test]
fn surface_of_a_label_is_the_isosurface_of_its_mask() {
    let folder = folder();
    for options in [
        "",
        "--close",
        "--normals --method staged",
        "--topology trilinear --close",
        "--mask half.nii",
        "--mask half.nii --close --device cpu,cpu,cpu",
        "--largest --smooth taubin:10 --normals",
    ] {
        folder
            .run(&format!("mesh two.nii --iso 0.5 {options} -o mask.ply"))
            .ok();
        let expected = fs::read(folder.path("mask.ply")).unwrap();
        let run = format!("mesh seg.nii --label 70002 {options} -o label.ply --json");
        let report = folder.run(&run).ok().json();
        assert_eq!(
            (&report["label"], &report["iso"]),
            (&json!(70_002.0), &json!(0.5))
        );
        assert!(
            fs::read(folder.path("label.ply")).unwrap() == expected,
            "{options}"
        );
    }
    // streamed, with samples of i32 and of u8
    folder
        .run("mesh two.nii --iso 0.5 --normals -o mask.ply")
        .ok();
    let expected = fs::read(folder.path("mask.ply")).unwrap();
    for input in ["seg.nii --label 70002", "bytes.nrrd --label 2"] {
        let run = format!("mesh {input} --normals -o label.ply --memory 20K --json --device cpu");
        let report = folder.run(&run).ok().json();
        assert_eq!(report["streamed"], Value::Bool(true), "{input}");
        assert!(
            fs::read(folder.path("label.ply")).unwrap() == expected,
            "{input}"
        );
    }
    let run = folder.run("mesh seg.nii --label 12 -o none.ply").ok();
    assert!(
        run.stderr
            .contains("samples that are 12 and samples that are not"),
        "{}",
        run.stderr
    );
}

#[test]
fn conflicting_options_are_usage_errors() {
    let folder = folder();
    let usage = |options: &str, fact: &str| {
        let run = folder.run(&format!("mesh seg.nii {options}"));
        assert_eq!(run.status, Some(2), "{options}: {}", run.stderr);
        assert!(run.stderr.contains(fact), "{options}: {}", run.stderr);
    };
    usage("-o a.ply", "--iso");
    usage("--label 1 --iso 3 -o a.ply", "--iso");
    usage("--labels all --iso 3 -o a.ply", "--iso");
    usage("--labels all --close -o a.ply", "--close");
    usage("--labels all --fill-cavities -o a.ply", "several labels");
    usage("--labels all --normals=trilinear -o a.ply", "--normals");
    usage("--labels all --nonzero -o a.ply", "--nonzero");
    usage(
        "--nonzero --smooth taubin:9 --fill-cavities -o a.ply",
        "--fill-cavities",
    );
    usage("--nonzero --measure-table a.csv -o a.ply", "--labels");
    usage("--nonzero --wall-table a.csv -o a.ply", "--labels");
    usage("--labels 0 -o a.ply", "background");
    usage("--labels all --smooth taubin:9,0.2 -o a.ply", "pass band");
    usage(
        "--label 1 --voxel-contact separate -o a.ply",
        "--voxel-contact",
    );
    let refused = |options: &str, facts: &[&str]| {
        folder.refuses(&format!("mesh seg.nii {options}"), facts);
    };
    refused(
        "--labels all -o a.stl",
        &["a.stl", "{label}", ".ply, .vtp or .glb"],
    );
    refused("--labels all -o {label}.txt", &["txt"]);
    refused(
        "--labels all -o a.ply --wall-table a.txt",
        &["a.txt", ".csv"],
    );

    refused("--label nan -o a.ply", &["label"]);
    assert!(!folder.path("a.ply").exists());
}
