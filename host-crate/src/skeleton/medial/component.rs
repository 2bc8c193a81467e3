//! From a component to its curves.

use super::{
    certificate::{Certificate, Certifier},
    context::ComponentContext,
    curves::{
        centring::centre_curves,
        convex_surface::most_convex_voxels,
        coverage::CoverageRule,
        endpoints::{extend_ends, trim_ends},
        intermediate_graph::IntermediateGraph,
        repair::repair_coverage,
        resample::resample,
        shared_stems::merge_shared_stems,
        trace::{InitialCurves, PathsFromRoot, Root, trace_curves},
    },
    params::Params,
    paths::{
        device_paths::DeviceComponent,
        shortest_paths::{DistancesAndWeights, ShortestPaths},
    },
    progress::{ComponentProgress, Stage},
    topology::{betti_numbers::BettiNumbers, cocycle::Cocycle, thinning::TopologicalSkeleton},
    voxels::{
        boundary_faces::BoundaryFaces, distance_transform::squared_distances, frame::Frame,
        object::Object, runs::Run,
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
const MIN_DEVICE_VOXELS: u64 = 1 << 16;

/// The skeleton of a component.
pub struct ComponentSkeleton {
    pub label: i64,
    pub first: [u64; 3],
    pub voxels: u64,
    pub betti_numbers: BettiNumbers,
    pub frame: Frame,
    pub graph: IntermediateGraph,
    pub certificate: Certificate,
    /// Whether the curves have been moved to the middle.
    pub centred: bool,
    pub times: Vec<StageTime>,
}

/// Bytes that a component takes for each of its voxels at the least, on the host: those of a solid
/// one without tunnels.
const MIN_BYTES_PER_VOXEL: u64 = 50;

/// The skeleton of one component. A device computes distances and ways of a large one.
pub fn skeletonize_component(
    runs: &[Run],
    voxels: u64,
    metric: &Metric,
    rule: CoverageRule,
    params: &Params,
    device: Option<&Device>,
    progress: &ComponentProgress<'_>,
) -> Result<ComponentSkeleton, SkeletonError> {
    let mut watch = Stopwatch::start();
    let frame = Frame::canonical(runs, metric);
    if voxels == 1 {
        progress.finish()?;
        return Ok(single_voxel(&runs[0], frame, watch));
    }
    memory::probe("a skeleton", voxels * MIN_BYTES_PER_VOXEL).map_err(DeviceError::from)?;
    let metric = &frame.metric(metric);
    let object = &Object::new(runs, &frame, progress)?;
    watch.lap("voxels");
    let stream = device
        .filter(|_| voxels >= MIN_DEVICE_VOXELS)
        .map(Device::stream);
    let stream = stream.transpose()?;
    let device_component = match &stream {
        Some(stream) if DeviceComponent::is_suitable(stream, object, metric) => {
            none_if_out_of_memory(DeviceComponent::new(stream, object, metric))?
        }
        _ => None,
    };
    let (device_component, measures) = match device_component {
        Some((device_component, measures)) => (Some(device_component), measures),
        None => {
            let squared_distances = squared_distances(object, metric, progress)?;
            (
                None,
                DistancesAndWeights::new(object, metric, squared_distances),
            )
        }
    };
    progress.finish_stage(Stage::Distances)?;
    let DistancesAndWeights {
        squared_distances,
        edge_weights,
    } = &measures;
    watch.lap("distances");
    let betti_numbers = BettiNumbers::new(object);
    progress.finish_stage(Stage::Topology)?;
    watch.lap("betti_numbers");
    // the two need nothing of each other
    let find_classes = || {
        let mut watch = Stopwatch::start();
        let cocycle = match betti_numbers.tunnels {
            0 => Cocycle::zero(),
            _ => {
                let skeleton = TopologicalSkeleton::new(
                    object,
                    squared_distances,
                    betti_numbers.cavities,
                    progress,
                )?;
                watch.lap("thinning");
                Cocycle::new(object, &skeleton, progress)?
            }
        };
        let open_triangles = cocycle.open_triangles(object);
        watch.lap("classes");
        progress.finish_stage(Stage::Classes)?;
        Ok::<_, Cancelled>((cocycle, open_triangles, watch.times()))
    };
    let find_paths = || {
        let mut watch = Stopwatch::start();
        let boundary = BoundaryFaces::new(object, metric);
        progress.check()?;
        let root = Root::select(object, metric, squared_distances, betti_numbers.tunnels);
        let with_costs = betti_numbers.tunnels > 0;
        progress.check()?;
        let paths = match device_component {
            Some(device_component) => none_if_out_of_memory(
                device_component.shortest_paths(object, metric, root.voxel, with_costs, progress),
            )?,
            None => None,
        };
        let paths = match paths {
            Some(paths) => paths,
            None => ShortestPaths::from_root(
                object,
                metric,
                edge_weights,
                root.voxel,
                with_costs,
                progress,
            )?,
        };
        watch.lap("paths");
        Ok::<_, SkeletonError>((boundary, PathsFromRoot { root, paths }, watch.times()))
    };
    let (found_classes, found_paths) = rayon::join(find_classes, find_paths);
    let (mut cocycle, open_triangles, classes) = found_classes?;
    let (boundary, start, paths) = found_paths?;
    let mut times = Vec::new();
    add_times(&mut times, classes);
    add_times(&mut times, paths);
    let context = &ComponentContext {
        object,
        metric,
        squared_distances,
        boundary: &boundary,
        edge_weights,
        progress,
    };
    let certifier = Certifier {
        context,
        open_triangles,
        betti_numbers,
        rule,
    };
    watch.skip();
    let convex_voxels = match params.detail {
        Some(part) => most_convex_voxels(context, part),
        None => Vec::new(),
    };
    watch.lap("details");
    let initial_curves = InitialCurves::new(context, &mut cocycle, start, rule)?;
    watch.lap("curves");
    let mut result = None;
    for extends_ends in [true, false] {
        if params.centre && result.is_none() {
            let links = trace_curves(
                context,
                &mut cocycle,
                &initial_curves,
                rule,
                &convex_voxels,
                extends_ends,
            )?;
            let graph = IntermediateGraph::from_links(object, &links);
            watch.lap("curves");
            result = centre_graph(&certifier, graph, &mut cocycle, extends_ends, &mut watch)?;
        }
    }
    let is_centred = result.is_some();
    // through the middles of voxels everything holds but that
    let (graph, certificate) = match result {
        Some(result) => result,
        None => {
            let links = trace_curves(
                context,
                &mut cocycle,
                &initial_curves,
                rule,
                &convex_voxels,
                false,
            )?;
            let graph = IntermediateGraph::from_links(object, &links);
            watch.lap("curves");
            let certificate = certifier.certify(&graph, &mut cocycle)?;
            (graph, certificate)
        }
    };
    watch.lap("certificate");
    add_times(&mut times, watch.times());
    let first = &runs[0];
    progress.finish()?;
    Ok(ComponentSkeleton {
        label: first.label,
        first: [first.start.into(), first.y.into(), first.z.into()],
        voxels,
        betti_numbers,
        frame,
        graph,
        certificate,
        centred: is_centred,
        times,
    })
}

/// That of a component of one voxel: a point, of which everything holds. There may be millions.
fn single_voxel(run: &Run, frame: Frame, mut watch: Stopwatch) -> ComponentSkeleton {
    watch.lap("points");
    ComponentSkeleton {
        label: run.label,
        first: [run.start.into(), run.y.into(), run.z.into()],
        voxels: 1,
        betti_numbers: BettiNumbers {
            tunnels: 0,
            cavities: 0,
        },
        frame,
        graph: IntermediateGraph {
            nodes: vec![[0; 3]],
            edges: Vec::new(),
        },
        certificate: Certificate {
            violations: Vec::new(),
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
fn centre_graph(
    certifier: &Certifier<'_>,
    mut graph: IntermediateGraph,
    cocycle: &mut Cocycle,
    extends_ends: bool,
    watch: &mut Stopwatch,
) -> Result<Option<(IntermediateGraph, Certificate)>, Cancelled> {
    let context = certifier.context;
    resample(context, cocycle, &mut graph);
    let trimmed_ends = if extends_ends {
        trim_ends(context, &mut graph)
    } else {
        Vec::new()
    };
    centre_curves(context, cocycle, &mut graph, &trimmed_ends)?;
    extend_ends(context, cocycle, &mut graph, trimmed_ends);
    merge_shared_stems(context, cocycle, &mut graph)?;
    if repair_coverage(context, &mut graph, certifier.rule)? {
        merge_shared_stems(context, cocycle, &mut graph)?;
    }
    watch.lap("centre");
    let certificate = certifier.certify(&graph, cocycle)?;
    watch.lap("certificate");
    Ok(certificate
        .violations
        .is_empty()
        .then_some((graph, certificate)))
}
