//! Curves with points at even distances.

use super::intermediate_graph::Draft;
use crate::{
    memory::{ExtendOrUnwind, with_capacity_or_unwind},
    parallel,
    skeleton::medial::{
        context::Known,
        paths::segment_voxels::{Place, cross, in_voxels, nearest, voxel_at},
        topology::cocycle::Cocycle,
    },
};

/// The least distance between points, in the smallest spacing; where a curve is thick, this part of
/// its radius.
const LEAST: f64 = 1.5;
const OF_RADIUS: f64 = 0.5;

/// The class of a way, by its bits; none if it leaves the component.
pub fn class_of(known: &Known<'_>, cocycle: &Cocycle, points: &[Place]) -> Option<Vec<u32>> {
    class_by(known, cocycle, points, &mut with_capacity_or_unwind(16))
}

/// The same, with room for the voxels that the way leads through.
fn class_by(
    known: &Known<'_>,
    cocycle: &Cocycle,
    points: &[Place],
    way: &mut Vec<u32>,
) -> Option<Vec<u32>> {
    way.clear();
    way.extend_or_unwind(voxel_at(known.object, points[0]).map(|voxel| voxel as u32));
    for ends in points.windows(2) {
        if !cross(known.object, ends[0], ends[1], way) {
            return None;
        }
    }
    way.extend_or_unwind(
        voxel_at(known.object, points[points.len() - 1]).map(|voxel| voxel as u32),
    );
    Some(cocycle.bits_of(known.object, way))
}

/// Whether two ways between the same places have the same class, and both are in the component.
pub fn is_same(known: &Known<'_>, cocycle: &Cocycle, one: &[Place], other: &[Place]) -> bool {
    let mut way = with_capacity_or_unwind(16);
    let first = class_by(known, cocycle, one, &mut way);
    first.is_some() && first == class_by(known, cocycle, other, &mut way)
}

/// Gives all edges points at even distances along them. Where the straight line between two of
/// these leaves the component or changes the class, the points between stay.
pub fn resample(known: &Known<'_>, cocycle: &Cocycle, draft: &mut Draft) {
    parallel::for_each_mut(&mut draft.edges, |_, edge| {
        let points = &edge.points;
        let radii: f64 = points.iter().map(|&point| known.about_radius(point)).sum();
        let step = (OF_RADIUS * radii / points.len() as f64).max(LEAST);
        let mut sums = vec![0.0];
        for ends in points.windows(2) {
            sums.push_or_unwind(sums[sums.len() - 1] + known.distance(ends[0], ends[1]));
        }
        let length = sums[sums.len() - 1];
        // a ring keeps three points
        let least = if edge.nodes[0] == edge.nodes[1] {
            3.0
        } else {
            1.0
        };
        let count = (length / step).round().max(least) as usize;
        let mut resampled = vec![points[0]];
        // the last original point at or before the last one
        let mut from = 0;
        for number in 1..=count {
            let along = length * number as f64 / count as f64;
            let mut to = from;
            while to + 1 < points.len() - 1 && sums[to + 1] <= along {
                to += 1;
            }
            let next = if number == count {
                points[points.len() - 1]
            } else {
                let part = (along - sums[to]) / (sums[to + 1] - sums[to]);
                let [a, b] = [in_voxels(points[to]), in_voxels(points[to + 1])];
                nearest([0, 1, 2].map(|axis| a[axis] + part * (b[axis] - a[axis])))
            };
            let last = resampled[resampled.len() - 1];
            let mut way = vec![last];
            way.extend_or_unwind(
                points[from + 1..=to]
                    .iter()
                    .copied()
                    .filter(|&at| at != last && at != next),
            );
            way.push_or_unwind(next);
            if next != last {
                if is_same(known, cocycle, &way, &[last, next]) {
                    resampled.push_or_unwind(next);
                } else {
                    resampled.extend_or_unwind(way[1..].iter().copied());
                }
            }
            from = to;
        }
        edge.points = resampled;
    });
}
