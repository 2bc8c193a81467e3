//! Volumes whose samples are scaled by the header: no sample is lost between the file and the
//! result.

use crate::{
    samples::{ball, nifti, nifti_of_type, npy},
    support::Folder,
};

/// Returns the ball as u16 samples, in steps of a tenth, with a slope and an intercept.
fn scaled_ball(slope: f32, intercept: f32) -> Vec<u8> {
    let samples = ball()
        .into_iter()
        .map(|it| (it * 10.0).round().max(0.0) as u16);
    let bytes: Vec<u8> = samples.flat_map(u16::to_le_bytes).collect();
    with_scaling(nifti_of_type(&bytes, [16; 3], 512, 16), slope, intercept)
}

fn with_scaling(mut file: Vec<u8>, slope: f32, intercept: f32) -> Vec<u8> {
    file[112..116].copy_from_slice(&slope.to_le_bytes());
    file[116..120].copy_from_slice(&intercept.to_le_bytes());
    file
}

/// Integers that f32 would merge are meshed as differences from the isovalue, as stored integers
/// of 32 bits are, in core and streamed: the mesh is that of the file without an intercept.
#[test]
fn isosurface_of_large_scaled_integers_is_exact() {
    let folder = Folder::new();
    folder.file("plain.nii", scaled_ball(1.0, 0.0));
    folder.file("large.nii", scaled_ball(1.0, 1_073_741_824.0));
    folder.run("mesh plain.nii --iso 500 -o plain.ply").ok();
    for memory in ["", "--memory 90K"] {
        let args = format!("mesh large.nii --iso 1073742324 -o large.ply --json {memory}");
        let report = folder.run(&args).ok().json();
        assert_eq!(report["inexact_samples"], 0, "{memory}");
        assert_eq!(report["warnings"], serde_json::json!([]), "{memory}");
        let content = folder.content();
        assert!(content["large.ply"] == content["plain.ply"], "{memory}");
    }
    let report = folder.run("info large.nii --stats --json").ok().json();
    assert_eq!(report["sample_type"], "f64");
    assert_eq!(report["max"], 1_073_741_824.0 + 913.0);
    // An isovalue from which f32 cannot represent the differences.
    let large = scaled_ball(40_000.0, 1_073_741_824.0);
    folder.file("larger.nii", large);
    let refused = "mesh larger.nii --iso 1073741824.3 -o larger.ply";
    folder.refuses(
        refused,
        &["larger.nii", "integers are no exact numbers of f32"],
    );
    let rounded = folder.run(&format!("{refused} --round-samples")).ok();
    assert!(
        rounded
            .stderr
            .contains("scaled u16 samples are converted to f32"),
        "{}",
        rounded.stderr
    );
}

#[test]
fn scaled_fractions_are_rounded_with_a_warning() {
    let folder = Folder::new();
    folder.file("tenth.nii", scaled_ball(0.1, 0.0));
    let run = folder
        .run("mesh tenth.nii --iso 50 -o tenth.ply --json")
        .ok();
    assert!(run.json()["inexact_samples"].as_u64().unwrap() > 0);
    assert!(
        run.stderr
            .contains("scaled u16 samples are converted to f32;"),
        "{}",
        run.stderr
    );
    // A mask is selected without rounding: 500 · 0.1f32 exceeds 50 in f64.
    let mask = "distance tenth.nii --iso 50 -o d.npy --json";
    let report = folder.run(mask).ok().json();
    assert_eq!(report["warnings"], serde_json::json!([]));
    // Hounsfield units are exact in f32.
    folder.file("ct.nii", scaled_ball(1.0, -1024.0));
    let run = folder.run("mesh ct.nii --iso -524 -o ct.ply --json").ok();
    assert_eq!(run.json()["warnings"], serde_json::json!([]));
    let report = folder.run("info ct.nii --json").ok().json();
    assert_eq!(report["sample_type"], "f32");
}

#[test]
fn range_of_scaled_floats_beyond_f32_is_reported() {
    let folder = Folder::new();
    folder.file("huge.nii", with_scaling(nifti(&ball(), [16; 3]), 1e37, 0.0));
    let report = folder.run("info huge.nii --stats --json").ok().json();
    let max = report["max"].as_f64().unwrap();
    assert!((max / 9.13e38 - 1.0).abs() < 0.01, "{max}");
    assert_eq!(report["non_finite_samples"], 0);
    let bytes: Vec<u8> = ball()
        .into_iter()
        .flat_map(|it| f64::from(it).to_le_bytes())
        .collect();
    let file = nifti_of_type(&bytes, [16; 3], 64, 64);
    folder.file("fits.nii", with_scaling(file, 1e30, 0.0));
    folder.run("info fits.nii --stats").ok();
    let bytes: Vec<u8> = [1.0, -1e300]
        .into_iter()
        .flat_map(f64::to_le_bytes)
        .collect();
    let file = nifti_of_type(&bytes, [2, 1, 1], 64, 64);
    folder.file("overflow.nii", with_scaling(file, 1e30, 0.0));
    for command in [
        "info overflow.nii --stats",
        "mesh overflow.nii --iso 1 -o o.ply",
    ] {
        folder.refuses(
            command,
            &[
                "sample 1, at voxel 1, 0, 0, is stored as -1e300",
                "exceeds the range of f64",
            ],
        );
    }
}

#[test]
fn labels_beyond_64_bits_are_refused_with_all_digits() {
    let folder = Folder::new();
    let mut labels = [0_u64; 5 * 5 * 5];
    labels[62] = 1 << 63;
    labels[63] = 1 << 63;
    let bytes: Vec<u8> = labels.iter().flat_map(|it| it.to_le_bytes()).collect();
    folder.file("labels.npy", npy("<u8", "(5, 5, 5)", &bytes));
    let facts = ["9223372036854775808", "less than 2^63"];
    folder.refuses("skeleton labels.npy --labels all -o s.json", &facts);
    folder.refuses(
        "skeleton labels.npy --label 9223372036854775808 -o s.json",
        &facts,
    );
    folder.refuses(
        "mesh labels.npy --labels all -o m.ply",
        &["is 9223372036854775808", "integers of 64 bits"],
    );
    let inexact = folder.run("mesh labels.npy --label 9223372036854775809 -o m.ply");
    assert_eq!(inexact.status, Some(2));
    let reason = "the nearest is 9223372036854775808";
    assert!(inexact.stderr.contains(reason), "{}", inexact.stderr);
    // A label that f64 represents is selected exactly.
    folder
        .run("mesh labels.npy --label 9223372036854775808 -o m.ply")
        .ok();
}
