//! Extraction of the skeleton of one component.

mod certified_curves;
mod ends;
mod stages;

use super::{
    certificate::{Certificate, Certifier},
    context::ComponentContext,
    curves::intermediate_graph::IntermediateGraph,
    ends::EndSearchInput,
    measures::{CurveMeasures, MeasuringGrid, PlanarGrid},
    params::Params,
    progress::{ComponentProgress, Stage},
    topology::betti_numbers::BettiNumbers,
    tunnels::fill_tunnels,
    voxels::{
        frame::Frame,
        object::Object,
        runs::{Run, Runs},
    },
};
use crate::{
    device::{Device, DeviceError},
    grid::Metric,
    memory,
    monitor::{StageTime, Stopwatch, add_times},
    parallel,
    skeleton::SkeletonError,
};
use certified_curves::trace_and_certify;
use ends::ComponentEnds;
use stages::{find_cocycle, find_paths, measure_voxels};

/// Minimum number of voxels of a component that is processed on a device.
const MIN_DEVICE_VOXELS: u64 = 1 << 16;

/// Host memory per voxel of a solid component without tunnels, in bytes; a lower bound for all
/// components.
const MIN_BYTES_PER_VOXEL: u64 = 20;

/// Connected component of a label, before its voxels are stored.
#[derive(Clone, Copy)]
pub struct Component<'a> {
    /// Runs of the component.
    pub runs: &'a [Run],
    /// Runs of all components of the volume.
    pub volume_runs: &'a Runs,
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
    /// Number of tunnels that were filled.
    pub filled_tunnels: u64,
    /// Betti numbers of the component with its tunnels filled.
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

/// Protrusion of a component without a branch. Lengths are in units of the smallest spacing.
pub struct ProtrusionTip {
    /// Length less two voxels for noise, divided by the width.
    pub significance: f64,
    /// Length of the protrusion.
    pub length: f64,
    /// Width of the protrusion.
    pub width: f64,
    /// Position of the tip in the component's frame.
    pub position: [f64; 3],
}

/// Fills the thin tunnels of one connected component, if requested, and extracts its medial
/// skeleton.
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
    let filled = (params.fill_tunnels > 0 && voxels > 1)
        .then(|| fill_tunnels(runs, component.volume_runs, params.fill_tunnels))
        .flatten();
    let Some(filled) = filled else {
        return skeletonize_filled(component, params, device, progress);
    };
    progress.check()?;
    let tunnels = BettiNumbers::new(&Object::new(
        runs,
        &Frame::canonical(runs, component.metric),
        progress,
    )?)
    .tunnels;
    let filled = Component {
        runs: &filled,
        voxels: filled.iter().map(Run::voxels).sum(),
        ..*component
    };
    let skeleton = skeletonize_filled(&filled, params, device, progress)?;
    Ok(ComponentSkeleton {
        first_voxel: runs[0].first_voxel(),
        voxels,
        filled_tunnels: tunnels - skeleton.betti_numbers.tunnels,
        ..skeleton
    })
}

/// Extracts the medial skeleton of a component whose thin tunnels are filled.
fn skeletonize_filled(
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
    let (found_cocycle, found_paths) = parallel::join(
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
        filled_tunnels: 0,
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
        filled_tunnels: 0,
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
