//! Pictures, montages and pages.

use crate::{
    folder::{Folder, solid},
    meshes::{mesh_job, run_mesh},
    refusal::refuse_each,
};
use ferrovox::{
    device::Device,
    grid::Inside,
    monitor::Monitor,
    pipeline::{
        Level, ObjectFilter, SceneContent, VolumeSource,
        label_mesh::LabelSelection,
        render::{self, PictureOptions, RenderJob},
        slices::{self, SlicesJob},
        view::{self, ViewJob},
    },
};

/// Refuses the allocations of a picture of one isosurface.
pub fn surface(folder: &Folder) {
    let volume = folder.volume("doubles.npy", solid);
    let (output, device) = (folder.path("out.png"), Device::cpu());
    let job = RenderJob::with_device(volume, Level::Iso(0.0), output, device);
    let job = job.picture(small_picture());
    refuse_each("render", folder, || {
        render::run(&job, &Monitor::new()).map(|_| ())
    });
}

/// Refuses the allocations of an animation of labels and a mesh that are coloured by values.
pub fn scene(folder: &Folder) {
    let values = folder.volume("values.npy", |x, y, z| (x + y + z) as f32);
    let job = RenderJob {
        contents: contents(folder),
        output: folder.path("out.png"),
        picture: PictureOptions {
            values: Some(values),
            turntable: Some(2),
            ..small_picture()
        },
        device: Device::cpu(),
    };
    refuse_each("scene", folder, || {
        render::run(&job, &Monitor::new()).map(|_| ())
    });
}

/// Refuses the allocations of a montage with labels.
pub fn planes(folder: &Folder) {
    let volume = folder.volume("doubles.npy", solid);
    let job = SlicesJob {
        level: Some(Level::Iso(0.0)),
        overlay: Some(labels(folder)),
        width: 400,
        ..SlicesJob::new(volume, folder.path("out.png"))
    };
    refuse_each("slices", folder, || {
        slices::run(&job, &Monitor::new()).map(|_| ())
    });
}

/// Refuses the allocations of a page.
pub fn page(folder: &Folder) {
    let volume = SceneContent::Volume {
        source: Box::new(folder.volume("doubles.npy", solid)),
        level: Some(Level::Iso(0.0)),
        inside: Inside::Above,
        filter: Box::new(ObjectFilter::default()),
    };
    let mut contents = contents(folder);
    contents.push(volume);
    let job = ViewJob {
        device: Device::cpu(),
        ..ViewJob::new(contents, folder.path("out.html"))
    };
    refuse_each("view", folder, || {
        view::run(&job, &Monitor::new()).map(|_| ())
    });
}

fn small_picture() -> PictureOptions {
    PictureOptions {
        width: 160,
        height: 120,
        ..PictureOptions::default()
    }
}

/// Writes labels and a mesh, and returns them as objects.
fn contents(folder: &Folder) -> Vec<SceneContent> {
    let floats = folder.volume("floats.npy", |x, y, z| solid(x, y, z) as f32);
    let mesh = folder.path("a.ply");
    run_mesh(&mesh_job(floats, &mesh)).unwrap();
    let labels = SceneContent::Labels {
        source: Box::new(labels(folder)),
        labels: LabelSelection::All,
        table: Box::default(),
    };
    vec![labels, SceneContent::Mesh(mesh)]
}

/// Writes labels 1 and 2 in the halves of the solid.
fn labels(folder: &Folder) -> VolumeSource {
    folder.volume("labels.npy", |x, y, z| {
        u8::from(solid(x, y, z) >= 0.0) * if x < 40 { 1 } else { 2 }
    })
}
