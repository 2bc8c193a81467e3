//! Extraction of the skeleton of one component.

use super::{
    certificate::{Certificate, Certifier},
    context::ComponentContext,
    curves::{
        centring::centre_curves,
        coverage::CoverageRule,
        endpoints::{extend_ends, trim_ends},
        intermediate_graph::IntermediateGraph,
        repair::repair_coverage,
        resample::resample,
        shared_stems::merge_shared_stems,
        trace::{Branches, InitialCurves, PathsFromRoot, Root, trace_curves},
    },
    ends::{EndRule, EndSearchInput, Ends, Tip, find_ends},
    measures::{CurveMeasures, MeasuringGrid, PlanarGrid},
    params::{BranchRule, Params},
    paths::{
        device_paths::DeviceComponent,
        shortest_paths::{DistancesAndWeights, ShortestPaths},
    },
    progress::{ComponentProgress, Stage},
    topology::{betti_numbers::BettiNumbers, cocycle::Cocycle},
    voxels::{
        boundary_faces::BoundaryFaces, distance_transform::squared_distances, frame::Frame,
        object::Object, runs::Run,
    },
};
use crate::{
    device::{Device, DeviceError, Stream},
    grid::Metric,
    memory::{self, CollectOrUnwind, ExtendOrUnwind},
    monitor::{Cancelled, StageTime, Stopwatch, add_times},
    partition::memory_plan::none_if_out_of_memory,
    skeleton::SkeletonError,
};

/// Minimum number of voxels of a component that is processed on a device.
const MIN_DEVICE_VOXELS: u64 = 1 << 16;

/// Host memory per voxel of a solid component without tunnels, in bytes; a lower bound for all
/// components.
const MIN_BYTES_PER_VOXEL: u64 = 50;

/// Connected component of a label, before its voxels are stored.
pub struct Component<'a> {
    /// Runs of the component.
    pub runs: &'a [Run],
    /// Number of voxels.
    pub voxels: u64,
    /// Metric of the volume, whose unit is the smallest spacing.
    pub metric: &'a Metric,
    /// Smallest spacing, in world units.
    pub spacing: f64,
    /// Planar grid, if the volume is an image that is one voxel thick.
    pub planar: Option<&'a PlanarGrid>,
}

/// Skeleton of a component, in the component's frame.
pub struct ComponentSkeleton {
    /// Label of the component.
    pub label: i64,
    /// First voxel of the component in the volume.
    pub first_voxel: [u64; 3],
    /// Number of voxels.
    pub voxels: u64,
    /// Betti numbers of the component.
    pub betti_numbers: BettiNumbers,
    /// Frame of the graph.
    pub frame: Frame,
    /// The curves.
    pub graph: IntermediateGraph,
    /// Result of the verification.
    pub certificate: Certificate,
    /// Radii and cross-sections along the curves, in world units.
    pub measures: CurveMeasures,
    /// `true` if the curves were centred.
    pub is_centred: bool,
    /// Most significant protrusion without a branch.
    pub uncovered: Option<ProtrusionTip>,
    /// Duration of each stage.
    pub timings: Vec<StageTime>,
}

/// Protrusion of a component: see [`Tip`]. Lengths are in units of the smallest spacing.
pub struct ProtrusionTip {
    pub significance: f64,
    pub length: f64,
    pub width: f64,
    /// Position of the tip in the component's frame.
    pub position: [f64; 3],
}

/// Graph of a component with the result of its verification.
type CertifiedGraph = (IntermediateGraph, Certificate);

