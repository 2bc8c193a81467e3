//! Meshes from file to file: smoothed, simplified, with automatic isovalues.

use ferrovox::{
    device::Device,
    grid::{Geometry, Volume, otsu_threshold},
    io::{VolumeWriteOptions, read_mesh, write_volume},
    isosurface::NormalSource,
    mesh,
    mesh_filter::{SimplifyTarget, SmoothParams, recompute_normals},
    monitor::Monitor,
    pipeline::{
        Level, PipelineError, VolumeSource,
        mesh::{self as pipeline, MeshCheck, MeshFilters, MeshJob, MeshOutcome},
    },
};
use ferrovox_tests::{devices, noise::Noise};
use std::path::Path;
use tempfile::TempDir;

/// Returns two balls in noise, dark and bright.
fn volume() -> Volume<f32> {
    let mut noise = Noise(3);
    Volume::from_fn([30, 28, 26], Geometry::default(), |x, y, z| {
        let ball = |cx: f64, r: f64| {
            let away =
                (x as f64 - cx).powi(2) + (y as f64 - 13.0).powi(2) + (z as f64 - 12.0).powi(2);
            (r - away.sqrt()).clamp(-1.0, 1.0)
        };
        (100.0 + 40.0 * ball(9.0, 6.0).max(ball(21.0, 5.0))) as f32 + 12.0 * noise.signed()
    })
    .unwrap()
}

fn folder_with_volume() -> (TempDir, Volume<f32>) {
    let folder = tempfile::tempdir().unwrap();
    let volume = volume();
    let bytes = Volume::from_fn(volume.dims(), Geometry::default(), |x, y, z| {
        volume.samples()[x + 30 * (y + 28 * z)] as u8
    });
    let mask = Volume::from_fn(volume.dims(), Geometry::default(), |x, _, _| {
        u8::from(x < 15) * 3
    });
    for (name, volume) in [
        ("f32.nrrd", volume.clone().into()),
        ("u8.nrrd", bytes.unwrap().into()),
        ("mask.nrrd", mask.unwrap().into()),
    ] {
        write_volume(
            folder.path().join(name),
            &volume,
            &VolumeWriteOptions::default(),
        )
        .unwrap();
    }
    (folder, volume)
}

fn job(folder: &Path, name: &str, devices: &[Device], filters: MeshFilters) -> MeshJob {
    let volume = VolumeSource::new(folder.join(name));
    MeshJob::with_devices(volume, Level::Otsu, devices.to_vec())
        .output(folder.join("out.ply"))
        .normals(NormalSource::Gradient)
        .filters(filters)
        .check(MeshCheck::Required)
}

fn run(job: &MeshJob) -> Result<MeshOutcome, PipelineError> {
    pipeline::run(job, &Monitor::new())
}

#[test]
fn file_is_the_same_on_all_devices() {
    let (folder, _) = folder_with_volume();
    let all = [
        (None, None),
        (Some(SmoothParams::default()), None),
        (None, Some(SimplifyTarget::Fraction(0.3))),
        (
            Some(SmoothParams::default()),
            Some(SimplifyTarget::Error(0.3)),
        ),
    ];
    for (smooth, simplify) in all {
        let filters = MeshFilters {
            smooth,
            simplify,
            ..MeshFilters::default()
        };
        let mut first = None;
        let mut lists: Vec<Vec<Device>> = devices::all()
            .into_iter()
            .map(|it| vec![it.device])
            .collect();
        lists.push(vec![Device::cpu(); 3]);
        for list in lists {
            let job = job(folder.path(), "f32.nrrd", &list, filters);
            let outcome = run(&job).unwrap();
            let file = std::fs::read(job.output.as_ref().unwrap()).unwrap();
            assert!(
                *first.get_or_insert_with(|| file.clone()) == file,
                "{filters:?}, {list:?}"
            );
            let written = read_mesh(job.output.as_ref().unwrap()).unwrap();
            assert_eq!(outcome.triangles as usize, written.triangles.len());
            assert_eq!(outcome.vertices as usize, written.vertices.len());
            assert_eq!(outcome.simplified.is_some(), simplify.is_some());
            if filters.recompute_normals() {
                let mut renewed = written.clone();
                recompute_normals(&Device::cpu().stream().unwrap(), &mut renewed).unwrap();
                assert_eq!(renewed.normals, written.normals);
            }
            if let (Some(report), Some(SimplifyTarget::Fraction(_))) =
                (outcome.simplified, simplify)
            {
                assert!(report.triangles as f64 <= 0.31 * report.triangles_before as f64);
            }
            let report = outcome.checked.unwrap().report;
            assert!(report.is_manifold() && report.is_oriented());
            assert_eq!(
                report.euler_characteristic(),
                mesh::check(&written).euler_characteristic()
            );
        }
    }
}

