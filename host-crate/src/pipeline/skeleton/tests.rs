//! From files to files.

use super::*;
use crate::{
    grid::{Geometry, Selection, Volume},
    io::{MeshWriteOptions, VolumeWriteOptions, write_mesh, write_volume},
    mesh::{TriangleMesh, Triangles},
    monitor::CancelFlag,
    pipeline::VolumeSource,
    skeleton::potential_field::Hierarchy,
    voxelize::VoxelizeParams,
};
use std::{path::Path, sync::Mutex};

/// A bar of 40 x 8 x 8, as a mesh of 12 triangles.
fn bar(folder: &Path) -> ObjectSource {
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
fn a_mesh_has_a_skeleton() {
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
        ..SkeletonJob::new(bar(folder.path()), vec![Device::cpu()])
    };
    let told = Mutex::new(Vec::new());
    let hook = |at: crate::monitor::Progress| told.lock().unwrap().push(at.stage);
    let made = run(&job, &Monitor::silent().on_progress(&hook)).unwrap();
    assert!(made.index().unwrap().is_balanced() && made.warnings.is_empty());
    assert_eq!(made.certified(), None);
    assert_eq!(made.dims, [44, 12, 12]);
    let Checks::PotentialField { counts, .. } = &made.labels[0].checks else {
        panic!("{made:?}")
    };
    assert_eq!(counts.object(), 40 * 8 * 8);
    for name in ["bar.swc", "bar.vtp", "bar.npy", "bar.png"] {
        assert!(path(name).exists(), "{name}");
    }
    let stages: Vec<_> = made.timings.stages.iter().map(|it| it.stage).collect();
    assert_eq!(stages, ["read", "object", "skeleton", "draw", "write"]);
    let mut told = told.into_inner().unwrap();
    told.dedup();
    assert_eq!(
        told,
        ["read", "object", "skeleton", "field", "draw", "write"]
    );
}

#[test]
fn a_flag_stops_it_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("bar.swc");
    let job = SkeletonJob {
        outputs: vec![output.clone()],
        ..SkeletonJob::new(bar(folder.path()), vec![Device::cpu()])
    };
    let flag = CancelFlag::new();
    flag.cancel();
    let error = run(&job, &Monitor::silent().cancelled_by(&flag)).unwrap_err();
    assert!(error.is_cancelled(), "{error}");
    assert!(!output.exists());
    let nowhere = SkeletonJob {
        devices: Vec::new(),
        ..job
    };
    let error = run(&nowhere, &Monitor::silent()).unwrap_err();
    let text = error.to_string();
    assert!(text.ends_with("bar.ply: there is no device to make the skeleton"));
}

