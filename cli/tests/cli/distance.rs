//! Tests of `ferrovox distance`.

use crate::{
    samples::{ball, little_endian, nifti, npy},
    support::{Folder, Run, data},
};
use ferrovox::{
    grid::AnyVolume,
    io::{ReadOptions, StoredType, VolumeFile, read_volume},
};
use serde_json::json;
use std::fs;

const DIMS: [usize; 3] = [9, 7, 5];

/// Sites among the voxels of [`DIMS`].
const SITES: [[usize; 3]; 3] = [[1, 2, 3], [8, 0, 0], [4, 6, 4]];

/// Creates a folder with a mask of the sites and a ball.
fn folder() -> Folder {
    let folder = Folder::new();
    let mut mask = vec![0.0; DIMS.iter().product()];
    for [x, y, z] in SITES {
        mask[(z * DIMS[1] + y) * DIMS[0] + x] = 2.0;
    }
    folder.file("mask.nii", nifti(&mask, DIMS.map(|n| n as u16)));
    folder.file("ball.nii", nifti(&ball(), [16, 16, 16]));
    folder
}

fn read(folder: &Folder, name: &str) -> VolumeFile {
    read_volume(folder.path(name), &ReadOptions::default()).unwrap()
}

fn distances(folder: &Folder, name: &str) -> Vec<f32> {
    match read(folder, name).volume {
        AnyVolume::F32(volume) => volume.samples().to_vec(),
        other => panic!("{}", other.sample_type()),
    }
}

/// Returns squared distances to the nearest of [`SITES`] for integer spacing.
fn squared_distances(spacing: [i64; 3]) -> Vec<i64> {
    let squared = |a: [usize; 3], b: [usize; 3]| -> i64 {
        let along = |k: usize| (a[k] as i64 - b[k] as i64) * spacing[k];
        (0..3).map(|k| along(k) * along(k)).sum()
    };
    voxels(DIMS)
        .map(|at| SITES.iter().map(|&site| squared(at, site)).min().unwrap())
        .collect()
}

fn voxels([nx, ny, nz]: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    (0..nx * ny * nz).map(move |i| [i % nx, i / nx % ny, i / nx / ny])
}

#[test]
fn every_format_stores_distances_with_the_input_geometry() {
    let folder = folder();
    let exact: Vec<f32> = squared_distances([1, 2, 3])
        .iter()
        .map(|&squared| (squared as f64).sqrt() as f32)
        .collect();
    let geometry = "--spacing 1,2,3 --origin 10,-20,30";
    for name in ["d.nii", "d.nii.gz", "d.nrrd", "d.mha", "d.npy"] {
        folder
            .run(&format!("distance mask.nii --mask {geometry} -o {name}"))
            .ok();
        assert_eq!(distances(&folder, name), exact, "{name}");
        let volume = read(&folder, name).volume;
        assert_eq!(volume.dims(), DIMS);
        if name != "d.npy" {
            assert_eq!(
                <[f64; 3]>::from(volume.geometry().spacing()),
                [1.0, 2.0, 3.0],
                "{name}"
            );
            assert_eq!(
                <[f64; 3]>::from(volume.geometry().origin()),
                [10.0, -20.0, 30.0],
                "{name}"
            );
        }
    }
}

#[test]
fn json_report_has_all_fields() {
    let folder = folder();
    let run = folder
        .run("distance mask.nii --mask -o d.nii --device cpu --max-distance 4 --slice y=3 --png d.png --json")
        .ok();
    assert_eq!(run.stderr, "");
    let report = run.json();
    let expected = [
        ("input", json!("mask.nii")),
        ("outputs", json!(["d.nii", "d.png"])),
        ("exact", json!(true)),
        ("command", json!("distance")),
        ("warnings", json!([])),
        ("error", json!(null)),
        ("nearest", json!(null)),
        ("picture", json!("d.png")),
        ("dims", json!([9, 7, 5])),
        ("spacing", json!([1.0, 1.0, 1.0])),
        ("sites_from", json!("nonzero")),
        ("sites", json!(3)),
        ("sites_outside", json!(0)),
        ("method", json!("separable")),
        ("signed", json!(false)),
        ("max_distance", json!(4.0)),
        ("dtype", json!("f32")),
        ("min", json!(0.0)),
        ("max", json!(4.0)),
        ("isoline_step", json!(0.5)),
        ("device", json!("cpu")),
    ];
    for (field, value) in expected {
        assert_eq!(report[field], value, "{field}");
    }
    let min_bytes = 4 * DIMS.iter().product::<usize>() as u64;
    assert!(report["peak_device_bytes"].as_u64().unwrap() >= min_bytes);
    assert_eq!(report["devices"][0]["device"], "cpu");
    for phase in ["read", "sites", "map", "download", "draw", "write", "total"] {
        assert!(report["timings"][phase].as_f64().unwrap() >= 0.0, "{phase}");
    }
    let bounded: Vec<f32> = squared_distances([1, 1, 1])
        .iter()
        .map(|&squared| ((squared as f64).sqrt() as f32).min(4.0))
        .collect();
    assert_eq!(distances(&folder, "d.nii"), bounded);
}

