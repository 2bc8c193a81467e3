//! Streamlines of the force field, traced from many points at a time.

use super::flow::exponential_step;
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

/// Maximum number of steps, which corresponds to a length of 2,500 times the smallest spacing.
const MAX_STEPS: usize = 10_000;

/// Step length at which a streamline ends, in units of the smallest spacing.
const MIN_STEP: f64 = 1e-4;

/// Traces the streamlines of the force from the given points, which are included. All advance
/// together, so one step of all is one launch. A streamline ends where the force vanishes, where
/// `is_end(index, points)` returns `true`, or after the maximum number of steps.
pub fn trace_streamlines(
    stream: &Stream,
    sources: &Sources,
    exponent: f64,
    starts: &[Point3<f64>],
    is_end: impl Fn(usize, &[Point3<f64>]) -> bool,
) -> Result<Vec<Vec<Point3<f64>>>, SkeletonError> {
    let mut paths: Vec<Vec<Point3<f64>>> =
        starts.iter().map(|&start| vec![start]).collect_or_unwind();
    let (metric, _) = Metric::snapped(sources.geometry());
    let mut active: Vec<usize> = (0..paths.len()).collect_or_unwind();
    active.retain(|&path| !is_end(path, &paths[path]));
    for _ in 0..MAX_STEPS {
        if active.is_empty() {
            break;
        }
        let last = |&path: &usize| paths[path][paths[path].len() - 1];
        let positions: Vec<_> = active.iter().map(last).collect_or_unwind();
        let forces = forces_at_points(stream, sources, &positions, exponent)?;
        let mut next_active = with_capacity_or_unwind(active.len());
        for (path, (position, force)) in active.into_iter().zip(positions.into_iter().zip(&forces))
        {
            let Some(step) = exponential_step(force) else {
                continue;
            };
            paths[path].push_or_unwind(position + metric.to_voxels(step));
            if step.norm() > MIN_STEP && !is_end(path, &paths[path]) {
                next_active.push_or_unwind(path);
            }
        }
        active = next_active;
    }
    Ok(paths)
}