/// Extracts the medial skeleton of one connected component.
///
/// `device` computes the distances and shortest paths of components of at least
/// [`MIN_DEVICE_VOXELS`] voxels; smaller ones stay on the host. The result does not depend on it.
///
/// # Errors
/// [`SkeletonError::Device`] if host memory does not suffice for [`MIN_BYTES_PER_VOXEL`] or the
/// work was cancelled; errors of the device.
pub fn skeletonize_component(
    component: &Component<'_>,
    params: &Params,
    device: Option<&Device>,
    progress: &ComponentProgress<'_>,
) -> Result<ComponentSkeleton, SkeletonError> {
    let Component { runs, voxels, .. } = *component;
    let mut watch = Stopwatch::start();
    let frame = Frame::canonical(runs, component.metric);
    let grid = MeasuringGrid {
        frame: &frame,
        spacing: component.spacing,
        planar: component.planar,
    };
    if voxels == 1 {
        progress.finish()?;
        let measures = CurveMeasures::single_voxel(grid);
        return Ok(single_voxel_skeleton(&runs[0], frame, measures, watch));
    }
    memory::probe("a skeleton", voxels * MIN_BYTES_PER_VOXEL).map_err(DeviceError::from)?;
    let metric = &frame.metric(component.metric);
    let object = &Object::new(runs, &frame, progress)?;
    watch.lap("voxels");
    let stream = device
        .filter(|_| voxels >= MIN_DEVICE_VOXELS)
        .map(Device::stream);
    let stream = stream.transpose()?;
    let (device_component, measures) = measure_voxels(object, metric, stream.as_ref(), progress)?;
    watch.lap("distances");
    let betti_numbers = BettiNumbers::new(object);
    progress.finish_stage(Stage::Topology)?;
    watch.lap("Betti numbers");
    // the cocycle and the paths are independent of each other
    let (found_cocycle, found_paths) = rayon::join(
        || find_cocycle(object, betti_numbers, progress),
        || {
            let mut watch = Stopwatch::start();
            let input = EndSearchInput {
                object,
                metric,
                squared_distances: &measures.squared_distances,
                has_tunnels: betti_numbers.tunnels > 0,
                progress,
            };
            let ends = ComponentEnds::find(&input, params, component.spacing)?;
            watch.lap("ends");
            let found = find_paths(&input, &measures, &ends, device_component)?;
            Ok::<_, SkeletonError>((ends, found, watch.times()))
        },
    );
    let (mut cocycle, open_triangles, cocycle_times) = found_cocycle?;
    let (ends, (boundary, paths, path_times), end_times) = found_paths?;
    let mut timings = Vec::new();
    add_times(&mut timings, cocycle_times);
    add_times(&mut timings, end_times);
    add_times(&mut timings, path_times);
    let context = &ComponentContext {
        object,
        metric,
        squared_distances: &measures.squared_distances,
        boundary: &boundary,
        edge_weights: &measures.edge_weights,
        progress,
    };
    let certifier = Certifier {
        context,
        open_triangles,
        betti_numbers,
        rule: ends.rule,
    };
    watch.skip();
    let (graph, certificate, is_centred) =
        trace_and_certify(&certifier, &mut cocycle, paths, &ends, params, &mut watch)?;
    let measures = CurveMeasures::new(context, &graph, &certificate, grid)?;
    watch.lap("measures");
    add_times(&mut timings, watch.times());
    progress.finish()?;
    Ok(ComponentSkeleton {
        label: runs[0].label,
        first_voxel: runs[0].first_voxel(),
        voxels,
        betti_numbers,
        frame,
        graph,
        certificate,
        measures,
        is_centred,
        uncovered: ends.uncovered.map(|tip| ProtrusionTip {
            significance: tip.significance,
            length: tip.length,
            width: tip.width,
            position: object.position(tip.voxel as usize).map(f64::from),
        }),
        timings,
    })
}

/// Branches that a component needs: tips of protrusions, and a coverage rule.
struct ComponentEnds {
    /// Coverage rule, if branches are selected by coverage.
    rule: Option<CoverageRule>,
    /// Ends, longest protrusion first; empty with a coverage rule.
    ends: Vec<Tip>,
    /// Voxels that get a branch.
    tips: Vec<u32>,
    /// Most significant protrusion without a branch.
    uncovered: Option<Tip>,
}

