//! From a component to its curves.

use super::{
    certificate::{Judge, Verdict},
    context::Known,
    curves::{
        centring::centre,
        convex_surface::curved,
        coverage::Reach,
        endpoints::{cut, extend},
        intermediate_graph::Draft,
        repair::mend,
        resample::resample,
        shared_stems::part,
        trace::{Beginning, Root, Start, draw},
    },
    params::Params,
    paths::{
        device_paths::DeviceObject,
        shortest_paths::{Measured, Ways},
    },
    progress::{Stage, Steps},
    topology::{betti_numbers::Numbers, cocycle::Cocycle, thinning::Scaffold},
    voxels::{
        boundary_faces::Shell, distance_transform::squares, frame::Frame, object::Object, runs::Run,
    },
};
use crate::{
    device::{Device, DeviceError},
    grid::Metric,
    memory,
    monitor::{Cancelled, StageTime, Stopwatch, add_times},
    partition::memory_plan::none_if_out_of_memory,
    skeleton::SkeletonError,
};

/// Components of fewer voxels are the host's.
const FEW_ON_GPU: u64 = 1 << 16;

/// The skeleton of a component.
pub struct Piece {
    pub label: i64,
    pub first: [u64; 3],
    pub voxels: u64,
    pub numbers: Numbers,
    pub frame: Frame,
    pub draft: Draft,
    pub verdict: Verdict,
    /// Whether the curves have been moved to the middle.
    pub centred: bool,
    pub times: Vec<StageTime>,
}

/// Bytes that a component takes for each of its voxels at the least, on the host: those of a solid
/// one without tunnels.
const LEAST_BYTES: u64 = 50;

/// The skeleton of one component. A device computes distances and ways of a large one.
pub fn one(
    runs: &[Run],
    voxels: u64,
    metric: &Metric,
    reach: Reach,
    params: &Params,
    device: Option<&Device>,
    steps: &Steps<'_>,
) -> Result<Piece, SkeletonError> {
    let mut watch = Stopwatch::start();
    let frame = Frame::of(runs, metric);
    if voxels == 1 {
        steps.finish()?;
        return Ok(point(&runs[0], frame, watch));
    }
    memory::probe("a skeleton", voxels * LEAST_BYTES).map_err(DeviceError::from)?;
    let metric = &frame.metric(metric);
    let object = &Object::new(runs, &frame, steps)?;
    watch.lap("voxels");
    let stream = device.filter(|_| voxels >= FEW_ON_GPU).map(Device::stream);
    let stream = stream.transpose()?;
    let on_device = match &stream {
        Some(stream) if DeviceObject::suits(stream, object, metric) => {
            none_if_out_of_memory(DeviceObject::new(stream, object, metric))?
        }
        _ => None,
    };
    let (on_device, measured) = match on_device {
        Some((on_device, measured)) => (Some(on_device), measured),
        None => {
            let squares = squares(object, metric, steps)?;
            (None, Measured::of(object, metric, squares))
        }
    };
    steps.done(Stage::Distances)?;
    let Measured { squares, prices } = &measured;
    watch.lap("distances");
    let numbers = Numbers::of(object);
    steps.done(Stage::Numbers)?;
    watch.lap("numbers");
    // the two need nothing of each other
    let find_classes = || {
        let mut watch = Stopwatch::start();
        let cocycle = match numbers.tunnels {
            0 => Cocycle::zero(),
            _ => {
                let scaffold = Scaffold::of(object, squares, numbers.cavities, steps)?;
                watch.lap("thinning");
                Cocycle::of(object, &scaffold, steps)?
            }
        };
        let open_triangles = cocycle.open_triangles(object);
        watch.lap("classes");
        steps.done(Stage::Classes)?;
        Ok::<_, Cancelled>((cocycle, open_triangles, watch.times()))
    };
    let find_ways = || {
        let mut watch = Stopwatch::start();
        let shell = Shell::new(object, metric);
        steps.check()?;
        let root = Root::of(object, metric, squares, numbers.tunnels);
        let with_costs = numbers.tunnels > 0;
        steps.check()?;
        let ways = match on_device {
            Some(on_device) => none_if_out_of_memory(
                on_device.ways(object, metric, root.voxel, with_costs, steps),
            )?,
            None => None,
        };
        let ways = match ways {
            Some(ways) => ways,
            None => Ways::from_root(object, metric, prices, root.voxel, with_costs, steps)?,
        };
        watch.lap("ways");
        Ok::<_, SkeletonError>((shell, Start { root, ways }, watch.times()))
    };
    let (found_classes, found_ways) = rayon::join(find_classes, find_ways);
    let (mut cocycle, open_triangles, classes) = found_classes?;
    let (shell, start, ways) = found_ways?;
    let mut times = Vec::new();
    add_times(&mut times, classes);
    add_times(&mut times, ways);
    let known = &Known {
        object,
        metric,
        squares,
        shell: &shell,
        prices,
        steps,
    };
    let judge = Judge {
        known,
        open_triangles,
        numbers,
        reach,
    };
    watch.skip();
    let curved = match params.detail {
        Some(part) => curved(known, part),
        None => Vec::new(),
    };
    watch.lap("details");
    let beginning = Beginning::of(known, &mut cocycle, start, reach)?;
    watch.lap("curves");
    let mut result = None;
    for ends_go_on in [true, false] {
        if params.centre && result.is_none() {
            let links = draw(known, &mut cocycle, &beginning, reach, &curved, ends_go_on)?;
            let draft = Draft::of(object, &links);
            watch.lap("curves");
            result = centred(&judge, draft, &mut cocycle, ends_go_on, &mut watch)?;
        }
    }
    let is_centred = result.is_some();
    // through the middles of voxels everything holds but that
    let (draft, verdict) = match result {
        Some(result) => result,
        None => {
            let links = draw(known, &mut cocycle, &beginning, reach, &curved, false)?;
            let draft = Draft::of(object, &links);
            watch.lap("curves");
            let verdict = judge.judge(&draft, &mut cocycle)?;
            (draft, verdict)
        }
    };
    watch.lap("certificate");
    add_times(&mut times, watch.times());
    let first = &runs[0];
    steps.finish()?;
    Ok(Piece {
        label: first.label,
        first: [first.start.into(), first.y.into(), first.z.into()],
        voxels,
        numbers,
        frame,
        draft,
        verdict,
        centred: is_centred,
        times,
    })
}

