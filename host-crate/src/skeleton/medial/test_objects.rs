//! Objects for the tests, whose topology is known.

use super::{
    Params, Skeletons,
    context::Known,
    extract,
    paths::shortest_paths::Measured,
    progress::Steps,
    topology::{betti_numbers::Numbers, cocycle::Cocycle, thinning::Scaffold},
    voxels::{
        boundary_faces::Shell, distance_transform::squares, frame::Frame, object::Object,
        runs::Runs,
    },
};
use crate::{
    grid::{Geometry, Mask, Metric, Volume},
    monitor::Monitor,
};

/// Calls `look` with the first component of some voxels and the classes of its steps.
pub fn with_known(
    dims: [usize; 3],
    geometry: Geometry,
    is_set: impl Fn([usize; 3]) -> bool,
    look: impl FnOnce(&Known<'_>, &mut Cocycle),
) {
    let volume = Volume::from_fn(dims, geometry, |x, y, z| f32::from(is_set([x, y, z]))).unwrap();
    let mask = Mask::in_range(&volume.into(), 0.5, 1.5).unwrap();
    let runs = Runs::of_mask(&mask).unwrap();
    let components = runs.components().unwrap();
    let runs = components.iter().next().unwrap();
    let frame = Frame::plain(runs);
    let metric = &Metric::of(&geometry).0;
    let steps = &Steps::none();
    let object = &Object::new(runs, &frame, steps).unwrap();
    let squares = squares(object, metric, steps).unwrap();
    let Measured { squares, prices } = &Measured::of(object, metric, squares);
    let scaffold = Scaffold::of(object, squares, Numbers::of(object).cavities, steps).unwrap();
    let mut cocycle = Cocycle::of(object, &scaffold, steps).unwrap();
    let shell = &Shell::new(object, metric);
    let known = Known {
        object,
        metric,
        squares,
        shell,
        prices,
        steps,
    };
    look(&known, &mut cocycle);
}

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
    extract(&[], volume.view(), &params, Monitor::silent()).unwrap()
}