impl ComponentEnds {
    /// Finds the ends that the parameters require. `spacing` is the smallest spacing in world
    /// units.
    fn find(input: &EndSearchInput<'_>, params: &Params, spacing: f64) -> Result<Self, Cancelled> {
        let voxels = |tips: &[Tip]| tips.iter().map(|tip| tip.voxel).collect_or_unwind();
        match params.branches {
            BranchRule::Significance {
                min_significance,
                min_length,
            } => {
                let min_length = min_length / spacing;
                let rule = EndRule {
                    min_significance,
                    min_length,
                };
                let Ends {
                    accepted,
                    mut refused,
                } = find_ends(input, rule)?;
                let mut tips: Vec<u32> = voxels(&accepted);
                if let Some(detail) = params.detail {
                    let is_detail =
                        |tip: &Tip| tip.significance >= detail && tip.length >= min_length;
                    let details = refused.iter().filter(|tip| is_detail(tip));
                    tips.extend_or_unwind(details.map(|tip| tip.voxel));
                    refused.retain(|tip| !is_detail(tip));
                }
                Ok(Self {
                    rule: None,
                    ends: accepted,
                    tips,
                    uncovered: refused.first().copied(),
                })
            }
            BranchRule::Coverage { scale, constant } => {
                let details = match params.detail {
                    Some(min_significance) => {
                        let rule = EndRule {
                            min_significance,
                            min_length: 0.0,
                        };
                        find_ends(input, rule)?.accepted
                    }
                    None => Vec::new(),
                };
                Ok(Self {
                    rule: Some(CoverageRule { scale, constant }),
                    ends: Vec::new(),
                    tips: voxels(&details),
                    uncovered: None,
                })
            }
        }
    }
}

/// Computes distances and edge weights: on the device if one is given, it supports the component
/// and its memory suffices, otherwise on the host. In the first case, also returns the component on
/// the device, for the shortest paths.
fn measure_voxels<'a>(
    object: &Object,
    metric: &Metric,
    stream: Option<&'a Stream>,
    progress: &ComponentProgress<'_>,
) -> Result<(Option<DeviceComponent<'a>>, DistancesAndWeights), SkeletonError> {
    let on_device = match stream {
        Some(stream) if DeviceComponent::is_suitable(stream, object, metric) => {
            none_if_out_of_memory(DeviceComponent::new(stream, object, metric))?
        }
        _ => None,
    };
    let measured = match on_device {
        Some((device_component, measures)) => (Some(device_component), measures),
        None => {
            let squared_distances = squared_distances(object, metric, progress)?;
            let measures = DistancesAndWeights::new(object, metric, squared_distances);
            (None, measures)
        }
    };
    progress.finish_stage(Stage::Distances)?;
    Ok(measured)
}

/// Computes the cocycle, counts the triangles on which it does not vanish, and measures the
/// duration of the stages.
fn find_cocycle(
    object: &Object,
    betti_numbers: BettiNumbers,
    progress: &ComponentProgress<'_>,
) -> Result<(Cocycle, u64, Vec<StageTime>), Cancelled> {
    let mut watch = Stopwatch::start();
    let cocycle = match betti_numbers.tunnels {
        0 => Cocycle::zero(),
        _ => Cocycle::new(object, progress)?,
    };
    let open_triangles = cocycle.open_triangles(object);
    watch.lap("cocycle");
    progress.finish_stage(Stage::Classes)?;
    Ok((cocycle, open_triangles, watch.times()))
}

