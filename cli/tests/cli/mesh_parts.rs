//! `ferrovox mesh` with both methods, on several devices, and streamed, which all write the same
//! file.

use crate::{
    samples::{ball, little_endian, nifti, npy},
    support::Folder,
};
use serde_json::{Value, json};
use std::fs;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.file("ball.nii", nifti(&long_ball(), [24, 24, 60]));
    let mask: Vec<u8> = (0..24 * 24 * 60).map(|i| u8::from(i % 24 > 3)).collect();
    folder.file("mask.npy", npy("|u1", "(60, 24, 24)", &mask));
    folder
}

/// Returns 24 x 24 x 60 samples that exceed 50 inside an ellipsoid.
fn long_ball() -> Vec<f32> {
    let square = |at: usize, size: f32| ((at as f32 - (size - 1.0) / 2.0) / size).powi(2);
    let sample = |i: usize| {
        let [x, y, z] = [i % 24, i / 24 % 24, i / 576];
        90.0 - 100.0 * (square(x, 24.0) + square(y, 24.0) + square(z, 60.0)).sqrt()
    };
    (0..24 * 24 * 60).map(sample).collect()
}

#[test]
fn all_strategies_write_the_same_file() {
    let folder = folder();
    for (options, output) in [
        ("--normals", "out.ply"),
        ("--close --inside below", "out.stl"),
        ("--mask mask.npy --normals", "out.vtp"),
        ("--spacing 1,2,3 --origin -5,0,0", "out.obj"),
        ("--mask mask.npy --close", "out.vtk"),
    ] {
        let written = |way: &str| -> (Vec<u8>, Value) {
            let run = folder.run(&format!(
                "mesh ball.nii --iso 50 -o {output} --json {options} {way}"
            ));
            let report = run.ok().json();
            (fs::read(folder.path(output)).unwrap(), report)
        };
        let (expected, whole) = written("--method staged --device cpu");
        for way in [
            "--method fused --device cpu",
            "--device cpu,cpu",
            "--device cpu,cpu,cpu,cpu,cpu,cpu,cpu,cpu",
            "--device cpu --memory 300K",
            "--device cpu --memory 1G",
            "--device cpu,cpu --memory 600K",
        ] {
            let (found, report) = written(way);
            assert!(found == expected, "{way} {options}");
            let streamed = way.ends_with('K');
            assert_eq!(report["streamed"], json!(streamed), "{way}");
            for field in ["vertices", "triangles", "index_bits", "non_finite_cells"] {
                assert_eq!(report[field], whole[field], "{way}: {field}");
            }
            if streamed {
                assert!(report["slabs"].as_u64() > Some(1), "{way}: {report}");
                assert_eq!(report["closed"], Value::Null);
            } else {
                assert_eq!(report["euler"], whole["euler"], "{way}");
            }
        }
    }
}

#[test]
fn report_names_the_devices() {
    let folder = folder();
    let report = folder
        .run("mesh ball.nii --iso 50 -o out.ply --device cpu,cpu --json")
        .ok()
        .json();
    assert_eq!(report["device"], "cpu, cpu");
    assert_eq!(report["slabs"], 2);
    let devices = report["devices"].as_array().unwrap();
    assert_eq!(devices.len(), 2);
    for device in devices {
        assert_eq!(device["slabs"], 1);
        assert!(device["stages"]["triangles"].as_f64().unwrap() >= 0.0);
    }
    let report = folder
        .run("mesh ball.nii --iso 50 -o out.ply --device cpu,cpu --memory 400K --json")
        .ok()
        .json();
    let slabs: u64 = report["devices"]
        .as_array()
        .unwrap()
        .iter()
        .map(|device| device["slabs"].as_u64().unwrap())
        .sum();
    assert_eq!(report["slabs"], slabs);
    for phase in ["stream", "read", "write", "total"] {
        assert!(report["timings"][phase].as_f64().unwrap() >= 0.0, "{phase}");
    }
    let run = folder
        .run("mesh ball.nii --iso 50 -o out.ply --device cpu --memory 300K")
        .ok();
    assert!(run.stdout.contains("slabs"), "{}", run.stdout);
}

#[test]
fn streaming_reports_the_samples_as_well() {
    let folder = Folder::new();
    let mut samples: Vec<f64> = ball().into_iter().map(f64::from).collect();
    samples[0] = 0.1;
    samples[5] = f64::NAN;
    let bytes: Vec<u8> = samples
        .iter()
        .flat_map(|sample| sample.to_le_bytes())
        .collect();
    folder.file("ball.npy", npy("<f8", "(16, 16, 16)", &bytes));
    let whole = folder
        .run("mesh ball.npy --iso 50 -o whole.ply --device cpu --json")
        .ok();
    let streamed = folder
        .run("mesh ball.npy --iso 50 -o out.ply --device cpu --memory 90K --json")
        .ok();
    assert_eq!(streamed.json()["streamed"], true);
    assert_eq!(streamed.stderr.lines().count(), 2, "{}", streamed.stderr);
    for line in whole.stderr.lines() {
        assert!(
            streamed.stderr.contains(line),
            "{line}: {}",
            streamed.stderr
        );
    }
    assert_eq!(
        fs::read(folder.path("out.ply")).unwrap(),
        fs::read(folder.path("whole.ply")).unwrap()
    );
    let run = folder
        .run("mesh ball.npy --iso 5000 -o out.ply --device cpu --memory 90K")
        .ok();
    assert!(run.stderr.contains("the mesh is empty"), "{}", run.stderr);
}

#[test]
fn error_of_too_little_memory_states_a_sufficient_amount() {
    let folder = folder();
    let run = folder.run("mesh ball.nii --iso 50 -o out.ply --device cpu --memory 1K");
    run.refused(&["ball.nii", "1024 bytes", "are needed"]);
    let (before, _) = run.stderr.split_once(" bytes are needed").unwrap();
    let enough: u64 = before.rsplit(' ').next().unwrap().parse().unwrap();
    folder
        .run(&format!(
            "mesh ball.nii --iso 50 -o out.ply --device cpu --memory {enough}"
        ))
        .ok();
}

#[test]
fn failed_runs_leave_no_file() {
    let folder = folder();
    folder.file("small.npy", npy("|u1", "(2, 2, 2)", &[1; 8]));
    folder.refuses(
        "mesh ball.nii --iso 50 -o out.ply --device cpu --memory 300K --check",
        &["ball.nii", "--check", "--memory"],
    );
    folder.refuses(
        "mesh ball.nii --iso 50 -o out.ply --device cpu --memory 300K --mask small.npy",
        &["small.npy", "same grid"],
    );
    folder.refuses(
        "mesh ball.nii --iso 50 -o out.ply --device cpu,cuda:4711",
        &["cuda:4711"],
    );
    // a truncated file
    let mut bytes = nifti(&long_ball(), [24, 24, 60]);
    bytes.truncate(90_000);
    folder.file("short.nii", bytes);
    folder.refuses(
        "mesh short.nii --iso 50 -o out.ply --device cpu --memory 300K",
        &["short.nii"],
    );
    folder.file(
        "thin.npy",
        npy("<f4", "(1, 4, 4)", &little_endian(&ball()[..16])),
    );
    folder
        .run("mesh thin.npy --iso 50 -o thin.ply --device cpu,cpu")
        .ok();
}