#[test]
fn text_report_names_inputs_and_outputs() {
    let folder = folder();
    let run = folder
        .run("distance mask.nii --mask -o d.nii --slice z=3 --png d.png")
        .ok();
    for words in [
        "mask.nii: 3 voxels that are not zero",
        "d.nii: 9 x 7 x 5 voxels of 1 x 1 x 1",
        "distances 0 to ",
        "d.png: z = 3, an isoline every ",
        "separable",
        "MiB of device memory",
    ] {
        assert!(run.stdout.contains(words), "{words}: {}", run.stdout);
    }
}

#[test]
fn squared_distances_are_lossless_integers() {
    let folder = folder();
    let exact = squared_distances([3, 1, 2]);
    let compute = |dtype: &str| {
        folder
            .run(&format!(
                "distance mask.nii --mask --spacing 3,1,2 --dtype {dtype} -o d.nrrd"
            ))
            .ok();
        read(&folder, "d.nrrd")
    };
    match compute("u16").volume {
        AnyVolume::U16(volume) => {
            assert!(
                volume
                    .samples()
                    .iter()
                    .map(|&it| i64::from(it))
                    .eq(exact.iter().copied())
            );
        }
        other => panic!("{}", other.sample_type()),
    }
    let file = compute("u32");
    assert_eq!(file.header.stored_type, StoredType::U32);
    match file.volume {
        AnyVolume::I32(volume) => {
            assert!(volume.samples().iter().map(|&it| i64::from(it)).eq(exact));
        }
        other => panic!("{}", other.sample_type()),
    }
}

#[test]
fn non_integer_or_too_large_squared_distances_are_rejected() {
    let folder = folder();
    folder.refuses(
        "distance mask.nii --mask --spacing 0.5,1,1 --dtype u16 -o d.nii",
        &["mask.nii", "0.5, 1 and 1", "--dtype f32"],
    );
    folder.refuses(
        "distance mask.nii --mask --max-distance 2.3 --dtype u32 -o d.nii",
        &["2.3", "whole number"],
    );
    let largest = squared_distances([100; 3]).into_iter().max().unwrap();
    folder.refuses(
        "distance mask.nii --mask --spacing 100 --dtype u16 -o d.nii",
        &[
            &format!("mask.nii: squared distances are up to {largest}, which does not fit in u16"),
            "--dtype u32",
            "--max-distance up to 255",
        ],
    );
    // They fit if truncated.
    folder
        .run("distance mask.nii --mask --spacing 100 --dtype u16 --max-distance 200 -o d.nii")
        .ok();
}

#[test]
fn signed_distances_of_a_level_are_negative_inside() {
    let folder = folder();
    folder.run("distance ball.nii --level 50 -o plain.npy").ok();
    folder
        .run("distance ball.nii --level 50 --signed -o signed.npy")
        .ok();
    folder
        .run("distance ball.nii --level 50 --signed --inside below -o below.npy")
        .ok();
    let [plain, signed, below] =
        ["plain.npy", "signed.npy", "below.npy"].map(|name| distances(&folder, name));
    for (index, sample) in ball().into_iter().enumerate() {
        let (plain, signed) = (plain[index], signed[index]);
        assert_eq!(plain, signed.abs());
        assert!(signed <= 0.0 || sample < 50.0);
        assert!(signed >= 0.0 || sample >= 50.0);
        // The sites are the voxels next to the sphere of radius 5; their centres are within 0.87 of
        // it.
        let from_middle = (100.0 - sample) / 10.0;
        assert!(
            (signed - (from_middle - 5.0)).abs() < 1.8,
            "{signed} at {from_middle}"
        );
        assert!(below[index] <= 0.0 || sample >= 50.0);
    }
}

