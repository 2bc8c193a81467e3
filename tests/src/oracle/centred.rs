//! How far curves are from axes that are known.

use super::{Object, Verdict, samples};
use crate::known::{Axis, to_segment};
use ferrovox::graph::Skeleton;
use nalgebra::Point3;

/// Distances of curves from the nearest axis, in world units.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Deviation {
    /// By length.
    pub mean: f64,
    /// The farthest point's.
    pub most: f64,
    /// What the mean may be.
    pub allowed: f64,
    /// The length of the curves divided by that of the axes.
    pub share: f64,
}

/// Measures the curves. Axes go on straight by their radius at both ends, so that what reaches a
/// tip is measured across.
///
/// The mean may be a quarter of a voxel or a twentieth of the mean radius where the spacing is the
/// same along all axes, and half of the largest spacing where it is not.
pub fn check(verdict: &mut Verdict, object: &Object, skeleton: &Skeleton, axes: &[Axis]) {
    if axes.is_empty() {
        return;
    }
    let longer: Vec<Vec<Point3<f64>>> = axes.iter().map(lengthened).collect();
    let near = |point: Point3<f64>| {
        let segments = longer.iter().flat_map(|points| points.windows(2));
        segments
            .map(|pair| to_segment(point, pair[0], pair[1]))
            .fold(f64::INFINITY, f64::min)
    };
    let spacing = object.spacing();
    let own: f64 = axes.iter().map(Axis::length).sum();
    let radius = axes
        .iter()
        .map(|axis| axis.radius * axis.length())
        .sum::<f64>()
        / own;
    let is_even = spacing.max() <= spacing.min() * (1.0 + 1e-9);
    let allowed = if is_even {
        (0.25 * spacing.max()).max(0.05 * radius)
    } else {
        0.5 * spacing.max()
    };
    let (mut sum, mut weight, mut length) = (0.0, 0.0, 0.0);
    let mut most = (0.0, Point3::origin());
    for sample in samples::along(object, skeleton, None, 0.5 * spacing.min()) {
        let far = near(sample.world);
        // a node without a curve counts too where there is nothing else
        let counts = sample.weight.max(1e-12);
        sum += far * counts;
        weight += counts;
        length += sample.weight;
        if far >= most.0 {
            most = (far, sample.voxels);
        }
    }
    let deviation = Deviation {
        mean: if weight > 0.0 { sum / weight } else { 0.0 },
        most: most.0,
        allowed,
        share: length / own,
    };
    verdict.deviation = Some(deviation);
    if deviation.mean > allowed {
        verdict.centred.fault(None, most.1, || {
            format!(
                "curves are {:.3} from the axes in the mean and {:.3} here; {allowed:.3} is allowed",
                deviation.mean, deviation.most
            )
        });
    }
}

/// The points of an axis, which goes on by its radius unless it is closed.
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
