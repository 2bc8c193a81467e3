//! Distance maps: of masks, samples, labels and points, in core and by slabs.

use crate::{
    folder::{Folder, N, solid},
    refusal::refuse_each,
};
use ferrovox::{
    device::Device,
    grid::Inside,
    monitor::Monitor,
    pipeline::{
        Level, PipelineError, VolumeSource,
        distance::{self, DistanceJob, Plane, PlanePicture, PointGrid, SitesFrom},
    },
};
use std::fs;

fn run_distance(job: &DistanceJob) -> Result<(), PipelineError> {
    distance::run(job, &Monitor::new()).map(|_| ())
}

pub fn distances(folder: &Folder) {
    let mask = folder.volume("mask.npy", |x, y, z| u8::from(solid(x, y, z) > 0.0));
    let floats = folder.volume("floats.npy", |x, y, z| solid(x, y, z) as f32);
    let labels = folder.volume("labels.npy", |x, _, z| (x / 40 + z / 30) as i32);
    fs::write(
        folder.path("points.xyz"),
        (0..9000)
            .map(|n| format!("{} {} {}.5\n", n % 79, n / 79 % 79, n % 75))
            .collect::<String>(),
    )
    .unwrap();
    let job = |input: &VolumeSource, sites| DistanceJob {
        output: Some(folder.path("out.npy")),
        devices: vec![Device::cpu()],
        ..DistanceJob::new(input.clone(), sites)
    };
    let level = |sub_voxel| SitesFrom::Level {
        level: Level::Iso(0.0),
        inside: Inside::Above,
        sub_voxel,
    };
    let points = SitesFrom::Points {
        grid: PointGrid::Dims([N; 3]),
        strict: false,
    };
    let points_file = VolumeSource::new(folder.path("points.xyz"));
    let whole = DistanceJob {
        nearest: Some(folder.path("nearest.nrrd")),
        picture: Some(PlanePicture {
            path: folder.path("plane.png"),
            plane: Plane { axis: 2, index: 30 },
            longest_side: 300,
        }),
        ..job(&mask, SitesFrom::Mask)
    };
    refuse_each("distance, whole", folder, || run_distance(&whole));
    let in_core = job(&mask, SitesFrom::Mask);
    let in_core = refuse_each("distance, in core", folder, || run_distance(&in_core));
    assert!(
        in_core.recoveries > 0,
        "a lack of memory in core leads to slabs"
    );
    let slabs = DistanceJob {
        signed: true,
        memory: Some(24 << 20),
        ..job(&floats, level(false))
    };
    refuse_each("distance, by slabs", folder, || run_distance(&slabs));
    let two_devices = DistanceJob {
        devices: vec![Device::cpu(); 2],
        ..job(&mask, SitesFrom::Mask)
    };
    refuse_each("distance, by two devices", folder, || {
        run_distance(&two_devices)
    });
    for job in [
        job(&floats, level(true)),
        job(&labels, SitesFrom::Labels { labels: None }),
        job(&points_file, points),
    ] {
        refuse_each("distance", folder, || run_distance(&job));
    }
}