#[test]
fn sub_voxel_distances_approximate_the_sphere() {
    let folder = folder();
    let run = folder
        .run("distance ball.nii --level 50 --sub-voxel --signed --method brute-force -o d.npy --json")
        .ok();
    assert_eq!(run.json()["sub_voxel"], true);
    for (signed, sample) in distances(&folder, "d.npy").into_iter().zip(ball()) {
        let from_middle = (100.0 - sample) / 10.0;
        let exact = from_middle - 5.0;
        // The nearest crossing is at most half a voxel diagonal from the nearest point of the
        // sphere; the law of cosines bounds the difference.
        let largest = (exact * exact + 0.75 * from_middle / 5.0).sqrt() + 0.05;
        let range = exact.abs() - 0.05..largest;
        assert!(range.contains(&signed.abs()), "{signed} at {exact}");
        assert!(signed * exact >= 0.0, "{signed} at {exact}");
    }
}

#[test]
fn sub_voxel_default_method_is_exact() {
    let folder = folder();
    let compute = |name: &str, extra_options: &str| {
        let options = "distance ball.nii --level 50 --sub-voxel --signed --spacing 1,2,5";
        let run = folder
            .run(&format!("{options} -o {name} --json {extra_options}"))
            .ok();
        run.json()["method"].as_str().unwrap().to_owned()
    };
    assert_eq!(compute("a.npy", ""), "bucketed");
    assert_eq!(compute("b.npy", "--method brute-force"), "brute-force");
    assert_eq!(distances(&folder, "a.npy"), distances(&folder, "b.npy"));
}

#[test]
fn input_files_are_not_overwritten() {
    let folder = folder();
    folder.file("points.xyz", "1 1 1\n");
    let before = folder.content();
    for (command, name) in [
        ("mask.nii --mask -o mask.nii", "mask.nii"),
        ("mask.nii --mask -o ./mask.nii", "mask.nii"),
        ("mask.nii --mask -o d.nii --nearest mask.nii", "mask.nii"),
        ("mask.nii --mask -o d.nii --nearest d.nii", "d.nii"),
        (
            "points.xyz --points --like ball.nii -o ball.nii",
            "ball.nii",
        ),
    ] {
        folder.refuses(&format!("distance {command}"), &[name, "same file"]);
    }
    assert_eq!(folder.content(), before);
}

#[test]
fn signed_distances_are_negative_in_enclosed_voxels() {
    let folder = Folder::new();
    // A box around the centre voxel.
    let shell = voxels([7, 7, 7]).map(|at| {
        let largest = at.iter().map(|&k| k.abs_diff(3)).max();
        u8::from(largest == Some(2))
    });
    folder.file(
        "box.npy",
        npy("|u1", "(7, 7, 7)", &shell.collect::<Vec<_>>()),
    );
    folder.run("distance box.npy --mask --signed -o d.npy").ok();
    let signed = distances(&folder, "d.npy");
    assert_eq!(signed[3 + 7 * (3 + 7 * 3)], -2.0);
    assert_eq!(signed[3 + 7 * (3 + 7)], 0.0);
    assert_eq!(signed[3 + 7 * 3], 1.0);
}

#[test]
fn nearest_site_indices_are_written() {
    let folder = folder();
    folder
        .run("distance mask.nii --mask --method brute-force -o d.nii --nearest s.nii")
        .ok();
    let AnyVolume::I32(nearest) = read(&folder, "s.nii").volume else {
        panic!("i32");
    };
    let [nx, ny, _] = DIMS;
    for ((at, &site), squared) in voxels(DIMS)
        .zip(nearest.samples())
        .zip(squared_distances([1; 3]))
    {
        let site = site as usize;
        let position = [site % nx, site / nx % ny, site / nx / ny];
        assert!(SITES.contains(&position), "{position:?}");
        let found: usize = (0..3).map(|k| at[k].abs_diff(position[k]).pow(2)).sum();
        assert_eq!(found as i64, squared);
    }
    folder
        .run("distance mask.nii --mask --method brute-force --max-distance 1 -o d.nii --nearest s.nii")
        .ok();
    let AnyVolume::I32(nearest) = read(&folder, "s.nii").volume else {
        panic!("i32");
    };
    assert_eq!(nearest.samples()[4 + 9 * (3 + 7 * 2)], -1, "none within 1");
}

#[test]
fn picture_shows_the_requested_plane() {
    let folder = folder();
    folder
        .run("distance ball.nii --level 50 --spacing 1,2,4 -o d.nii --slice x=8 --png d.png --size 600")
        .ok();
    let picture = fs::read(folder.path("d.png")).unwrap();
    let side = |at: usize| u32::from_be_bytes(picture[at..at + 4].try_into().unwrap());
    // y points right, 32 long; z points up, 64 long.
    assert_eq!((side(16), side(20)), (300, 600));
    folder.refuses(
        "distance ball.nii --level 50 -o e.nii --slice z=16 --png d.png",
        &["--slice z=16", "16 x 16 x 16", "0 to 15"],
    );
}

