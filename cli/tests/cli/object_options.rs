//! Options that select and restrict the object, in every command that takes them.

use crate::{
    samples::{ball, little_endian, nifti, nifti_of_type, npy},
    support::Folder,
};
use serde_json::json;

/// Side of the volume of [`objects`].
const SIDE: u16 = 24;

/// Returns a shell of radii 3 to 6 around (9, 9, 9), with samples of 5, and a block of 3³ voxels at
/// (18, 18, 18), with samples of 9.
fn objects() -> Vec<u8> {
    let mut samples = Vec::new();
    for z in 0..SIDE {
        for y in 0..SIDE {
            for x in 0..SIDE {
                let distance = [x, y, z]
                    .iter()
                    .map(|&k| (f64::from(k) - 9.0).powi(2))
                    .sum::<f64>()
                    .sqrt();
                let is_block = [x, y, z].iter().all(|k| (18..21).contains(k));
                samples.push(match (is_block, (3.0..=6.0).contains(&distance)) {
                    (true, _) => 9,
                    (_, true) => 5,
                    _ => 0,
                });
            }
        }
    }
    samples
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.file("o.nii", nifti_of_type(&objects(), [SIDE; 3], 2, 8));
    let mask: Vec<u8> = (0..24 * 24 * 24)
        .map(|index| u8::from(index % 24 >= 14))
        .collect();
    folder.file("right.nii", nifti_of_type(&mask, [SIDE; 3], 2, 8));
    folder
}

#[test]
fn components_and_cavities_are_filtered_by_every_command() {
    let folder = folder();
    let report = |line: &str| folder.run(&format!("{line} --json")).ok().json();
    let surfaces = |options: &str| {
        let report = report(&format!("mesh o.nii --iso 2 {options}"));
        report["components"].as_u64().unwrap()
    };
    assert_eq!(surfaces(""), 3);
    assert_eq!(surfaces("--fill-cavities"), 2);
    assert_eq!(surfaces("--largest"), 2);
    assert_eq!(surfaces("--largest --fill-cavities"), 1);

    let components = |options: &str| {
        let report = report(&format!("skeleton o.nii --iso 2 {options}"));
        report["components"].as_u64().unwrap()
    };
    assert_eq!((components(""), components("--largest")), (2, 1));
    let filled = report("skeleton o.nii --iso 2 --largest --fill-cavities");
    assert_eq!(filled["labels"][0]["components"][0]["cavities"], 0);

    let sites = |options: &str| {
        let report = report(&format!("distance o.nii {options}"));
        report["sites"].as_u64().unwrap()
    };
    let shell = objects().iter().filter(|&&sample| sample == 5).count() as u64;
    assert_eq!(sites("--nonzero"), shell + 27);
    assert_eq!(sites("--nonzero --largest"), shell);
    assert_eq!(sites("--label 9"), 26);
    assert!(sites("--iso 2 --largest --fill-cavities") < sites("--iso 2 --largest"));

    folder.run("mesh o.nii --iso 2 -o o.stl").ok();
    let voxels = |options: &str| {
        let report = report(&format!("voxelize o.stl --voxel-size 1 {options}"));
        report["voxels"].as_u64().unwrap()
    };
    assert!(voxels("--largest") < voxels(""));
    assert!(voxels("--fill-cavities") > voxels(""));

    let picture = |name: &str, options: &str| {
        folder
            .run(&format!("render o.nii --size 64x48 {options} -o {name}"))
            .ok();
        std::fs::read(folder.path(name)).unwrap()
    };
    let all = picture("all.png", "--iso 2");
    assert_ne!(picture("largest.png", "--iso 2 --largest"), all);
    assert_ne!(picture("mask.png", "--iso 2 --mask right.nii"), all);
    assert_eq!(
        picture("label.png", "--label 5"),
        picture("l.png", "--label 5 --largest")
    );
}

#[test]
fn masks_restrict_the_object_of_every_command() {
    let folder = folder();
    let report = |line: &str| folder.run(&format!("{line} --json")).ok().json();
    assert_eq!(
        report("distance o.nii --nonzero --mask right.nii")["sites"],
        objects()
            .iter()
            .enumerate()
            .filter(|(index, sample)| index % 24 >= 14 && **sample > 0)
            .count()
    );
    assert_eq!(
        report("skeleton o.nii --label 9 --mask right.nii")["components"],
        1
    );
    folder.refuses(
        "skeleton o.nii --label 5 --mask o9.nii -o a.swc",
        &["o9.nii: there is no such file"],
    );
    // the left half of the shell remains
    let labels = report("skeleton o.nii --labels 5,9 --mask right.nii");
    assert_eq!(labels["labels"].as_array().unwrap().len(), 2);
    let error = folder.run("distance o.nii --nonzero --sub-voxel --mask right.nii --json");
    assert_eq!(error.status, Some(2), "{}", error.stderr);
}

