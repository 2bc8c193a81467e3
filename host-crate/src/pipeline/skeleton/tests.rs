//! Skeleton jobs from input files to output files.

use super::*;
use crate::{
    grid::{Geometry, Inside, Volume},
    io::{MeshWriteOptions, VolumeWriteOptions, write_mesh, write_volume},
    mesh::{TriangleMesh, Triangles},
    monitor::CancelFlag,
    pipeline::{Level, ObjectFilter, VolumeSource},
    skeleton::potential_field::Hierarchy,
    voxelize::VoxelizeParams,
};
use std::{path::Path, sync::Mutex};

/// Writes a bar of 40 x 8 x 8, as a mesh of 12 triangles.
fn write_bar(folder: &Path) -> ObjectSource {
    let corner = |k: u8| [0, 1, 2].map(|axis| f32::from(k >> axis & 1));
    let sides = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    let triangles = sides
        .iter()
        .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]);
    let mesh = TriangleMesh {
        origin: [0.0; 3],
        vertices: (0..8)
            .map(corner)
            .map(|[x, y, z]| [40.0 * x, 8.0 * y, 8.0 * z])
            .collect(),
        normals: None,
        triangles: Triangles::U32(triangles.collect()),
    };
    let path = folder.join("bar.ply");
    write_mesh(&path, &mesh, &MeshWriteOptions::default()).unwrap();
    ObjectSource::Mesh {
        path,
        grid: VoxelizeParams::with_voxel_size(1.0),
    }
}

#[test]
fn potential_field_job_writes_skeleton_field_and_picture() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let job = SkeletonJob {
        method: Method::PotentialField(potential_field::Params {
            hierarchy: Hierarchy::Core,
            ..potential_field::Params::default()
        }),
        outputs: vec![path("bar.swc"), path("bar.vtp")],
        field: Some(path("bar.npy")),
        picture: Some(PictureJob {
            width: 40,
            height: 30,
            ..PictureJob::new(path("bar.png"))
        }),
        ..SkeletonJob::new(write_bar(folder.path()), vec![Device::cpu()])
    };
    let reported = Mutex::new(Vec::new());
    let hook = |at: crate::monitor::Progress| reported.lock().unwrap().push(at.stage);
    let outcome = run(&job, &Monitor::new().on_progress(&hook)).unwrap();
    assert!(outcome.total_certificate().unwrap().is_balanced() && outcome.warnings.is_empty());
    assert_eq!(outcome.is_certified(), None);
    assert_eq!(outcome.dims, [44, 12, 12]);
    let Checks::PotentialField { counts, .. } = &outcome.labels[0].checks else {
        panic!("{outcome:?}")
    };
    assert_eq!(counts.object(), 40 * 8 * 8);
    for name in ["bar.swc", "bar.vtp", "bar.npy", "bar.png"] {
        assert!(path(name).exists(), "{name}");
    }
    let stages: Vec<_> = outcome
        .timings
        .stages
        .iter()
        .map(|stage| stage.stage)
        .collect();
    assert_eq!(stages, ["read", "object", "skeleton", "draw", "write"]);
    let mut reported = reported.into_inner().unwrap();
    reported.dedup();
    assert_eq!(
        reported,
        ["read", "object", "skeleton", "field", "draw", "write"]
    );
}

#[test]
fn cancelled_jobs_write_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("bar.swc");
    let job = SkeletonJob {
        outputs: vec![output.clone()],
        ..SkeletonJob::new(write_bar(folder.path()), vec![Device::cpu()])
    };
    let flag = CancelFlag::new();
    flag.cancel();
    let error = run(&job, &Monitor::new().cancelled_by(&flag)).unwrap_err();
    assert!(error.is_cancelled(), "{error}");
    assert!(!output.exists());
    let without_devices = SkeletonJob {
        devices: Vec::new(),
        ..job
    };
    let error = run(&without_devices, &Monitor::new()).unwrap_err();
    let text = error.to_string();
    assert!(text.ends_with("bar.ply: no devices given; pass at least one"));
}

