//! Tests of `ferrovox distance` in slabs: several devices and memory limits do not change the
//! result.

use crate::{samples::npy, support::Folder};
use serde_json::json;
use std::fs;

/// Volume of slabs of 32, 32, 32 and 4 planes.
const DIMS: [usize; 3] = [21, 17, 100];

/// Creates a bumpy ball as bytes and as 64-bit numbers.
fn folder() -> Folder {
    let folder = Folder::new();
    let [nx, ny, nz] = DIMS;
    let samples: Vec<u8> = (0..nx * ny * nz)
        .map(|i| {
            let at = [i % nx, i / nx % ny, i / (nx * ny)];
            let square = |k: usize| (at[k] as f64 * 2.0 / DIMS[k] as f64 - 1.0).powi(2);
            let bump = (i * 7919 % 13) as f64;
            (160.0 * (1.0 - (square(0) + square(1) + square(2)).sqrt()) + bump).max(0.0) as u8
        })
        .collect();
    let shape = format!("({nz}, {ny}, {nx})");
    folder.file("v.npy", npy("|u1", &shape, &samples));
    let wide: Vec<u8> = samples
        .iter()
        .flat_map(|&sample| (f64::from(sample) + 0.1).to_le_bytes())
        .collect();
    folder.file("wide.npy", npy("<f8", &shape, &wide));
    let none = vec![0_u8; samples.len()];
    folder.file("none.npy", npy("|u1", &shape, &none));
    folder
}

#[test]
fn memory_limits_and_devices_do_not_change_the_files() {
    let folder = folder();
    // the limit in KiB; two maps for the two sides of a mask take more memory
    for (options, kib, variants) in [
        ("v.npy --level 80 --spacing 1,2,3 --signed", 480, 4),
        (
            "v.npy --level 80.5 --inside below --max-distance 6.5",
            480,
            1,
        ),
        ("v.npy --nonzero --signed --spacing 0.7,0.9,1.3", 560, 2),
        (
            "v.npy --nonzero --signed=enclosed --spacing 0.7,0.9,1.3",
            480,
            2,
        ),
        ("wide.npy --level 80 --signed", 480, 2),
        (
            "wide.npy --nonzero --spacing 0.7,0.9,1.3 --origin 1,2,3",
            480,
            1,
        ),
    ] {
        let one_device = format!("--device cpu --memory {kib}K");
        let two_devices = format!("--device cpu,cpu --memory {kib}K");
        let written = |name: &str, execution: &str| {
            let run = folder.run(&format!("distance {options} -o {name} --json {execution}"));
            let report = run.ok().json();
            (fs::read(folder.path(name)).unwrap(), report)
        };
        let names = ["d.nii.gz", "d.nii", "d.nrrd", "d.mha", "d.npy"];
        for name in names {
            let (expected, whole) = written(name, "--device cpu");
            for execution in [
                one_device.as_str(),
                "--device cpu,cpu,cpu",
                two_devices.as_str(),
                "--device cpu --memory 1G",
            ]
            .into_iter()
            .take(if name == names[0] { variants } else { 1 })
            {
                let (found, report) = written(name, execution);
                assert!(found == expected, "{options} {name} {execution}");
                for field in ["sites", "min", "max", "dims", "spacing", "sites_outside"] {
                    assert_eq!(report[field], whole[field], "{execution}: {field}");
                }
                let devices = report["devices"].as_array().unwrap();
                assert_eq!(devices.len(), execution.matches("cpu").count());
                // If the order of summation matters, devices do not share the work of a slab.
                let in_order = options.contains("0.7");
                for (number, device) in devices.iter().enumerate() {
                    let peak = device["peak_bytes"].as_u64().unwrap();
                    assert!(peak > 0 || number > 0 && in_order, "{execution}: {report}");
                    assert!(
                        !execution.ends_with('K') || peak <= kib << 10,
                        "{execution}: {peak}"
                    );
                }
            }
        }
    }
}

