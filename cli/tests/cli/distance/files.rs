//! Files and reports of `ferrovox distance`.

use super::{DIMS, SITES, distances, folder, read, squared_distances, voxels};
use crate::support::{Folder, Run, data};
use ferrovox::{
    grid::AnyVolume,
    io::{ReadOptions, StoredType, read_volume},
};
use serde_json::json;

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
            .run(&format!("distance mask.nii --nonzero {geometry} -o {name}"))
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
        .run("distance mask.nii --nonzero -o d.nii --device cpu --max-distance 4 --slice y=3 --png d.png --json")
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
        .run("distance mask.nii --nonzero -o d.nii --slice z=3 --png d.png")
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
                "distance mask.nii --nonzero --spacing 3,1,2 --dtype {dtype} -o d.nrrd"
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
fn nearest_site_indices_are_written() {
    let folder = folder();
    folder
        .run("distance mask.nii --nonzero --method brute-force -o d.nii --nearest s.nii")
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
        .run("distance mask.nii --nonzero --method brute-force --max-distance 1 -o d.nii --nearest s.nii")
        .ok();
    let AnyVolume::I32(nearest) = read(&folder, "s.nii").volume else {
        panic!("i32");
    };
    assert_eq!(nearest.samples()[4 + 9 * (3 + 7 * 2)], -1, "none within 1");
}

#[test]
fn brain_map_keeps_the_input_geometry() {
    if cfg!(debug_assertions) {
        test_cases::report_skip(format_args!("slow without optimisation"));
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
fn axes_of_any_length_are_supported() {
    let folder = Folder::new();
    let dims = [4, 20_000, 4];
    let site = [1, 19_990, 2];
    let mut mask = vec![0_u8; dims.iter().product()];
    mask[site[0] + dims[0] * (site[1] + dims[1] * site[2])] = 1;
    folder.file("mask.raw", mask);
    let exact: Vec<f32> = voxels(dims)
        .map(|at| {
            let squared: usize = (0..3).map(|k| at[k].abs_diff(site[k]).pow(2)).sum();
            (squared as f64).sqrt() as f32
        })
        .collect();
    for options in ["", "--memory 8M", "--method bucketed", "--nearest n.npy"] {
        let input = "mask.raw --dims 4x20000x4 --type u8 --nonzero --device cpu";
        folder
            .run(&format!("distance {input} {options} -o d.npy"))
            .ok();
        assert_eq!(distances(&folder, "d.npy"), exact, "{options}");
    }
}
