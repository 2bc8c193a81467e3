//! `ferrovox mesh --label` and `--labels`.

use crate::{
    samples::{nifti_of_type, nrrd},
    support::Folder,
};
use ferrovox::{io::read_mesh, mesh::check};
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

#[test]
fn vtp_stores_the_labels_as_cell_data() {
    let folder = folder();
    let report = folder
        .run("mesh seg.nii --labels 70001,70002 -o a.vtp --json")
        .ok()
        .json();
    let triangles = report["triangles"].as_u64().unwrap() as usize;
    let bytes = fs::read(folder.path("a.vtp")).unwrap();
    let head = text(&bytes[..2000]);
    let mut found: Vec<Vec<i64>> = Vec::new();
    for name in ["label_inside", "label_outside"] {
        let offset = head
            .split(&format!("Name=\"{name}\" format=\"appended\" offset=\""))
            .nth(1);
        let offset: usize = offset.unwrap().split('"').next().unwrap().parse().unwrap();
        let mark = b"<AppendedData encoding=\"raw\">_";
        let data = bytes.windows(mark.len()).position(|it| it == mark).unwrap() + mark.len();
        let number = |at: usize| {
            let at = data + offset + 8 * at;
            i64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
        };
        assert_eq!(number(0), 8 * triangles as i64, "{name}");
        found.push((1..=triangles).map(number).collect());
    }
    let shared = found[0].iter().zip(&found[1]);
    let shared = shared.filter(|pair| *pair == (&70_001, &70_002)).count();
    assert!((50..60).contains(&shared), "{shared}");
    assert!(found[1].iter().all(|label| [0, 70_002].contains(label)));
    assert!(bytes.ends_with(b"\n</AppendedData></VTKFile>\n"));
}

#[test]
fn each_label_is_written_to_its_own_file() {
    let folder = folder();
    for extension in ["ply", "stl", "obj"] {
        let run = format!(
            "mesh seg.nii --labels -5,70001-70003 -o part-{{label}}.{extension} --device cpu"
        );
        let run = folder.run(&run).ok();
        assert!(
            run.stderr.contains("no voxel has the label 70003"),
            "{}",
            run.stderr
        );
        for (label, voxels) in [(-5, 1.0), (70_001, 144.0)] {
            let mesh = read_mesh(folder.path(&format!("part-{label}.{extension}"))).unwrap();
            let report = check(&mesh);
            assert!((report.volume / voxels - 1.0).abs() < 0.01, "{report:?}");
            if extension != "stl" {
                assert!(report.is_closed() && report.is_oriented());
            }
        }
        assert!(!folder.path(&format!("part-70003.{extension}")).exists());
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
    usage("--labels all --memory 1M -o a.ply", "--memory");
    usage("--labels 0 -o a.ply", "background");
    usage("--labels all --smooth taubin:9,0.2 -o a.ply", "pass band");
    usage(
        "--label 1 --voxel-contact separate -o a.ply",
        "--voxel-contact",
    );
    usage("--labels all --device cpu,cpu -o a.ply", "one device");
    let refused = |options: &str, facts: &[&str]| {
        folder.refuses(&format!("mesh seg.nii {options}"), facts);
    };
    refused(
        "--labels all -o a.stl",
        &["a.stl", "{label}", ".ply or .vtp"],
    );
    refused("--labels all -o {label}.txt", &["txt"]);
    refused("--label nan -o a.ply", &["label"]);
    assert!(!folder.path("a.ply").exists());
}