#[test]
fn thresholds_are_derived_from_samples_by_every_command() {
    let folder = Folder::new();
    folder.file("ball.nii", nifti(&ball(), [16; 3]));
    let mut sorted = ball();
    sorted.sort_by(f32::total_cmp);
    let expected = f64::from(sorted[(sorted.len() * 9).div_ceil(10) - 1]);
    for rule in ["otsu", "percentile:90"] {
        let mut found = Vec::new();
        for line in [
            format!("mesh ball.nii --iso {rule} --json"),
            format!("mesh ball.nii --iso {rule} --memory 40K --json"),
            format!("distance ball.nii --iso {rule} --json"),
            format!("skeleton ball.nii --iso {rule} --json"),
            format!("render ball.nii --iso {rule} --size 16x16 -o a.png --json"),
        ] {
            let report = folder.run(&line).ok().json();
            assert_eq!(
                report["iso_method"],
                rule.split(':').next().unwrap(),
                "{line}"
            );
            found.push(report["iso"].as_f64().unwrap());
        }
        assert!(
            found.iter().all(|iso| *iso == found[0]),
            "{rule}: {found:?}"
        );
        if rule != "otsu" {
            assert!((found[0] - expected).abs() < 0.01, "{found:?} {expected}");
        }
    }
    let text = folder.run("mesh ball.nii --iso percentile:90").stderr;
    assert!(text.contains("--output"), "{text}");
    let text = folder
        .run("mesh ball.nii --iso percentile:101 --json")
        .stderr;
    assert!(text.contains("from 0 to 100"), "{text}");
}

#[test]
fn parts_of_a_volume_keep_their_position() {
    let folder = folder();
    let report = |line: &str| folder.run(&format!("{line} --json")).ok().json();
    let info = report("info o.nii --crop 2:20,3:21,4:22 --stats");
    assert_eq!(info["dims"], json!([18, 18, 18]));
    assert_eq!(info["origin"], json!([2.0, 3.0, 4.0]));
    let scaled = report("info o.nii --crop 2:20,3:21,4:22 --spacing 2 --origin 1,1,1");
    assert_eq!(scaled["origin"], json!([5.0, 7.0, 9.0]));
    // the block alone, at its place
    let whole = report("mesh o.nii --label 9");
    let part = report("mesh o.nii --label 9 --crop 16:24,16:24,16:24");
    assert_eq!(part["bounds"], whole["bounds"]);
    for field in ["vertices", "triangles", "volume"] {
        assert_eq!(part[field], whole[field], "{field}");
    }
    assert_eq!(
        report("distance o.nii --nonzero --crop 16:24,16:24,16:24")["sites"],
        27
    );
    let streamed = "mesh o.nii --iso 2 --crop 16:24,16:24,16:24 --memory 6K -o s.ply";
    folder.run(streamed).ok();
    folder
        .run("mesh o.nii --iso 2 --crop 16:24,16:24,16:24 -o w.ply")
        .ok();
    let files = folder.content();
    assert_eq!(files["s.ply"], files["w.ply"]);
    // the box of a mask, with one sample around it
    let mask: Vec<u8> = objects().iter().map(|&it| u8::from(it == 9)).collect();
    folder.file("block.npy", npy("|u1", "(24, 24, 24)", &mask));
    let boxed = report("mesh o.nii --iso 2 --mask block.npy --crop mask");
    assert_eq!(boxed["dims"], json!([5, 5, 5]));
    folder.refuses(
        "mesh o.nii --iso 2 --crop 0:25,0:24,0:24 -o a.ply",
        &["o.nii: the box 0:25,0:24,0:24", "24 x 24 x 24"],
    );
    let usage = folder.run("mesh o.nii --iso 2 --crop mask --json");
    assert_eq!(usage.status, Some(2));
    assert!(usage.stderr.contains("add --mask FILE"), "{}", usage.stderr);
    folder.file("o.npy", npy("<f4", "(16, 16, 16)", &little_endian(&ball())));
    let zeros = vec![0; 4096];
    folder.file("zeros.npy", npy("|u1", "(16, 16, 16)", &zeros));
    folder.refuses(
        "mesh o.npy --iso 2 --mask zeros.npy --crop mask -o a.ply",
        &["zeros.npy: every sample of the mask is 0"],
    );
}

#[test]
fn options_of_other_commands_are_explained() {
    let folder = folder();
    for (line, text) in [
        (
            "render o.nii --iso 5 --memory 1G -o a.png",
            "render does not take --memory: volumes are drawn as a whole",
        ),
        (
            "skeleton o.nii --memory 1G -o a.swc",
            "skeleton does not take --memory",
        ),
        (
            "mesh o.nii --iso 5 --like b.nii -o a.ply",
            "--like is an option of distance",
        ),
        (
            "mesh o.nii --isoo 5 -o a.ply",
            "similar argument exists: '--iso'",
        ),
        (
            "mesh o.nii --frobnicate",
            "`ferrovox mesh -h` lists the options",
        ),
    ] {
        let run = folder.run(line);
        assert_eq!(run.status, Some(2), "{line}");
        assert!(run.stderr.contains(text), "{line}: {}", run.stderr);
        assert!(!run.stderr.contains("as a value"), "{}", run.stderr);
    }
}
