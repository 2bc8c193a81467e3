//! `--smooth-volume` and `--resample`, which all commands that read volumes take.

use crate::{
    samples::{ball, nifti, nifti_of_type},
    support::Folder,
};
use serde_json::{Value, json};

/// Returns a folder with a ball of radius 5 whose slices are twice as far apart as its columns, and
/// a mask and labels of the same grid.
fn folder() -> Folder {
    let folder = Folder::new();
    let flat: Vec<f32> = ball().chunks(256).step_by(2).flatten().copied().collect();
    let spaced = |mut file: Vec<u8>| {
        // world = (-x, y, 2 z) with the origin at (20, 0, 0.5)
        for (at, value) in [(280, -1.0_f32), (292, 20.0), (320, 2.0), (324, 0.5)] {
            file[at..at + 4].copy_from_slice(&value.to_le_bytes());
        }
        file
    };
    folder.file("ball.nii", spaced(nifti(&flat, [16, 16, 8])));
    let labels: Vec<u8> = flat
        .iter()
        .map(|&sample| u8::from(sample >= 50.0) * 7)
        .collect();
    folder.file(
        "labels.nii",
        spaced(nifti_of_type(&labels, [16, 16, 8], 2, 8)),
    );
    let mut mask = vec![1_u8; 2048];
    mask[1024..].fill(0);
    folder.file("mask.nii", spaced(nifti_of_type(&mask, [16, 16, 8], 2, 8)));
    folder
}

fn number(report: &Value, key: &str) -> f64 {
    report[key]
        .as_f64()
        .unwrap_or_else(|| panic!("{key}: {report}"))
}

#[test]
fn resampled_surface_stays_where_it_is() {
    let folder = folder();
    let mesh = |options: &str| {
        let line = format!("mesh ball.nii --iso 50 {options} -o a.ply --json");
        folder.run(&line).ok().json()
    };
    let plain = mesh("");
    let fine = mesh("--resample iso");
    assert_eq!(fine["dims"], json!([16, 16, 16]));
    assert_eq!(fine["spacing"], json!([1.0, 1.0, 1.0]));
    assert_eq!(fine["origin"], json!([20.0, 0.0, 0.0]));
    let coarse = mesh("--resample 1.5,1,2 --device cpu");
    assert_eq!(coarse["dims"], json!([11, 16, 8]));
    for report in [&fine, &coarse] {
        let [low, high] = [0, 1].map(|end| report["bounds"][end].as_array().unwrap().clone());
        for axis in 0..3 {
            for (end, found) in [(0, &low[axis]), (1, &high[axis])] {
                let expected = plain["bounds"][end][axis].as_f64().unwrap();
                let found = found.as_f64().unwrap();
                assert!((found - expected).abs() < 0.3, "{found} {expected}");
            }
        }
        let change = number(report, "volume") / number(&plain, "volume") - 1.0;
        assert!(change.abs() < 0.05, "{change}");
    }
    // the spacing of the file is replaced first
    let wide = mesh("--spacing 2 --resample 1");
    assert_eq!(wide["dims"], json!([32, 32, 16]));
}

#[test]
fn smoothing_shrinks_the_peak_and_applies_before_the_isovalue() {
    let folder = folder();
    let info = |options: &str| {
        folder
            .run(&format!("info ball.nii --stats {options} --json"))
            .ok()
            .json()
    };
    let (plain, smooth) = (info(""), info("--smooth-volume 1.5"));
    assert_eq!(smooth["sample_type"], "f32");
    assert!(number(&smooth, "max") < number(&plain, "max") - 3.0);
    assert!((number(&smooth, "mean") - number(&plain, "mean")).abs() < 1.0);
    let otsu = folder
        .run("mesh ball.nii --smooth-volume 1.5 --iso otsu --json")
        .ok()
        .json();
    assert_eq!(otsu["iso"], smooth["otsu"]);
    let both = info("--smooth-volume 1.5 --resample 2");
    assert_eq!(both["dims"], json!([8, 8, 8]));
}

