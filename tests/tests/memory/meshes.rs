//! Meshes: in core, filtered, of labels, and streamed.

use crate::{
    folder::{Folder, N, solid},
    refusal::refuse_each,
};
use ferrovox::{
    device::Device,
    isosurface::NormalSource,
    mesh_filter::{ComponentFilter, SimplifyTarget, SmoothParams},
    monitor::Monitor,
    pipeline::{
        Level, PipelineError, VolumeSource,
        label_mesh::{self, LabelCheck, LabelMeshJob},
        mesh::{self, MeshCheck, MeshFilters, MeshJob},
    },
};
use std::path::Path;

/// Returns a job that writes a mesh with normals at isovalue 0 on the CPU.
pub fn mesh_job(volume: VolumeSource, output: &Path) -> MeshJob {
    MeshJob::with_devices(volume, Level::Iso(0.0), vec![Device::cpu()])
        .output(output)
        .normals(NormalSource::Gradient)
        .check(MeshCheck::IfWhole)
}

/// Runs a job without progress.
pub fn run_mesh(job: &MeshJob) -> Result<(), PipelineError> {
    mesh::run(job, &Monitor::new()).map(|_| ())
}

pub fn in_core(folder: &Folder) {
    let bytes = folder.volume("bytes.npy", |x, y, z| {
        (solid(x, y, z) * 4.0 + 100.0).clamp(0.0, 255.0) as u8
    });
    let doubles = folder.volume("doubles.nrrd", solid);
    let mask = folder.volume("mask.mha", |x, _, _| f32::from(x > 9));
    let mut byte_job = mesh_job(bytes, &folder.path("out.ply"));
    byte_job.level = Level::Iso(100.0);
    let one = refuse_each("mesh of bytes", folder, || run_mesh(&byte_job));
    assert!(
        one.recoveries > 0,
        "a lack of memory in core leads to streaming"
    );
    let devices = MeshJob {
        devices: vec![Device::cpu(); 2],
        ..byte_job.clone()
    };
    let two = refuse_each("mesh by two devices", folder, || run_mesh(&devices));
    assert!(
        two.recoveries > 0,
        "a lack of memory in core leads to streaming"
    );
    for (number, name) in ["out.obj", "out.stl", "out.vtk", "out.vtp"]
        .into_iter()
        .enumerate()
    {
        let job = MeshJob {
            mask: (number == 0).then(|| mask.clone()),
            check: MeshCheck::No,
            ..mesh_job(doubles.clone(), &folder.path(name))
        };
        refuse_each(name, folder, || run_mesh(&job));
    }
}

pub fn filtered(folder: &Folder) {
    let floats = folder.volume("floats.nrrd", |x, y, z| solid(x, y, z) as f32);
    let job = MeshJob {
        level: Level::Otsu,
        filters: MeshFilters {
            components: ComponentFilter {
                largest: true,
                min_voxels: 8,
                ..ComponentFilter::default()
            },
            smooth: Some(SmoothParams::default()),
            simplify: Some(SimplifyTarget::Fraction(0.9)),
        },
        ..mesh_job(floats, &folder.path("out.ply"))
    };
    refuse_each("mesh with filters", folder, || run_mesh(&job));
}

pub fn label_surfaces(folder: &Folder) {
    let labels = folder.volume("labels.nrrd", |x, y, z| {
        if solid(x, y, z) > 0.0 {
            1000 * (1 + i32::from(x > N / 2) + 2 * i32::from(z > N / 2))
        } else {
            0
        }
    });
    for (name, memory) in [
        ("out.vtp", None),
        ("out-{label}.ply", None),
        ("slabs.vtp", Some(1 << 30)),
    ] {
        let job = LabelMeshJob {
            devices: vec![Device::cpu()],
            memory,
            simplify: Some(SimplifyTarget::Fraction(0.5)),
            components: ComponentFilter {
                largest: true,
                min_voxels: 2,
                ..ComponentFilter::default()
            },
            normals: true,
            check: LabelCheck::Yes,
            ..LabelMeshJob::new(labels.clone()).output(folder.path(name))
        };
        refuse_each(&format!("labels to {name}"), folder, || {
            label_mesh::run(&job, &Monitor::new()).map(|_| ())
        });
    }
}

pub fn streamed(folder: &Folder) {
    let floats = folder.volume("floats.nrrd", |x, y, z| solid(x, y, z) as f32);
    let doubles = folder.volume("doubles.nii.gz", solid);
    let mask = folder.volume("mask.npy", |x, _, _| u8::from(x > 9));
    for (volume, devices) in [(floats, 1), (doubles, 2)] {
        let job = MeshJob {
            mask: Some(mask.clone()),
            memory: Some(8 << 20),
            devices: vec![Device::cpu(); devices],
            ..mesh_job(volume, &folder.path("out.ply"))
        };
        refuse_each("streamed mesh", folder, || run_mesh(&job));
    }
}
