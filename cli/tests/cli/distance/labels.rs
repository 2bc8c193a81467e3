//! Tests of `ferrovox distance --labels`, and of squared distances beyond the precision of f32.

use super::{distances, read};
use crate::{
    samples::{little_endian, nifti, nifti_of_type, npy},
    support::Folder,
};
use ferrovox::{grid::AnyVolume, io::StoredType};
use serde_json::json;

const DIMS: [usize; 3] = [7, 5, 4];

fn labels() -> Vec<u8> {
    let at = |i: usize| [i % DIMS[0], i / DIMS[0] % DIMS[1], i / (DIMS[0] * DIMS[1])];
    let label = |[x, y, z]: [usize; 3]| match (x > 3, y == 2 && z == 1) {
        (true, _) => 200,
        (false, true) => 7,
        _ => 0,
    };
    (0..DIMS.iter().product()).map(|i| label(at(i))).collect()
}

/// Returns squared distances to the nearest voxel with another label, for integer spacing.
fn squared_distances(labels: &[u8], spacing: [i64; 3]) -> Vec<i64> {
    let at = |i: usize| [i % DIMS[0], i / DIMS[0] % DIMS[1], i / (DIMS[0] * DIMS[1])];
    let squared = |a: usize, b: usize| -> i64 {
        let (a, b) = (at(a), at(b));
        (0..3)
            .map(|k| ((a[k] as i64 - b[k] as i64) * spacing[k]).pow(2))
            .sum()
    };
    let nearest = |i: usize| {
        let others = (0..labels.len()).filter(|&j| labels[j] != labels[i]);
        others.map(|j| squared(i, j)).min().unwrap()
    };
    (0..labels.len()).map(nearest).collect()
}

fn folder() -> Folder {
    let folder = Folder::new();
    let dims = DIMS.map(|n| n as u16);
    let bytes = labels();
    let wide: Vec<u8> = bytes
        .iter()
        .flat_map(|&value| (i32::from(value) * 70).to_le_bytes())
        .collect();
    let floats: Vec<f32> = bytes.iter().map(|&value| f32::from(value) - 3.0).collect();
    folder.file("u8.nii", nifti_of_type(&bytes, dims, 2, 8));
    folder.file("i32.nii", nifti_of_type(&wide, dims, 8, 32));
    folder.file("f32.nii", nifti(&floats, dims));
    folder
}

#[test]
fn label_maps_of_every_integer_type() {
    let folder = folder();
    let exact = squared_distances(&labels(), [1, 2, 1]);
    let roots: Vec<f32> = exact
        .iter()
        .map(|&value| (value as f64).sqrt() as f32)
        .collect();
    for name in ["u8.nii", "i32.nii", "f32.nii"] {
        let run = folder
            .run(&format!(
                "distance {name} --labels --spacing 1,2,1 -o d.nii --json"
            ))
            .ok();
        assert_eq!(distances(&folder, "d.nii"), roots, "{name}");
        let report = run.json();
        let edges = exact.iter().filter(|&&value| value == 1).count();
        let next_along_y = exact.iter().filter(|&&value| value == 4).count();
        assert_eq!(report["sites_from"], "labels");
        assert_eq!(report["method"], "separable");
        let sites = report["sites"].as_u64().unwrap() as usize;
        assert!((edges..=edges + next_along_y).contains(&sites));
    }
    folder
        .run("distance u8.nii --labels --max-distance 2 -o d.nii")
        .ok();
    let bounded = squared_distances(&labels(), [1; 3]);
    let bounded: Vec<f32> = bounded
        .iter()
        .map(|&value| (value as f64).sqrt().min(2.0) as f32)
        .collect();
    assert_eq!(distances(&folder, "d.nii"), bounded);
    let run = folder
        .run("distance u8.nii --labels -o d.nii --slice z=1 --png d.png")
        .ok();
    assert!(
        run.stdout.contains(" voxels next to another label"),
        "{}",
        run.stdout
    );
}

#[test]
fn squared_label_distances_are_exact() {
    let folder = folder();
    for (spacing, steps) in [
        ("1", [1; 3]),
        ("2,4,2", [2, 4, 2]),
        ("67,66,67", [67, 66, 67]),
    ] {
        let exact = squared_distances(&labels(), steps);
        folder
            .run(&format!(
                "distance u8.nii --labels --spacing {spacing} --dtype u16 -o d.nrrd"
            ))
            .ok();
        let AnyVolume::U16(found) = read(&folder, "d.nrrd").volume else {
            panic!("u16");
        };
        assert!(
            found
                .samples()
                .iter()
                .map(|&value| i64::from(value))
                .eq(exact.iter().copied())
        );
    }
    // A maximum distance that is not a multiple of the unit.
    folder
        .run("distance u8.nii --labels --spacing 2 --max-distance 3 --dtype u32 -o d.nrrd")
        .ok();
    let AnyVolume::I32(found) = read(&folder, "d.nrrd").volume else {
        panic!("i32");
    };
    let exact = squared_distances(&labels(), [2; 3])
        .into_iter()
        .map(|value| value.min(9));
    assert!(
        found
            .samples()
            .iter()
            .map(|&value| i64::from(value))
            .eq(exact)
    );
}