/// That of a component of one voxel: a point, of which everything holds. There may be millions.
fn point(run: &Run, frame: Frame, mut watch: Stopwatch) -> Piece {
    watch.lap("points");
    Piece {
        label: run.label,
        first: [run.start.into(), run.y.into(), run.z.into()],
        voxels: 1,
        numbers: Numbers {
            tunnels: 0,
            cavities: 0,
        },
        frame,
        draft: Draft {
            nodes: vec![[0; 3]],
            edges: Vec::new(),
        },
        verdict: Verdict {
            faults: Vec::new(),
            rank: 0,
            // half of the smallest spacing
            node_radii: vec![0.5],
            radii: Vec::new(),
        },
        centred: true,
        times: watch.times(),
    }
}

/// The curves moved to the middle, if everything holds of them then. Either their ends go straight
/// on, or they stay.
fn centred(
    judge: &Judge<'_>,
    mut draft: Draft,
    cocycle: &mut Cocycle,
    ends_go_on: bool,
    watch: &mut Stopwatch,
) -> Result<Option<(Draft, Verdict)>, Cancelled> {
    let known = judge.known;
    resample(known, cocycle, &mut draft);
    let cuts = if ends_go_on {
        cut(known, &mut draft)
    } else {
        Vec::new()
    };
    centre(known, cocycle, &mut draft, &cuts)?;
    extend(known, cocycle, &mut draft, cuts);
    part(known, cocycle, &mut draft)?;
    if mend(known, &mut draft, judge.reach)? {
        part(known, cocycle, &mut draft)?;
    }
    watch.lap("centre");
    let verdict = judge.judge(&draft, cocycle)?;
    watch.lap("certificate");
    Ok(verdict.faults.is_empty().then_some((draft, verdict)))
}
