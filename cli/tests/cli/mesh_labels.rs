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

/// Labels of 64 bits are exact in all commands, also those that `f64` does not distinguish.
#[test]
fn labels_of_64_bits_are_exact() {
    let folder = folder();
    let wide = [i64::MAX, i64::MAX - 1, (1 << 53) + 1];
    let number = |label: i32| match label {
        70_001 => wide[0],
        70_002 => wide[1],
        -5 => wide[2],
        _ => 0,
    };
    let bytes: Vec<u8> = samples(|label| label)
        .into_iter()
        .flat_map(|label| number(label).to_le_bytes())
        .collect();
    folder.file(
        "wide.nii",
        nifti_of_type(&bytes, DIMS.map(|n| n as u16), 1024, 64),
    );
    folder.file(
        "unsigned.nii",
        nifti_of_type(&bytes, DIMS.map(|n| n as u16), 1280, 64),
    );
    let labels = |report: &Value| -> Vec<i64> {
        let labels = report["labels"].as_array().unwrap();
        labels
            .iter()
            .map(|it| it["label"].as_i64().unwrap())
            .collect()
    };
    let ascending = [wide[2], wide[1], wide[0]];
    folder
        .run("mesh seg.nii --labels all -o small-{label}.stl --device cpu")
        .ok();
    for name in ["wide.nii", "unsigned.nii"] {
        for memory in ["", "--memory 100M"] {
            let run = format!(
                "mesh {name} --labels all -o {{label}}.stl --wall-table walls.csv {memory}"
            );
            let report = folder
                .run(&format!("{run} --json --device cpu"))
                .ok()
                .json();
            assert_eq!(labels(&report), ascending, "{name}");
            for (label, small) in wide.iter().zip([70_001, 70_002, -5]) {
                let read = |name: String| fs::read(folder.path(&name)).unwrap();
                let found = read(format!("{label}.stl"));
                assert_eq!(found.len(), read(format!("small-{small}.stl")).len());
            }
        }
        let table = fs::read_to_string(folder.path("walls.csv")).unwrap();
        let shared = format!("\n{},{},", wide[1], wide[0]);
        assert!(table.contains(&shared), "{table}");
        let report = folder
            .run(&format!("info {name} --labels --json"))
            .ok()
            .json();
        assert_eq!(labels(&report), ascending, "{name}");
        let run = format!("mesh {name} --labels {} -o one.vtp --json", wide[1]);
        assert_eq!(labels(&folder.run(&run).ok().json()), [wide[1]]);
        for options in ["--close", "--close --memory 20K"] {
            let run = format!(
                "mesh {name} --label {} {options} -o wide.ply --json",
                wide[0]
            );
            let report = folder.run(&run).ok().json();
            assert_eq!(report["label"].as_i64(), Some(wide[0]));
            let run = format!("mesh seg.nii --label 70001 {options} -o small.ply");
            folder.run(&run).ok();
            let read = |name: &str| fs::read(folder.path(name)).unwrap();
            assert!(read("wide.ply") == read("small.ply"), "{name} {options}");
        }
    }
    folder.refuses(
        "mesh wide.nii --labels all -o a.ply",
        &["a.ply", "9007199254740993", ".vtp"],
    );
    let above = (1_u64 << 63) + 1;
    folder.file(
        "above.nii",
        nifti_of_type(&above.to_le_bytes(), [1, 1, 1], 1280, 64),
    );
    folder.refuses(
        "mesh above.nii --labels all -o a.ply",
        &["above.nii", "9223372036854775809", "i64"],
    );
    folder.file("half.npy.raw", 1.5_f32.to_le_bytes());
    folder.refuses(
        "mesh half.npy.raw --dims 1x1x1 --type f32 --labels all -o a.ply",
        &["1.5", "integers"],
    );
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

/// The table of measures has the numbers of the report.
#[test]
fn measures_are_a_table() {
    let folder = folder();
    let run = "mesh seg.nii --labels all --measure-table a.csv --json --device cpu";
    let report = folder.run(run).ok().json();
    let table = fs::read_to_string(folder.path("a.csv")).unwrap();
    let mut lines = table.lines();
    let columns: Vec<&str> = lines.next().unwrap().split(',').collect();
    assert_eq!(
        columns,
        [
            "label",
            "voxels",
            "triangles",
            "area",
            "volume",
            "volume_error"
        ]
    );
    let labels = report["labels"].as_array().unwrap();
    assert_eq!(lines.clone().count(), labels.len());
    for (line, label) in lines.zip(labels) {
        for (cell, column) in line.split(',').zip(&columns) {
            let number: f64 = cell.parse().unwrap();
            assert_eq!(Some(number), label[column].as_f64(), "{column}");
        }
    }
    assert!((labels[1]["volume"].as_f64().unwrap() - 144.0).abs() < 1.0);
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

/// A glTF file has a node for each label, with name, colour and a closed mesh.
#[test]
fn scenes_have_a_named_node_for_each_label() {
    let folder = folder();
    folder.file("names.txt", "# table\n70001 left 255 0 0 0\n70002 right\n");
    folder
        .run("mesh seg.nii --labels all -o all.glb --label-table names.txt --device cpu")
        .ok();
    let bytes = fs::read(folder.path("all.glb")).unwrap();
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!(
        (&bytes[..4], word(4), word(8)),
        (&b"glTF"[..], 2, bytes.len())
    );
    let scene: Value = serde_json::from_slice(&bytes[20..20 + word(12)]).unwrap();
    let data = &bytes[20 + word(12) + 8..];
    assert_eq!(scene["buffers"][0]["byteLength"], json!(data.len()));
    let names: Vec<&str> = (1..4)
        .map(|node| scene["nodes"][node]["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["label -5", "left", "right"]);
    assert_eq!(scene["nodes"][0]["children"], json!([1, 2, 3]));
    let material = &scene["materials"][1]["pbrMetallicRoughness"];
    assert_eq!(material["baseColorFactor"], json!([1.0, 0.0, 0.0, 1.0]));
    folder
        .run("mesh seg.nii --labels 70001 -o left.ply --device cpu")
        .ok();
    let alone = read_mesh(folder.path("left.ply")).unwrap();
    let primitive = &scene["meshes"][1]["primitives"][0];
    let view = |accessor: &Value| {
        let accessor = &scene["accessors"][accessor.as_u64().unwrap() as usize];
        let view = &scene["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        let start = view["byteOffset"].as_u64().unwrap() as usize;
        let words = data[start..start + view["byteLength"].as_u64().unwrap() as usize].chunks(4);
        words
            .map(|it| u32::from_le_bytes(it.try_into().unwrap()))
            .collect::<Vec<u32>>()
    };
    let positions: Vec<f32> = view(&primitive["attributes"]["POSITION"])
        .into_iter()
        .map(f32::from_bits)
        .collect();
    let indices = view(&primitive["indices"]);
    // alone, the label has the same topology; its walls are relaxed against background
    assert_eq!(indices.len() / 3 / 100, alone.triangles.len() / 100);
    assert!(
        indices
            .iter()
            .all(|&it| (it as usize) < positions.len() / 3)
    );
    let corner = |at: usize, axis: usize| f64::from(positions[3 * indices[at] as usize + axis]);
    let volume: f64 = (0..indices.len() / 3)
        .map(|triangle| {
            let at = |k: usize, axis: usize| corner(3 * triangle + k, axis);
            let minor = |i: usize, j: usize| at(1, i) * at(2, j) - at(1, j) * at(2, i);
            (at(0, 0) * minor(1, 2) + at(0, 1) * minor(2, 0) + at(0, 2) * minor(0, 1)) / 6.0
        })
        .sum();
    assert!((volume / 144.0 - 1.0).abs() < 0.01, "{volume}");
    folder.file("wrong.txt", "1 one\n2\n");
    let run = "mesh seg.nii --labels all -o all.glb --label-table wrong.txt";
    folder.refuses(run, &["wrong.txt", "line 2"]);
}

/// A mask has a staircase as isosurface, and a smooth surface with `--smooth`, in any format.
#[test]
fn masks_have_a_smooth_surface() {
    let folder = folder();
    let report = folder
        .run("mesh two.nii --nonzero -o steps.stl --json --close")
        .ok()
        .json();
    assert_eq!(report["iso"], json!(0.5));
    let line = "mesh two.nii --nonzero --smooth taubin:20 --normals --check --json --device cpu";
    let report = folder.run(&format!("{line} -o smooth.obj")).ok().json();
    let label = &report["labels"][0];
    assert_eq!(
        (&label["label"], &label["voxels"]),
        (&json!(1), &json!(145))
    );
    assert!(label["volume_error"].as_f64().unwrap().abs() < 0.01);
    let mesh = read_mesh(folder.path("smooth.obj")).unwrap();
    assert!(check(&mesh).is_closed());
    folder.run(&format!("{line} -o normals.ply")).ok();
    let mesh = read_mesh(folder.path("normals.ply")).unwrap();
    assert_eq!(mesh.normals.unwrap().len(), mesh.vertices.len());
    let expected = "mesh seg.nii --labels 70002 -o {label}.ply --device cpu";
    folder.run(expected).ok();
    folder
        .run("mesh two.nii --nonzero --smooth taubin:20 -o mask.ply --device cpu")
        .ok();
    let read = |name: &str| fs::read(folder.path(name)).unwrap();
    assert!(read("mask.ply") == read("70002.ply"));
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
