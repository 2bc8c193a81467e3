//! Stages before the curves: distances, cocycle and shortest paths, on the host or on a device.

use super::ends::ComponentEnds;
use crate::{
    device::Stream,
    grid::Metric,
    monitor::{Cancelled, StageTime, Stopwatch},
    partition::memory_plan::none_if_out_of_memory,
    skeleton::{
        SkeletonError,
        medial::{
            curves::trace::{PathsFromRoot, Root},
            ends::EndSearchInput,
            paths::{
                device_paths::DeviceComponent, edge_weights::DistancesAndWeights,
                shortest_paths::ShortestPaths,
            },
            progress::{ComponentProgress, Stage},
            topology::{betti_numbers::BettiNumbers, cocycle::Cocycle},
            voxels::{
                boundary_faces::BoundaryFaces, distance_transform::squared_distances,
                object::Object,
            },
        },
    },
};

/// Computes distances and edge weights: on the device if one is given, it supports the component
/// and its memory suffices, otherwise on the host. In the first case, also returns the component on
/// the device, for the shortest paths.
pub fn measure_voxels<'a>(
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
pub fn find_cocycle(
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
pub fn find_paths<'m>(
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
