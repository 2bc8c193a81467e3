//! Test objects with known topology.

use super::{
    Params, Skeletons,
    context::ComponentContext,
    extract,
    paths::edge_weights::DistancesAndWeights,
    progress::ComponentProgress,
    topology::cocycle::Cocycle,
    voxels::{
        boundary_faces::BoundaryFaces, distance_transform::squared_distances, frame::Frame,
        object::Object, runs::Runs,
    },
};
use crate::{
    grid::{Geometry, Mask, Metric, Volume},
    monitor::Monitor,
};

/// Calls `test` with the context and the cocycle of the first component of a voxel set.
pub fn with_context(
    dims: [usize; 3],
    geometry: Geometry,
    is_set: impl Fn([usize; 3]) -> bool,
    look: impl FnOnce(&ComponentContext<'_>, &mut Cocycle),
) {
    let volume = Volume::from_fn(dims, geometry, |x, y, z| f32::from(is_set([x, y, z]))).unwrap();
    let mask = Mask::in_range(&volume.into(), 0.5, 1.5).unwrap();
    let runs = Runs::from_mask(&mask).unwrap();
    let components = runs.components().unwrap();
    let runs = components.iter().next().unwrap();
    let frame = Frame::unpermuted(runs);
    let metric = &Metric::rounded(&geometry).0;
    let progress = &ComponentProgress::disabled();
    let object = &Object::new(runs, &frame, progress).unwrap();
    let squared_distances = squared_distances(object, metric, progress).unwrap();
    let DistancesAndWeights {
        squared_distances,
        edge_weights,
    } = &DistancesAndWeights::new(object, metric, squared_distances);
    let mut cocycle = Cocycle::new(object, progress).unwrap();
    let boundary = &BoundaryFaces::new(object, metric);
    let context = ComponentContext {
        object,
        metric,
        squared_distances,
        boundary,
        edge_weights,
        progress,
    };
    look(&context, &mut cocycle);
}

/// Extracts the skeletons of a voxel set with default parameters.
pub fn skeletons(
    dims: [usize; 3],
    spacing: [f64; 3],
    is_set: impl Fn([f64; 3]) -> bool,
) -> Skeletons {
    let geometry = Geometry::from_spacing(spacing, [0.0; 3]).unwrap();
    let volume = Volume::from_fn(dims, geometry, |x, y, z| {
        u8::from(is_set([x as f64, y as f64, z as f64]))
    })
    .unwrap();
    let params = Params::default();
    extract(&[], volume.view(), &params, Monitor::new()).unwrap()
}
