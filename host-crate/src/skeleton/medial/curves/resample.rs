//! Resampling of curves to evenly spaced points.

use super::intermediate_graph::IntermediateGraph;
use crate::{
    memory::{ExtendOrUnwind, with_capacity_or_unwind},
    parallel,
    skeleton::medial::{
        context::ComponentContext,
        topology::cocycle::Cocycle,
        voxels::segment_voxels::{FixedPoint, to_fixed, to_voxels, traverse_segment, voxel_at},
    },
};

/// Minimum spacing of points, in units of the smallest spacing.
const MIN_SPACING: f64 = 1.5;
/// Spacing of points of thick curves, as a fraction of the mean inscribed radius.
const RADIUS_FRACTION: f64 = 0.5;

/// Maximum number of points per voxel that a curve passes: along a spacing that is many times the
/// smallest one, more points would follow the same straight line.
const MAX_POINTS_PER_VOXEL: f64 = 4.0;

/// Returns the bits of the homology class of a polyline, or `None` if it leaves the component.
pub fn polyline_class(
    context: &ComponentContext<'_>,
    cocycle: &Cocycle,
    points: &[FixedPoint],
) -> Option<Vec<u32>> {
    polyline_class_with(context, cocycle, points, &mut with_capacity_or_unwind(16))
}

/// Computes [`polyline_class`] with a reusable buffer for the traversed voxels.
fn polyline_class_with(
    context: &ComponentContext<'_>,
    cocycle: &Cocycle,
    points: &[FixedPoint],
    path: &mut Vec<u32>,
) -> Option<Vec<u32>> {
    path.clear();
    path.extend_or_unwind(voxel_at(context.object, points[0]).map(|voxel| voxel as u32));
    for ends in points.windows(2) {
        if !traverse_segment(context.object, ends[0], ends[1], path) {
            return None;
        }
    }
    path.extend_or_unwind(
        voxel_at(context.object, points[points.len() - 1]).map(|voxel| voxel as u32),
    );
    Some(cocycle.path_bits(path))
}

/// Returns `true` if two polylines between the same positions have the same homology class and stay
/// inside the component.
pub fn is_same_class(
    context: &ComponentContext<'_>,
    cocycle: &Cocycle,
    one: &[FixedPoint],
    other: &[FixedPoint],
) -> bool {
    let mut path = with_capacity_or_unwind(16);
    let first = polyline_class_with(context, cocycle, one, &mut path);
    first.is_some() && first == polyline_class_with(context, cocycle, other, &mut path)
}

/// Returns the length of a segment as the maximum of its coordinate differences, in voxels.
fn voxel_steps(a: FixedPoint, b: FixedPoint) -> f64 {
    let [a, b] = [to_voxels(a), to_voxels(b)];
    (0..3)
        .map(|axis| (b[axis] - a[axis]).abs())
        .fold(0.0, f64::max)
}

/// Resamples all edges to evenly spaced points. Where the straight line between two samples leaves
/// the component or changes the homology class, the original points are kept.
pub fn resample(context: &ComponentContext<'_>, cocycle: &Cocycle, graph: &mut IntermediateGraph) {
    parallel::for_each_mut(&mut graph.edges, |_, edge| {
        let points = &edge.points;
        let radii: f64 = points
            .iter()
            .map(|&point| context.approximate_radius(point))
            .sum();
        let step = (RADIUS_FRACTION * radii / points.len() as f64).max(MIN_SPACING);
        let mut arc_lengths = vec![0.0];
        for ends in points.windows(2) {
            arc_lengths.push_or_unwind(
                arc_lengths[arc_lengths.len() - 1] + context.distance(ends[0], ends[1]),
            );
        }
        let length = arc_lengths[arc_lengths.len() - 1];
        // loops keep three points
        let min_count = if edge.nodes[0] == edge.nodes[1] {
            3.0
        } else {
            1.0
        };
        let voxels: f64 = points
            .windows(2)
            .map(|ends| voxel_steps(ends[0], ends[1]))
            .sum();
        let max_count = (MAX_POINTS_PER_VOXEL * voxels).ceil();
        let count = (length / step).round().min(max_count).max(min_count) as usize;
        let mut resampled = vec![points[0]];
        // index of the last original point at or before the last sample
        let mut from = 0;
        for number in 1..=count {
            let arc_length = length * number as f64 / count as f64;
            let mut to = from;
            while to + 1 < points.len() - 1 && arc_lengths[to + 1] <= arc_length {
                to += 1;
            }
            let next = if number == count {
                points[points.len() - 1]
            } else {
                let fraction =
                    (arc_length - arc_lengths[to]) / (arc_lengths[to + 1] - arc_lengths[to]);
                let [a, b] = [to_voxels(points[to]), to_voxels(points[to + 1])];
                to_fixed([0, 1, 2].map(|axis| a[axis] + fraction * (b[axis] - a[axis])))
            };
            let last = resampled[resampled.len() - 1];
            let mut path = vec![last];
            path.extend_or_unwind(
                points[from + 1..=to]
                    .iter()
                    .copied()
                    .filter(|&at| at != last && at != next),
            );
            path.push_or_unwind(next);
            if next != last {
                if is_same_class(context, cocycle, &path, &[last, next]) {
                    resampled.push_or_unwind(next);
                } else {
                    resampled.extend_or_unwind(path[1..].iter().copied());
                }
            }
            from = to;
        }
        edge.points = resampled;
    });
}