/// Finds the boundary faces and the shortest paths from a root, and measures the duration of the
/// stages.
fn find_paths<'m>(
    input: &EndSearchInput<'m>,
    measures: &DistancesAndWeights,
    ends: &ComponentEnds,
    device_component: Option<DeviceComponent<'_>>,
) -> Result<(BoundaryFaces<'m>, PathsFromRoot, Vec<StageTime>), SkeletonError> {
    let EndSearchInput {
        object,
        metric,
        squared_distances,
        has_tunnels,
        progress,
    } = *input;
    let mut watch = Stopwatch::start();
    let boundary = BoundaryFaces::new(object, metric);
    progress.check()?;
    let root = if ends.rule.is_some() {
        Root::from_shape(object, metric, squared_distances, has_tunnels)
    } else {
        Root::from_ends(object, metric, squared_distances, has_tunnels, &ends.ends)
    };
    let with_costs = has_tunnels;
    progress.check()?;
    let device_paths = match device_component {
        Some(device_component) => none_if_out_of_memory(
            device_component.shortest_paths(object, metric, root.voxel, with_costs, progress),
        )?,
        None => None,
    };
    let paths = match device_paths {
        Some(paths) => paths,
        None => ShortestPaths::from_root(
            object,
            metric,
            &measures.edge_weights,
            root.voxel,
            with_costs,
            progress,
        )?,
    };
    watch.lap("paths");
    Ok((boundary, PathsFromRoot { root, paths }, watch.times()))
}

/// Traces, centres and verifies the curves; the last element of the result is `true` if they are
/// centred.
///
/// Centring is attempted with ends extended to the surface, then with ends as traced. If both
/// results violate a property, the curves stay at voxel centres.
fn trace_and_certify(
    certifier: &Certifier<'_>,
    cocycle: &mut Cocycle,
    paths: PathsFromRoot,
    ends: &ComponentEnds,
    params: &Params,
    watch: &mut Stopwatch,
) -> Result<(IntermediateGraph, Certificate, bool), Cancelled> {
    let context = certifier.context;
    let branches = Branches {
        coverage: ends.rule,
        tips: &ends.tips,
    };
    let initial_curves = InitialCurves::new(context, cocycle, paths, branches)?;
    watch.lap("curves");
    let trace = |cocycle: &mut Cocycle, extends_ends: bool, watch: &mut Stopwatch| {
        let links = trace_curves(context, cocycle, &initial_curves, branches, extends_ends)?;
        let graph = IntermediateGraph::from_links(context.object, &links);
        watch.lap("curves");
        Ok::<_, Cancelled>(graph)
    };
    if params.centre {
        for extends_ends in [true, false] {
            let graph = trace(cocycle, extends_ends, watch)?;
            let centred = centre_graph(certifier, graph, cocycle, extends_ends, watch)?;
            if let Some((graph, certificate)) = centred {
                return Ok((graph, certificate, true));
            }
        }
    }
    let graph = trace(cocycle, false, watch)?;
    let certificate = certifier.certify(&graph, cocycle)?;
    watch.lap("certificate");
    Ok((graph, certificate, false))
}

/// Returns the skeleton of a component of one voxel: a node. There can be millions of these.
fn single_voxel_skeleton(
    run: &Run,
    frame: Frame,
    measures: CurveMeasures,
    mut watch: Stopwatch,
) -> ComponentSkeleton {
    watch.lap("single voxels");
    ComponentSkeleton {
        label: run.label,
        first_voxel: run.first_voxel(),
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
        measures,
        is_centred: true,
        uncovered: None,
        timings: watch.times(),
    }
}

/// Centres a graph, with ends extended to the surface if `extends_ends` is `true`. Returns `None`
/// if the result violates a property.
fn centre_graph(
    certifier: &Certifier<'_>,
    mut graph: IntermediateGraph,
    cocycle: &mut Cocycle,
    extends_ends: bool,
    watch: &mut Stopwatch,
) -> Result<Option<CertifiedGraph>, Cancelled> {
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
    if let Some(rule) = certifier.rule
        && repair_coverage(context, &mut graph, rule)?
    {
        merge_shared_stems(context, cocycle, &mut graph)?;
    }
    watch.lap("centring");
    let certificate = certifier.certify(&graph, cocycle)?;
    watch.lap("certificate");
    let is_certified = certificate.violations.is_empty();
    Ok(is_certified.then_some((graph, certificate)))
}