/// A ring of label 3, a rod of label 5 and a voxel of label -2, with the background between them.
fn labels(folder: &Path) -> ObjectSource {
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
fn labels_have_files_of_their_own_or_one() {
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
        ..SkeletonJob::new(labels(folder.path()), vec![Device::cpu()])
    };
    let made = run(&job, &Monitor::silent()).unwrap();
    let found: Vec<_> = made.labels.iter().map(|it| it.label).collect();
    assert_eq!((found, made.certified()), (vec![-2, 3, 5], Some(true)));
    assert_eq!(made.written.len(), 7);
    for name in ["-2.swc", "3.swc", "5-5.vtp", "all.json", "all.png"] {
        assert!(path(name).exists(), "{name}");
    }
    // the ring's tree lacks a step, and it is said once
    assert_eq!((made.cut_cycles, made.warnings.len()), (1, 1));

    let some = SkeletonJob {
        object: match labels(folder.path()) {
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
    let made = run(&some, &Monitor::silent()).unwrap();
    assert_eq!((made.labels.len(), made.written.len()), (2, 5));
}

/// Two labels, or a label and another output, in one file: refused before anything is made.
#[test]
fn no_file_is_written_twice() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let object = labels(folder.path());
    let said = |outputs: &[&str]| {
        let job = SkeletonJob {
            outputs: outputs.iter().map(|name| path(name)).collect(),
            ..SkeletonJob::new(object.clone(), Vec::new())
        };
        run(&job, &Monitor::silent()).unwrap_err().to_string()
    };
    assert!(said(&["{label}.swc", "5.swc"]).contains("which is written too"));
    assert!(said(&["{label}.nrrd"]).contains("skeletons are written as"));
    assert!(said(&["no/{label}.swc"]).contains("there is no folder"));
    assert!(said(&["{label}/a.swc"]).contains("there is no folder"));
    assert!(said(&["{label}/a.xyz"]).contains("unknown extension"));
    std::fs::write(path("3.swc"), "before").unwrap();
    std::fs::hard_link(path("3.swc"), path("5.swc")).unwrap();
    assert!(said(&["{label}.swc"]).contains("which is written too"));
    assert_eq!(std::fs::read(path("5.swc")).unwrap(), b"before");
    std::fs::hard_link(path("labels.nrrd"), path("-2.vtp")).unwrap();
    assert!(said(&["{label}.vtp"]).contains("which is read"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 4);
}

/// The file of the samples that a header names is read too.
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
            voxels: Selection::NotZero,
        },
    ] {
        let job = SkeletonJob {
            outputs: vec![path("{label}.swc")],
            ..SkeletonJob::new(object, Vec::new())
        };
        let error = run(&job, &Monitor::silent()).unwrap_err().to_string();
        assert!(error.contains("which is read"), "{error}");
    }
    assert_eq!(std::fs::read(path("1.swc")).unwrap(), [1; 27]);
}

#[test]
fn what_a_method_does_not_have_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let job = SkeletonJob::new(labels(folder.path()), vec![Device::cpu()]);
    let said = |job: SkeletonJob| run(&job, &Monitor::silent()).unwrap_err().to_string();
    let core = Method::PotentialField(potential_field::Params::default());
    assert!(
        said(SkeletonJob {
            method: core,
            ..job.clone()
        })
        .contains("choose one label")
    );
    assert!(
        said(SkeletonJob {
            fill: true,
            ..job.clone()
        })
        .contains("cavities")
    );
    let field = Some(folder.path().join("f.npy"));
    assert!(
        said(SkeletonJob {
            field,
            ..job.clone()
        })
        .contains("goes with the method core")
    );
    let object = match job.object {
        ObjectSource::Labels { source, .. } => ObjectSource::Labels {
            source,
            labels: Some(Vec::new()),
        },
        other => other,
    };
    assert!(said(SkeletonJob { object, ..job }).contains("the list of labels is empty"));
}

/// A shell has a cavity, and filled it has none.
#[test]
fn cavities_are_filled_first() {
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
        voxels: Selection::NotZero,
    };
    for fill in [false, true] {
        let job = SkeletonJob {
            fill,
            ..SkeletonJob::new(object.clone(), vec![Device::cpu()])
        };
        let made = run(&job, &Monitor::silent()).unwrap();
        let [component] = made.labels[0].components() else {
            panic!("{made:?}")
        };
        assert_eq!(component.cavities, u64::from(!fill));
    }
}

#[test]
fn a_mesh_has_a_certified_skeleton() {
    let folder = tempfile::tempdir().unwrap();
    let job = SkeletonJob {
        outputs: vec![folder.path().join("bar-{label}.swc")],
        ..SkeletonJob::new(bar(folder.path()), vec![Device::cpu()])
    };
    let made = run(&job, &Monitor::silent()).unwrap();
    assert_eq!((made.certified(), made.index()), (Some(true), None));
    assert!(folder.path().join("bar-1.swc").exists());
    let stages: Vec<_> = made.timings.stages.iter().map(|it| it.stage).collect();
    assert_eq!(stages, ["read", "object", "skeleton", "write"]);
}