/// Writes a volume with a ring of label 3, a rod of label 5 and a voxel of label -2.
fn write_labels(folder: &Path) -> ObjectSource {
    let volume = Volume::from_fn([30, 10, 3], Geometry::default(), |x, y, z| {
        match (x, y, z) {
            (2..=8, 2, 1) | (2..=8, 8, 1) | (2, 2..=8, 1) | (8, 2..=8, 1) => 3i16,
            (12..=27, 5, 1) => 5,
            (29, 0, 0) => -2,
            _ => 0,
        }
    });
    let path = folder.join("labels.nrrd");
    let options = VolumeWriteOptions::default();
    write_volume(&path, &volume.unwrap().into(), &options).unwrap();
    ObjectSource::Labels {
        source: VolumeSource::new(path).into(),
        labels: None,
    }
}

#[test]
fn labels_are_written_to_one_file_each_or_to_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let job = SkeletonJob {
        outputs: ["{label}.swc", "all.json", "{label}-{label}.vtp"]
            .map(path)
            .into(),
        picture: Some(PictureJob {
            width: 40,
            height: 30,
            ..PictureJob::new(path("all.png"))
        }),
        ..SkeletonJob::new(write_labels(folder.path()), vec![Device::cpu()])
    };
    let outcome = run(&job, &Monitor::new()).unwrap();
    let found: Vec<_> = outcome.labels.iter().map(|label| label.label).collect();
    assert_eq!(
        (found, outcome.is_certified()),
        (vec![-2, 3, 5], Some(true))
    );
    assert_eq!(outcome.written.len(), 7);
    for name in ["-2.swc", "3.swc", "5-5.vtp", "all.json", "all.png"] {
        assert!(path(name).exists(), "{name}");
    }
    // one cycle of the ring is cut in the SWC files, with a single warning
    assert_eq!((outcome.cut_cycles, outcome.warnings.len()), (1, 1));

    let selected = SkeletonJob {
        object: match write_labels(folder.path()) {
            ObjectSource::Labels { source, .. } => ObjectSource::Labels {
                source,
                labels: Some(vec![5, 3, 5]),
            },
            other => other,
        },
        picture: None,
        devices: Vec::new(),
        ..job.clone()
    };
    let outcome = run(&selected, &Monitor::new()).unwrap();
    assert_eq!((outcome.labels.len(), outcome.written.len()), (2, 5));
}

/// Two outputs with the same file are rejected before anything is written.
#[test]
fn no_file_is_written_twice() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let object = write_labels(folder.path());
    let error_text = |outputs: &[&str]| {
        let job = SkeletonJob {
            outputs: outputs.iter().map(|name| path(name)).collect(),
            ..SkeletonJob::new(object.clone(), Vec::new())
        };
        run(&job, &Monitor::new()).unwrap_err().to_string()
    };
    assert!(error_text(&["{label}.swc", "5.swc"]).contains("which is written too"));
    assert!(error_text(&["{label}.nrrd"]).contains("skeletons are written as"));
    assert!(error_text(&["no/{label}.swc"]).contains("there is no folder"));
    assert!(error_text(&["{label}/a.swc"]).contains("there is no folder"));
    assert!(error_text(&["{label}/a.xyz"]).contains("unknown extension"));
    std::fs::write(path("3.swc"), "before").unwrap();
    std::fs::hard_link(path("3.swc"), path("5.swc")).unwrap();
    assert!(error_text(&["{label}.swc"]).contains("which is written too"));
    assert_eq!(std::fs::read(path("5.swc")).unwrap(), b"before");
    std::fs::hard_link(path("labels.nrrd"), path("-2.vtp")).unwrap();
    assert!(error_text(&["{label}.vtp"]).contains("which is read"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 4);
}