#[test]
fn pictures_in_slabs_equal_pictures_in_core() {
    let folder = folder();
    for slice in ["x=5", "y=16", "z=70"] {
        let draw = |name: &str, execution: &str| {
            let options = "distance v.npy --level 80 --spacing 1,2,3 --signed -o d.npy --json";
            let run = folder.run(&format!(
                "{options} --slice {slice} --png {name} {execution}"
            ));
            let report = run.ok().json();
            (
                fs::read(folder.path(name)).unwrap(),
                report["isoline_step"].clone(),
            )
        };
        let (expected, step) = draw("whole.png", "--device cpu");
        let (found, same_step) = draw("slabs.png", "--device cpu,cpu --memory 480K");
        assert!(found == expected, "{slice}");
        assert_eq!(same_step, step);
    }
}

#[test]
fn too_small_memory_limit_reports_the_minimum() {
    let folder = folder();
    for sites in [
        "--nonzero",
        "--nonzero --signed",
        "--level 80",
        "--nonzero --spacing 0.7,0.9,1.3",
    ] {
        let limited = |bytes: u64| format!("distance v.npy {sites} --memory {bytes} -o d.npy");
        folder.file("d.npy", "old");
        let run = folder.run(&limited(100));
        run.refused(&[
            "v.npy: a memory budget of 100 bytes is too small",
            "are needed",
        ]);
        let before_needed = run.stderr.split(" bytes are needed").next().unwrap();
        let min_bytes: u64 = before_needed.rsplit(' ').next().unwrap().parse().unwrap();
        folder.refuses(&limited(min_bytes - 1), &["too small"]);
        assert_eq!(fs::read(folder.path("d.npy")).unwrap(), b"old");
        folder.run(&limited(min_bytes)).ok();
        assert!(fs::read(folder.path("d.npy")).unwrap() != b"old");
    }
}

#[test]
fn options_that_exclude_slabs_are_rejected() {
    let folder = folder();
    folder.file("d.npy", "old");
    for (options, facts) in [
        ("v.npy --nonzero --nearest n.npy", ["--nearest", "--device"]),
        ("v.npy --labels", ["--labels", "slabs"]),
        ("v.npy --nonzero --dtype u32", ["--dtype", "slabs"]),
        ("none.npy --nonzero", ["none.npy", "no sites"]),
        ("v.npy --level 500", ["v.npy", "no sites"]),
        (
            "v.npy --nonzero --method chessboard",
            ["2 devices", "separable"],
        ),
        ("v.npy --level 80 --sub-voxel", ["2 devices", "separable"]),
        (
            "v.npy --nonzero --slice z=100 --png p.png",
            ["z=100", "0 to 99"],
        ),
    ] {
        folder.refuses(
            &format!("distance {options} -o d.npy --device cpu,cpu --memory 10M"),
            &facts,
        );
    }
    folder.refuses(
        "distance v.npy --nonzero --method chessboard --memory 10M -o d.npy",
        &["--memory", "separable"],
    );
    assert_eq!(fs::read(folder.path("d.npy")).unwrap(), b"old");
}

/// Simulates a disk that is full after 2 KiB (or 4, depending on the shell).
#[cfg(unix)]
#[test]
fn interrupted_write_keeps_the_old_file() {
    let folder = folder();
    for name in ["d.nii", "d.nrrd", "d.mha", "d.npy", "d.nii.gz"] {
        folder.file(name, "old");
        let before = folder.content();
        let binary = crate::support::binary();
        let script = format!(
            "ulimit -f 4; {} distance v.npy --nonzero --device cpu,cpu -o {name}",
            binary.display()
        );
        let Some(run) = folder.shell(&script) else {
            return;
        };
        run.refused(&[name, "cannot write", "too large"]);
        assert!(!run.stderr.contains("v.npy"), "{}", run.stderr);
        assert_eq!(folder.content(), before);
    }
}

#[test]
fn report_names_the_phases() {
    let folder = folder();
    let run = folder.run("distance v.npy --nonzero -o d.npy --device cpu,cpu --json");
    let report = run.ok().json();
    assert_eq!(report["device"], json!("cpu, cpu"));
    for phase in ["read", "sites", "map", "write", "total"] {
        assert!(report["timings"][phase].as_f64().unwrap() >= 0.0, "{phase}");
    }
}