#[test]
fn labels_beyond_f32_precision_stay_distinct() {
    let folder = Folder::new();
    let large = [16_777_217i32, 16_777_216, 16_777_216];
    let large: Vec<u8> = large.iter().flat_map(|value| value.to_le_bytes()).collect();
    folder.file("large.npy", npy("<i4", "(1, 1, 3)", &large));
    folder.run("distance large.npy --labels -o d.npy").ok();
    let AnyVolume::F32(found) = read(&folder, "d.npy").volume else {
        panic!("f32");
    };
    assert_eq!(found.samples(), [1.0, 1.0, 2.0]);
}

#[test]
fn unsupported_label_options_are_rejected() {
    let folder = folder();
    folder.file("one.npy", npy("|i1", "(2, 3, 4)", &[(-3i8) as u8; 24]));
    folder.refuses(
        "distance one.npy --labels -o d.npy",
        &["one.npy", "all voxels have label -3"],
    );
    folder.refuses(
        "distance one.npy --labels --dtype u32 -o d.npy",
        &["one.npy", "all voxels have label -3"],
    );
    let mut halves = [1.0; 24];
    halves[13] = 2.5;
    folder.file("half.npy", npy("<f4", "(2, 3, 4)", &little_endian(&halves)));
    folder.refuses(
        "distance half.npy --labels -o d.npy",
        &["half.npy: voxel (1, 0, 1) is 2.5", "labels are integers"],
    );
    halves[13] = f32::NAN;
    folder.file("nan.npy", npy("<f4", "(2, 3, 4)", &little_endian(&halves)));
    folder.refuses(
        "distance nan.npy --labels -o d.npy",
        &["nan.npy: voxel (1, 0, 1) is NaN", "labels are integers"],
    );
    for method in [
        "cubes",
        "brute-force",
        "city-block",
        "chessboard",
        "center-point",
    ] {
        for dtype in ["f32", "u32"] {
            folder.refuses(
                &format!("distance u8.nii --labels --method {method} --dtype {dtype} -o d.npy"),
                &["u8.nii", method, "labels", "separable"],
            );
        }
    }
    folder.refuses(
        "distance u8.nii --labels --max-distance 0 -o d.npy",
        &["maximum distance is 0", "greater than 0"],
    );
    let nearest = folder.run("distance u8.nii --labels --nearest n.npy -o d.npy");
    assert_eq!(nearest.status, Some(2));
    assert!(
        nearest
            .stderr
            .contains("--nearest is not available with --labels")
    );
}

/// Beyond 2^24, f32 does not represent every integer.
#[test]
fn large_squared_distances_are_lossless() {
    let folder = Folder::new();
    let n = 6000;
    let mut mask = vec![0; n * 2];
    mask[1] = 9;
    folder.file("mask.npy", npy("|u1", "(6000, 1, 2)", &mask));
    let expected: Vec<i64> = (0..2 * n as i64)
        .map(|i| (i / 2).pow(2) + i64::from(i % 2 == 0))
        .collect();
    let commands = [
        "--nonzero --dtype u32 -o d.nrrd",
        "--labels --dtype u32 -o d.nrrd",
        "--nonzero --dtype u32 -o d.nrrd --nearest n.nrrd",
    ];
    for command in commands {
        folder.run(&format!("distance mask.npy {command}")).ok();
        let file = read(&folder, "d.nrrd");
        assert_eq!(file.header.stored_type, StoredType::U32);
        let AnyVolume::I32(found) = file.volume else {
            panic!("i32");
        };
        let differ = found.samples().iter().zip(&expected).enumerate();
        for (voxel, (&found, &squared)) in differ {
            // The site is next to voxel 0 and has another label.
            let is_other_label = command.contains("labels") && voxel == 1;
            assert_eq!(
                i64::from(found),
                if is_other_label { 1 } else { squared },
                "{command} {voxel}"
            );
        }
    }
    folder.refuses(
        "distance mask.npy --nonzero --dtype u16 -o e.nrrd",
        &[
            "mask.npy: squared distances are up to 35988002, which does not fit in u16",
            "--dtype u32",
            "--max-distance up to 255",
        ],
    );
    folder
        .run("distance mask.npy --nonzero --dtype u16 --max-distance 255 -o e.nrrd")
        .ok();
    folder.refuses(
        "distance mask.npy --nonzero --dtype u32 --spacing 100 -o f.nrrd",
        &[
            "up to 359880020000",
            "u32 (up to 2147483647)",
            "--dtype f32",
            "up to 46340",
        ],
    );
    let run = folder
        .run("distance mask.npy --nonzero --dtype u32 -o d.nrrd --json")
        .ok();
    assert_eq!(run.json()["max"], json!((35_988_002f64.sqrt() as f32)));
}
