//! Files of label surfaces: tables, scenes, cell data, one file per label.

use super::{folder, text};
use ferrovox::io::read_mesh;
use ferrovox::mesh::check;
use serde_json::{Value, json};
use std::fs;

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
