//! Labels of 64 bits.

use super::{DIMS, folder, samples};
use crate::samples::nifti_of_type;
use serde_json::Value;
use std::fs;

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
