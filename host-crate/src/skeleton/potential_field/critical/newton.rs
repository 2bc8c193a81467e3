//! From a place near a critical point to the point.

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

/// Steps after which a place has led nowhere.
const MAX_STEPS: usize = 40;

/// The longest step, in the smallest spacing.
const LONGEST: f64 = 0.5;

/// A step this short ends the search: what is left is rounding.
const SHORTEST: f64 = 1e-10;

/// How far from its beginning a search may lead, in steps of the grid along each axis: beyond, it
/// is found from other cells.
const REACH: f64 = 1.5;

/// A force that is this part of the magnitudes it is the sum of is 0.
const ZERO: f64 = 1e-16;

/// A search on its way.
struct Walk {
    start: Point3<f64>,
    at: Point3<f64>,
    last: f64,
}

/// The critical points that Newton's method leads to from some places, each with the force at it.
/// All walk together, so that a step is one launch. Places from which it leads away, or nowhere,
/// have none.
pub fn polish(
    stream: &Stream,
    sources: &Sources,
    exponent: f64,
    starts: &[Point3<f64>],
) -> Result<Vec<CriticalPoint>, SkeletonError> {
    let walk = |&start: &Point3<f64>| Walk {
        start,
        at: start,
        last: f64::INFINITY,
    };
    let (metric, _) = Metric::snapped(sources.geometry());
    let mut walks: Vec<Walk> = starts.iter().map(walk).collect_or_unwind();
    let mut found = Vec::new();
    for _ in 0..MAX_STEPS {
        if walks.is_empty() {
            break;
        }
        let places: Vec<_> = walks.iter().map(|walk| walk.at).collect_or_unwind();
        let forces = forces_at_points(stream, sources, &places, exponent)?;
        let mut going = with_capacity_or_unwind(walks.len());
        for (mut walk, force) in walks.into_iter().zip(forces) {
            match step(&force) {
                None => {}
                Some(step) if is_there(&walk, &step, &force) => {
                    found.push_or_unwind(classify(walk.at, &force));
                }
                Some(step) => {
                    let length = step.norm();
                    let scale = (LONGEST / length).min(1.0);
                    walk.at += metric.to_voxels(step * scale);
                    walk.last = length;
                    if (walk.at - walk.start).amax() <= REACH {
                        going.push_or_unwind(walk);
                    }
                }
            }
        }
        walks = going;
    }
    Ok(found)
}

/// Newton's step; none where the force has no finite derivatives or these are singular.
fn step(force: &PointForce) -> Option<Vector3<f64>> {
    // scaled, so that far from the surface nothing underflows
    let scale = force.scale;
    let jacobian = force.jacobian / scale;
    let step = -jacobian.lu().solve(&(force.force / scale))?;
    step.iter().all(|x| x.is_finite()).then_some(step)
}

/// Whether a search has come to its end: the step or the force is nothing, or steps of rounding
/// grow no shorter.
fn is_there(walk: &Walk, step: &Vector3<f64>, force: &PointForce) -> bool {
    let length = step.norm();
    length <= SHORTEST
        || (force.force.norm() <= ZERO * force.scale && length <= 1e-3)
        || (length <= 1e-6 && length >= 0.5 * walk.last)
}

fn classify(position: Point3<f64>, force: &PointForce) -> CriticalPoint {
    let eigen = SymmetricEigen::new(force.jacobian / force.scale);
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| eigen.eigenvalues[a].total_cmp(&eigen.eigenvalues[b]));
    let eigenvalues = order.map(|k| eigen.eigenvalues[k] * force.scale);
    let leaving = order.map(|k| {
        let direction = eigen.eigenvectors.column(k).into_owned();
        (eigen.eigenvalues[k] > 0.0).then_some(direction)
    });
    let kind = match leaving.iter().flatten().count() {
        0 => NodeKind::Attracting,
        3 => NodeKind::Repelling,
        index => NodeKind::Saddle { index: index as u8 },
    };
    CriticalPoint {
        position,
        kind,
        eigenvalues,
        leaving,
    }
}
