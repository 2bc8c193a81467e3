//! Skeletons by both methods.

use crate::{folder::Folder, refusal::refuse_each_from};
use ferrovox::{
    device::Device,
    grid::Inside,
    monitor::Monitor,
    pipeline::{
        Level, ObjectFilter,
        skeleton::{self, Method, ObjectSource, PictureJob, SkeletonJob},
    },
    skeleton::{
        medial,
        potential_field::{self, FieldVariant, Hierarchy},
    },
};

/// Size in bytes from which allocations count in skeletons, whose lists are many and short.
const MIN_BYTES_IN_SKELETONS: usize = 4 << 10;

pub fn skeletons(folder: &Folder) {
    // two rings that cross, with a rod and a cavity, and a rod with another label: tunnels,
    // branches and everything related
    let labels = |x: usize, y: usize, z: usize| {
        let [x, y, z] = [x, y, z].map(|n| n as f64 - 20.0);
        let ring = 3.5 - (x.hypot(y) - 12.0).hypot(z);
        let other = 2.5 - ((x - 10.0).hypot(z) - 8.0).hypot(y);
        let rod = (1.5 - y.hypot(z + 1.0)).min(18.0 - x.abs());
        let hollow = x.hypot(y + 12.0).hypot(z) - 1.2;
        u8::from(ring.max(other).max(rod).min(hollow) > 0.0)
            + 2 * u8::from((x + 16.0).hypot(y + 16.0) < 2.0 && z.abs() < 16.0)
    };
    let source = folder.sized_volume(40, "labels.npy", labels);
    let run = |job: &SkeletonJob| skeleton::run(job, &Monitor::new()).map(|_| ());
    let label_object = ObjectSource::Labels {
        source: source.clone().into(),
        labels: None,
    };
    let mask_object = ObjectSource::Volume {
        source: source.into(),
        level: Level::NonZero,
        inside: Inside::Above,
    };
    let whole = |outputs: &[&str]| SkeletonJob {
        outputs: outputs.iter().map(|name| folder.path(name)).collect(),
        prune: Some(ferrovox::graph::Prune::Length(2.0)),
        merge: true,
        ..SkeletonJob::new(label_object.clone(), vec![Device::cpu()])
    };
    let jobs = [
        SkeletonJob {
            method: Method::Medial(medial::Params {
                detail: Some(0.05),
                ..medial::Params::default()
            }),
            ..whole(&["all.json", "{label}.swc"])
        },
        SkeletonJob {
            object: mask_object.clone(),
            filter: ObjectFilter {
                fill_cavities: true,
                ..ObjectFilter::default()
            },
            picture: Some(PictureJob {
                tubes: true,
                width: 160,
                height: 120,
                ..PictureJob::new(folder.path("out.png"))
            }),
            ..whole(&["a.obj", "a.vtp", "a.skel", "a.json", "a.swc"])
        },
    ];
    for job in &jobs {
        refuse_each_from(MIN_BYTES_IN_SKELETONS, "skeleton", folder, || run(job));
    }
    // uses the all-pairs kernels
    let bar = folder.sized_volume(24, "bar.npy", |x, y, z| {
        u8::from((3..21).contains(&x) && (9..15).contains(&y) && (9..15).contains(&z))
    });
    let bar = ObjectSource::Volume {
        source: bar.into(),
        level: Level::NonZero,
        inside: Inside::Above,
    };
    let job = SkeletonJob {
        method: Method::PotentialField(potential_field::Params {
            hierarchy: Hierarchy::Curvature,
            variant: FieldVariant::Tuned,
            ..potential_field::Params::default()
        }),
        outputs: vec![folder.path("core.json")],
        field: Some(folder.path("field.npy")),
        ..SkeletonJob::new(bar, vec![Device::cpu(); 2])
    };
    refuse_each_from(MIN_BYTES_IN_SKELETONS, "core of a skeleton", folder, || {
        run(&job)
    });
}