/// The data file that a detached header names is an input too.
#[test]
fn detached_samples_are_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("1.swc"), [1u8; 27]).unwrap();
    let header =
        "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 3 3 3\nencoding: raw\ndata file: 1.swc\n";
    std::fs::write(path("a.nhdr"), header).unwrap();
    let source = Box::new(VolumeSource::new(path("a.nhdr")));
    for object in [
        ObjectSource::Labels {
            source: source.clone(),
            labels: None,
        },
        ObjectSource::Volume {
            source: source.clone(),
            level: Level::NonZero,
            inside: Inside::Above,
        },
    ] {
        let job = SkeletonJob {
            outputs: vec![path("{label}.swc")],
            ..SkeletonJob::new(object, Vec::new())
        };
        let error = run(&job, &Monitor::new()).unwrap_err().to_string();
        assert!(error.contains("which is read"), "{error}");
    }
    assert_eq!(std::fs::read(path("1.swc")).unwrap(), [1; 27]);
}

#[test]
fn options_of_the_other_method_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let job = SkeletonJob::new(write_labels(folder.path()), vec![Device::cpu()]);
    let error_text = |job: SkeletonJob| run(&job, &Monitor::new()).unwrap_err().to_string();
    let potential_field = Method::PotentialField(potential_field::Params::default());
    assert!(
        error_text(SkeletonJob {
            method: potential_field,
            ..job.clone()
        })
        .contains("select one label")
    );
    assert!(
        error_text(SkeletonJob {
            filter: ObjectFilter {
                fill_cavities: true,
                ..ObjectFilter::default()
            },
            ..job.clone()
        })
        .contains("cavities")
    );
    let field = Some(folder.path().join("f.npy"));
    assert!(
        error_text(SkeletonJob {
            field,
            ..job.clone()
        })
        .contains("select the potential-field method")
    );
    let object = match job.object {
        ObjectSource::Labels { source, .. } => ObjectSource::Labels {
            source,
            labels: Some(Vec::new()),
        },
        other => other,
    };
    assert!(error_text(SkeletonJob { object, ..job }).contains("the list of labels is empty"));
}

/// A spherical shell has one cavity, or none after filling.
#[test]
fn cavities_are_filled_before_the_extraction() {
    let folder = tempfile::tempdir().unwrap();
    let is_in = |x: usize, y: usize, z: usize| {
        let square = [x, y, z]
            .map(|k| (k as f64 - 9.0).powi(2))
            .iter()
            .sum::<f64>();
        (25.0..=64.0).contains(&square)
    };
    let volume = Volume::from_fn([19; 3], Geometry::default(), |x, y, z| {
        u8::from(is_in(x, y, z))
    });
    let path = folder.path().join("shell.nrrd");
    write_volume(
        &path,
        &volume.unwrap().into(),
        &VolumeWriteOptions::default(),
    )
    .unwrap();
    let object = ObjectSource::Volume {
        source: VolumeSource::new(&path).into(),
        level: Level::NonZero,
        inside: Inside::Above,
    };
    for fill_cavities in [false, true] {
        let job = SkeletonJob {
            filter: ObjectFilter {
                fill_cavities,
                ..ObjectFilter::default()
            },
            ..SkeletonJob::new(object.clone(), vec![Device::cpu()])
        };
        let outcome = run(&job, &Monitor::new()).unwrap();
        let [component] = outcome.labels[0].components() else {
            panic!("{outcome:?}")
        };
        assert_eq!(component.cavities, u64::from(!fill_cavities));
    }
}

#[test]
fn medial_skeleton_of_a_mesh_is_certified() {
    let folder = tempfile::tempdir().unwrap();
    let job = SkeletonJob {
        outputs: vec![folder.path().join("bar-{label}.swc")],
        ..SkeletonJob::new(write_bar(folder.path()), vec![Device::cpu()])
    };
    let outcome = run(&job, &Monitor::new()).unwrap();
    assert_eq!(
        (outcome.is_certified(), outcome.total_certificate()),
        (Some(true), None)
    );
    assert!(folder.path().join("bar-1.swc").exists());
    let stages: Vec<_> = outcome
        .timings
        .stages
        .iter()
        .map(|stage| stage.stage)
        .collect();
    assert_eq!(stages, ["read", "object", "skeleton", "write"]);
}
