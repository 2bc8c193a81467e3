//! Newton refinement of critical points.

use super::CriticalPoint;
use crate::{
    device::Stream,
    grid::Metric,
    memory::{CollectOrUnwind, ExtendOrUnwind, with_capacity_or_unwind},
    skeleton::{
        NodeKind, SkeletonError,
        potential_field::field::{PointForce, Sources, forces_at_points},
    },
};
use nalgebra::{Point3, SymmetricEigen, Vector3};

/// Maximum number of iterations.
const MAX_STEPS: usize = 40;

/// Maximum step length, in units of the smallest spacing.
const MAX_STEP: f64 = 0.5;

/// Step length at which an iteration has converged to rounding error.
const MIN_STEP: f64 = 1e-10;

/// Maximum displacement from the starting point along each axis, in voxels: iterations that start
/// in other cells find critical points farther away.
const MAX_DISPLACEMENT: f64 = 1.5;

/// A force smaller than this fraction of the sum of the magnitudes of its terms counts as zero.
const RELATIVE_ZERO: f64 = 1e-16;

/// State of one Newton iteration.
struct Iteration {
    start: Point3<f64>,
    position: Point3<f64>,
    last_step: f64,
}

/// Refines starting points to critical points by Newton's method. All iterations advance together,
/// so one step of all is one launch. Starting points whose iteration diverges or leaves the
/// neighbourhood yield no point.
pub fn refine_by_newton(
    stream: &Stream,
    sources: &Sources,
    exponent: f64,
    starts: &[Point3<f64>],
) -> Result<Vec<CriticalPoint>, SkeletonError> {
    let iteration = |&start: &Point3<f64>| Iteration {
        start,
        position: start,
        last_step: f64::INFINITY,
    };
    let (metric, _) = Metric::snapped(sources.geometry());
    let mut active: Vec<Iteration> = starts.iter().map(iteration).collect_or_unwind();
    let mut points = Vec::new();
    for _ in 0..MAX_STEPS {
        if active.is_empty() {
            break;
        }
        let positions: Vec<_> = active
            .iter()
            .map(|iteration| iteration.position)
            .collect_or_unwind();
        let forces = forces_at_points(stream, sources, &positions, exponent)?;
        let mut next_active = with_capacity_or_unwind(active.len());
        for (mut iteration, force) in active.into_iter().zip(forces) {
            match newton_step(&force) {
                None => {}
                Some(step) if has_converged(&iteration, &step, &force) => {
                    points.push_or_unwind(classify(iteration.position, &force));
                }
                Some(step) => {
                    let length = step.norm();
                    let scale = (MAX_STEP / length).min(1.0);
                    iteration.position += metric.to_voxels(step * scale);
                    iteration.last_step = length;
                    if (iteration.position - iteration.start).amax() <= MAX_DISPLACEMENT {
                        next_active.push_or_unwind(iteration);
                    }
                }
            }
        }
        active = next_active;
    }
    Ok(points)
}

/// Returns the Newton step, or `None` if the derivatives are not finite or singular.
fn newton_step(force: &PointForce) -> Option<Vector3<f64>> {
    // scaled to avoid underflow far from the surface
    let scale = force.scale;
    let jacobian = force.jacobian / scale;
    let step = -jacobian.lu().solve(&(force.force / scale))?;
    step.iter().all(|x| x.is_finite()).then_some(step)
}

/// Returns `true` if an iteration has converged: the step or the force vanishes, or steps of the
/// size of rounding errors no longer shrink.
fn has_converged(iteration: &Iteration, step: &Vector3<f64>, force: &PointForce) -> bool {
    let length = step.norm();
    length <= MIN_STEP
        || (force.force.norm() <= RELATIVE_ZERO * force.scale && length <= 1e-3)
        || (length <= 1e-6 && length >= 0.5 * iteration.last_step)
}

fn classify(position: Point3<f64>, force: &PointForce) -> CriticalPoint {
    let eigen = SymmetricEigen::new(force.jacobian / force.scale);
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| eigen.eigenvalues[a].total_cmp(&eigen.eigenvalues[b]));
    let eigenvalues = order.map(|k| eigen.eigenvalues[k] * force.scale);
    let unstable_directions = order.map(|k| {
        let direction = eigen.eigenvectors.column(k).into_owned();
        (eigen.eigenvalues[k] > 0.0).then_some(direction)
    });
    let kind = match unstable_directions.iter().flatten().count() {
        0 => NodeKind::Attracting,
        3 => NodeKind::Repelling,
        index => NodeKind::Saddle { index: index as u8 },
    };
    CriticalPoint {
        position,
        kind,
        eigenvalues,
        unstable_directions,
    }
}