#[test]
fn labels_and_masks_are_copied_from_the_nearest_sample() {
    let folder = folder();
    let labels = |options: &str| {
        let line = format!("info labels.nii --labels {options} --json");
        folder.run(&line).ok().json()["labels"].clone()
    };
    let (plain, fine) = (labels(""), labels("--resample 0.5,0.5,1"));
    assert_eq!(fine.as_array().unwrap().len(), 1);
    assert_eq!(fine[0]["label"], 7);
    assert_eq!(fine[0]["volume"], plain[0]["volume"]);
    assert_eq!(fine[0]["centroid"], plain[0]["centroid"]);
    // the mask is resampled as the volume
    let masked = folder
        .run("info ball.nii --mask mask.nii --stats --resample 0.5,1,1 --json")
        .ok()
        .json();
    assert_eq!(masked["dims"], json!([32, 16, 16]));
    let half = folder
        .run("mesh ball.nii --iso 50 --mask mask.nii --resample iso --json")
        .ok()
        .json();
    let top = half["bounds"][1][2].as_f64().unwrap();
    assert!((6.0..9.0).contains(&top), "{top}");
    for line in [
        "mesh labels.nii --labels all --resample iso -o a.ply",
        "distance labels.nii --nonzero --resample iso --signed -o a.nii",
        "distance labels.nii --labels --resample 2 -o a.nii",
        "skeleton labels.nii --resample iso -o a.swc",
        "skeleton ball.nii --iso 50 --smooth-volume 1 --resample iso -o a.swc",
        "render ball.nii --iso 50 --smooth-volume 1 --resample iso --size 60x50 -o a.png",
        "distance ball.nii --iso 50 --resample iso --crop 2:14,2:14,1:7 -o a.nii",
    ] {
        folder.run(line).ok();
    }
    let map = folder.run("info a.nii --json").ok().json();
    assert_eq!(map["dims"], json!([12, 12, 12]));
}

#[test]
fn invalid_filters_are_explained() {
    let folder = folder();
    for (line, facts) in [
        (
            "mesh ball.nii --iso 50 --smooth-volume 99 -o a.ply",
            &["--smooth-volume is 99", "longest side"][..],
        ),
        (
            "mesh ball.nii --iso 50 --resample 0.00001 -o a.ply",
            &["--resample to a larger spacing", "1600000 x 1600000"],
        ),
        (
            "mesh labels.nii --label 7 --smooth-volume 1 -o a.ply",
            &["labels cannot be averaged", "--iso"],
        ),
        (
            "skeleton labels.nii --smooth-volume 1 -o a.swc",
            &["labels cannot be averaged"],
        ),
        (
            "mesh ball.nii --iso 50 --resample iso --memory 10K -o a.ply",
            &["16 x 16 x 16", "more than the limit of 10240", "--memory"],
        ),
        (
            "distance ball.nii --iso 50 --smooth-volume 1 --memory 10K -o a.nii",
            &["more than the limit of 10240"],
        ),
    ] {
        folder.refuses(line, facts);
    }
    for line in [
        "mesh ball.nii --iso 50 --smooth-volume 0 -o a.ply",
        "mesh ball.nii --iso 50 --smooth-volume x -o a.ply",
        "mesh ball.nii --iso 50 --resample 1,2 -o a.ply",
        "mesh ball.nii --iso 50 --resample isotropic -o a.ply",
        "voxelize a.ply --resolution 9 --resample 1 -o a.nii",
        "distance a.xyz --points --grid 4x4x4 --resample 1 -o a.nii",
    ] {
        assert_eq!(folder.run(line).status, Some(2), "{line}");
    }
    folder.refuses(
        "mesh ball.nii --iso 50 --resample=-1 -o a.ply",
        &["--resample is -1 along x"],
    );
    // a limit that suffices
    folder
        .run("mesh ball.nii --iso 50 --resample iso --memory 10M -o a.ply")
        .ok();
}
