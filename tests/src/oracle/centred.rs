//! Distances of curves from the reference axes.

use super::{Object, Verdict, samples};
use crate::reference_objects::{Axis, distance_to_segment};
use ferrovox::graph::Skeleton;
use nalgebra::Point3;

/// Distances of curves from the nearest axis, in world units.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Deviation {
    /// Mean, weighted by length.
    pub mean: f64,
    /// Maximum.
    pub max: f64,
    /// Maximum allowed mean.
    pub allowed: f64,
    /// Length of the curves divided by that of the axes.
    pub length_ratio: f64,
}

/// Measures the curves. Axes are extended straight by their radius at both ends, so that curves
/// that reach the end of a tube are measured across.
///
/// The mean may be a quarter of a voxel or a twentieth of the mean radius for isotropic spacing,
/// and half of the largest spacing otherwise.
pub fn check(verdict: &mut Verdict, object: &Object, skeleton: &Skeleton, axes: &[Axis]) {
    if axes.is_empty() {
        return;
    }
    let longer: Vec<Vec<Point3<f64>>> = axes.iter().map(lengthened).collect();
    let near = |point: Point3<f64>| {
        let segments = longer.iter().flat_map(|points| points.windows(2));
        segments
            .map(|pair| distance_to_segment(point, pair[0], pair[1]))
            .fold(f64::INFINITY, f64::min)
    };
    let spacing = object.spacing();
    let axes_length: f64 = axes.iter().map(Axis::length).sum();
    let radius = axes
        .iter()
        .map(|axis| axis.radius * axis.length())
        .sum::<f64>()
        / axes_length;
    let is_even = spacing.max() <= spacing.min() * (1.0 + 1e-9);
    let allowed = if is_even {
        (0.25 * spacing.max()).max(0.05 * radius)
    } else {
        0.5 * spacing.max()
    };
    let (mut sum, mut weight, mut length) = (0.0, 0.0, 0.0);
    let mut farthest = (0.0, Point3::origin());
    for sample in samples::sample_curves(object, skeleton, None, 0.5 * spacing.min()) {
        let distance = near(sample.world);
        // a node without a curve counts too if there is nothing else
        let counts = sample.weight.max(1e-12);
        sum += distance * counts;
        weight += counts;
        length += sample.weight;
        if distance >= farthest.0 {
            farthest = (distance, sample.voxels);
        }
    }
    let deviation = Deviation {
        mean: if weight > 0.0 { sum / weight } else { 0.0 },
        max: farthest.0,
        allowed,
        length_ratio: length / axes_length,
    };
    verdict.deviation = Some(deviation);
    if deviation.mean > allowed {
        verdict.centred.add_fault(None, farthest.1, || {
            format!(
                "the mean distance of curves from the axes is {:.3}, of this point {:.3}; {allowed:.3} is allowed",
                deviation.mean, deviation.max
            )
        });
    }
}

/// Returns the points of an axis extended by its radius at both ends, unless it is closed.
fn lengthened(axis: &Axis) -> Vec<Point3<f64>> {
    let mut points = axis.points.clone();
    let count = points.len();
    if count < 2 || points[0] == points[count - 1] {
        return points;
    }
    let beyond = |inner: Point3<f64>, end: Point3<f64>| {
        let along = end - inner;
        end + along * (axis.radius / along.norm().max(f64::MIN_POSITIVE))
    };
    points.insert(0, beyond(points[1], points[0]));
    points.push(beyond(points[count - 1], points[count]));
    points
}