#[test]
fn otsu_level_is_the_same_in_parts() {
    let (folder, volume) = folder_with_volume();
    let whole = otsu_threshold(volume.samples(), None).unwrap();
    assert!((80.0..120.0).contains(&whole), "{whole}");
    for (name, memory) in [("f32.nrrd", 150 << 10), ("u8.nrrd", 64 << 10)] {
        for mask in [
            None,
            Some(VolumeSource::new(folder.path().join("mask.nrrd"))),
        ] {
            let mut found = Vec::new();
            for memory in [None, Some(memory)] {
                let job = MeshJob {
                    mask: mask.clone(),
                    memory,
                    check: MeshCheck::No,
                    ..job(
                        folder.path(),
                        name,
                        &[Device::cpu()],
                        MeshFilters::default(),
                    )
                };
                let outcome = run(&job).unwrap();
                assert_eq!(outcome.slabs > 1, memory.is_some());
                let file = std::fs::read(job.output.as_ref().unwrap()).unwrap();
                found.push((outcome.iso, file));
            }
            assert!(
                found[0] == found[1],
                "{name}, {mask:?}: {} {}",
                found[0].0,
                found[1].0
            );
            if name == "f32.nrrd" && mask.is_none() {
                assert_eq!(found[0].0, whole);
            }
        }
    }
}

#[test]
fn filters_that_need_the_whole_mesh_are_rejected_in_parts() {
    let (folder, _) = folder_with_volume();
    for (smooth, simplify, name) in [
        (Some(SmoothParams::default()), None, "smoothing"),
        (None, Some(SimplifyTarget::Fraction(0.5)), "simplification"),
    ] {
        let job = MeshJob {
            memory: Some(40 << 10),
            check: MeshCheck::No,
            ..job(
                folder.path(),
                "u8.nrrd",
                &[Device::cpu()],
                MeshFilters {
                    smooth,
                    simplify,
                    ..MeshFilters::default()
                },
            )
        };
        let message = run(&job).unwrap_err().to_string();
        assert!(
            message.contains(&format!("{name} needs the whole mesh")),
            "{message}"
        );
        assert!(!job.output.unwrap().exists());
    }
    let nonsense = MeshFilters {
        smooth: Some(SmoothParams {
            iterations: 0,
            pass_band: 0.1,
        }),
        ..MeshFilters::default()
    };
    let message = run(&job(folder.path(), "u8.nrrd", &[Device::cpu()], nonsense)).unwrap_err();
    assert!(
        message.to_string().contains("0 smoothing iterations"),
        "{message}"
    );
}

#[test]
fn otsu_rejects_constant_volumes() {
    let (folder, _) = folder_with_volume();
    let flat = Volume::from_fn([5; 3], Geometry::default(), |_, _, _| 7u8).unwrap();
    let path = folder.path().join("flat.nrrd");
    write_volume(&path, &flat.into(), &VolumeWriteOptions::default()).unwrap();
    let job = job(
        folder.path(),
        "flat.nrrd",
        &[Device::cpu()],
        MeshFilters::default(),
    );
    let message = run(&job).unwrap_err().to_string();
    assert!(message.contains("all samples are 7"), "{message}");
}
