//! Ways along the force from many points at the same time.

use super::flow::step;
use crate::{
    device::Stream,
    grid::Metric,
    memory::{CollectOrUnwind, ExtendOrUnwind, with_capacity_or_unwind},
    skeleton::{
        SkeletonError,
        potential_field::field::{Sources, forces_at_points},
    },
};
use nalgebra::Point3;

/// Steps after which a way is given up: it would be 2,500 of the smallest spacing long.
const MAX_STEPS: usize = 10_000;

/// A step this short ends a way, in the smallest spacing.
const REST: f64 = 1e-4;

/// The points of the ways that the force leads along from some points, these included. All go a
/// step at a time, so that it is one launch. A way ends where there is no force, where `is_end`
/// returns true for a way and its points, or after very many steps.
pub fn paths(
    stream: &Stream,
    sources: &Sources,
    exponent: f64,
    starts: &[Point3<f64>],
    is_end: impl Fn(usize, &[Point3<f64>]) -> bool,
) -> Result<Vec<Vec<Point3<f64>>>, SkeletonError> {
    let mut paths: Vec<Vec<Point3<f64>>> =
        starts.iter().map(|&start| vec![start]).collect_or_unwind();
    let (metric, _) = Metric::snapped(sources.geometry());
    let mut going: Vec<usize> = (0..paths.len()).collect_or_unwind();
    going.retain(|&path| !is_end(path, &paths[path]));
    for _ in 0..MAX_STEPS {
        if going.is_empty() {
            break;
        }
        let last = |&path: &usize| paths[path][paths[path].len() - 1];
        let places: Vec<_> = going.iter().map(last).collect_or_unwind();
        let forces = forces_at_points(stream, sources, &places, exponent)?;
        let mut left = with_capacity_or_unwind(going.len());
        for (path, (place, force)) in going.into_iter().zip(places.into_iter().zip(&forces)) {
            let Some(step) = step(force) else { continue };
            paths[path].push_or_unwind(place + metric.to_voxels(step));
            if step.norm() > REST && !is_end(path, &paths[path]) {
                left.push_or_unwind(path);
            }
        }
        going = left;
    }
    Ok(paths)
}