#[test]
fn compare_reports_the_error_of_each_method() {
    let folder = folder();
    let run = folder
        .run("distance mask.nii --mask --compare pictures --json")
        .ok();
    let report = run.json();
    assert_eq!(
        (&report["exact"], &report["sites"]),
        (&json!("separable"), &json!(3))
    );
    let methods = report["methods"].as_array().unwrap();
    let error = |name: &str| {
        let row = methods.iter().find(|row| row["method"] == name).unwrap();
        assert!(folder.path(row["picture"].as_str().unwrap()).is_file());
        row["max_error"].as_f64().unwrap()
    };
    assert_eq!(error("separable"), 0.0);
    assert_eq!(error("cubes"), 0.0, "all voxels are near the sites");
    // Voxel (8, 0, 4) is 8, 4 and 4 from its nearest site.
    assert!(error("city-block") > 2.0);
    assert!(error("chessboard") > 1.0);
    assert!(error("center-point") < 0.5);
    let run = folder
        .run("distance mask.nii --mask --compare pictures")
        .ok();
    assert!(run.stdout.contains("| `city-block` |"), "{}", run.stdout);
    assert!(!folder.path("d.nii").exists());
}

#[test]
fn brain_map_keeps_the_input_geometry() {
    if cfg!(debug_assertions) {
        eprintln!("skipped: slow without optimisation");
        return;
    }
    let folder = Folder::new();
    let brain = data("mni152_t1_1mm.nii.gz");
    let args = [
        "distance",
        &brain.to_string_lossy(),
        "--level",
        "120",
        "-o",
        "d.nii.gz",
    ]
    .map(str::to_owned);
    Run::finish(&mut folder.command(&args)).ok();
    let (input, map) = (
        read_volume(&brain, &ReadOptions::default()).unwrap().volume,
        read(&folder, "d.nii.gz").volume,
    );
    assert_eq!(input.dims(), map.dims());
    assert_eq!(input.geometry(), map.geometry());
    let summary = map.summary();
    assert_eq!((summary.min, summary.non_finite), (Some(0.0), 0));
}

#[test]
fn input_without_sites_is_rejected() {
    let folder = folder();
    folder.file(
        "none.npy",
        npy("<f4", "(2, 2, 2)", &little_endian(&[0.0; 8])),
    );
    folder.refuses(
        "distance none.npy --mask -o d.npy",
        &["none.npy", "no sites"],
    );
    folder.refuses(
        "distance ball.nii --level 1000 -o d.npy",
        &["ball.nii", "no sites", "level"],
    );
    folder.refuses(
        "distance ball.nii --level 1000 --compare d",
        &["ball.nii", "no sites"],
    );
}

#[test]
fn invalid_options_are_rejected() {
    let folder = folder();
    folder.refuses(
        "distance mask.nii --mask --max-distance 0 -o d.npy",
        &["maximum distance is 0", "greater than 0"],
    );
    folder.refuses(
        "distance ball.nii --level 1e39 -o d.npy",
        &["ball.nii", "the level is 1000000", "finite"],
    );
    folder.refuses(
        "distance mask.nii --mask --method city-block --nearest s.npy -o d.npy",
        &["city-block", "nearest"],
    );
    folder.refuses(
        "distance gone.nii --mask -o d.xyz",
        &["d.xyz", "\"xyz\"", ".mha"],
    );
    folder.refuses(
        "distance gone.nii --mask -o missing/d.npy",
        &["no folder missing"],
    );
    folder.refuses(
        "distance gone.nii --mask -o d.npy --nearest n.txt",
        &["n.txt", ".nrrd"],
    );
    folder.refuses(
        "distance gone.nii --mask -o d.npy --slice z=0 --png d.jpg",
        &["d.jpg", ".png"],
    );
}

#[test]
fn too_small_memory_limit_reports_the_minimum() {
    let folder = folder();
    let limited =
        |bytes: u64| format!("distance mask.nii --mask --method cubes --memory {bytes} -o d.npy");
    let run = folder.run(&limited(100));
    run.refused(&[
        "mask.nii: a memory budget of 100 bytes is too small",
        "are needed",
    ]);
    let before_needed = run.stderr.split(" bytes are needed").next().unwrap();
    let min_bytes = before_needed.rsplit(' ').next().unwrap().parse().unwrap();
    folder.run(&limited(min_bytes)).ok();
    folder.refuses(&limited(min_bytes - 1), &["too small"]);
}
