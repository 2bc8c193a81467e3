//! Ends of curves: straight on from where the curve is in the middle, instead of to the voxel that
//! was farthest.

use super::{
    intermediate_graph::{Draft, DraftEdge},
    resample::is_same,
};
use crate::{
    memory::{CollectOrUnwind, ExtendOrUnwind, ReserveOrUnwind},
    parallel,
    skeleton::medial::{
        context::{Known, direction},
        paths::segment_voxels::{Place, cross, in_voxels, nearest},
        topology::cocycle::Cocycle,
    },
};
use nalgebra::Vector3;

/// Curves that are thinner keep their ends as they are; in the smallest spacing.
const THIN: f64 = 1.2;
/// A curve is in the middle where its radius is this part of the greatest within that radius
/// further on.
const GROWN: f64 = 0.9;
/// An end is cut that is no longer than so many of the radii there, and so many of the smallest
/// spacing: the edge of a tube's flat end is at 1.41 radii.
const LONGEST: [f64; 2] = [2.2, 1.0];
/// Straight on, an end reaches at least this part of how far it was, less the smallest spacing.
const KEPT: f64 = 0.8;
/// The steps in which a curve goes on, in the smallest spacing.
const STEP: f64 = 0.25;

/// Cuts the ends of curves where they leave the middle. What is cut is given back to [`extend`].
pub fn cut(known: &Known<'_>, draft: &mut Draft) -> Vec<Cut> {
    let degrees = draft.degrees();
    let mut cuts = Vec::new();
    for (number, edge) in draft.edges.iter_mut().enumerate() {
        if edge.nodes[0] == edge.nodes[1] {
            continue;
        }
        for (end, &node) in edge.nodes.iter().enumerate() {
            if degrees[node] != 1 {
                continue;
            }
            let count = edge.points.len();
            let point = |at: usize| edge.points[if end == 0 { at } else { count - 1 - at }];
            let found = arrival(known, count, point);
            let Some((at, length, radius)) = found else {
                continue;
            };
            let old: Vec<Place> = (0..=at).map(&point).collect_or_unwind();
            if end == 0 {
                edge.points.drain(..at);
            } else {
                edge.points.truncate(count - at);
            }
            draft.nodes[node] = old[at];
            cuts.push_or_unwind(Cut {
                edge: number,
                end,
                node,
                old,
                length,
                radius,
            });
        }
    }
    cuts
}

/// Where a curve of `count` points from its end on arrives in the middle: the number of the point,
/// the length up to it, and the radius there.
fn arrival(
    known: &Known<'_>,
    count: usize,
    point: impl Fn(usize) -> Place,
) -> Option<(usize, f64, f64)> {
    // lengths and radii of the points that have been looked at
    let mut seen = vec![(0.0, known.radius(point(0)))];
    // something has to be left to go on from
    for at in 1..count.saturating_sub(2) {
        let look = |seen: &mut Vec<(f64, f64)>, next: usize| {
            while seen.len() <= next {
                let last = seen.len();
                let length = seen[last - 1].0 + known.distance(point(last - 1), point(last));
                seen.push_or_unwind((length, known.radius(point(last))));
            }
            seen[next]
        };
        let (length, radius) = look(&mut seen, at);
        let mut most = radius;
        for next in at + 1..count {
            let (further, other) = look(&mut seen, next);
            most = most.max(other);
            if further > length + radius {
                break;
            }
        }
        if radius >= THIN && radius >= GROWN * most {
            let is_end = length <= LONGEST[0] * radius + LONGEST[1];
            return is_end.then_some((at, length, radius));
        }
    }
    None
}

/// An end that has been cut off.
pub struct Cut {
    pub edge: usize,
    /// 0 if it was the edge's first, 1 if its last.
    pub end: usize,
    pub node: usize,
    /// From the end to where it was cut.
    old: Vec<Place>,
    length: f64,
    radius: f64,
}

/// Has cut ends go straight on up to the surface; where that is much shorter than what was there,
/// they become that again.
pub fn extend(known: &Known<'_>, cocycle: &Cocycle, draft: &mut Draft, cuts: Vec<Cut>) {
    let mut of_edges: Vec<Vec<Cut>> = Vec::new();
    of_edges.reserve_or_unwind(draft.edges.len());
    of_edges.resize_with(draft.edges.len(), Vec::new);
    for cut in cuts {
        of_edges[cut.edge].push_or_unwind(cut);
    }
    let ends = parallel::map_mut(&mut draft.edges, |number, edge| {
        let cuts = of_edges[number].iter();
        let extended = cuts.map(|cut| (cut.node, extend_end(known, cocycle, edge, cut)));
        extended.collect_or_unwind()
    });
    for (node, place) in ends.into_iter().flatten() {
        draft.nodes[node] = place;
    }
}

/// Has one end go on; where it is then.
fn extend_end(known: &Known<'_>, cocycle: &Cocycle, edge: &mut DraftEdge, cut: &Cut) -> Place {
    if cut.end == 1 {
        edge.points.reverse();
    }
    // now the end is the first
    let start = edge.points[0];
    let straight = going_on(known, &edge.points, cut.old[0], cut.length, cut.radius);
    let mut new: Vec<Place> = if let Some(straight) = straight {
        straight
    } else {
        // where it was cut has not moved across, or its way back is inside
        let mut old: Vec<Place> = cut.old.iter().rev().copied().collect_or_unwind();
        if old[0] == start {
            old.remove(0);
        } else {
            let before = [cut.old[cut.old.len() - 1], start];
            let is_inside = is_same(known, cocycle, &before, &before);
            if !is_inside {
                old.clear();
            }
        }
        old
    };
    new.reverse();
    edge.points.splice(0..0, new);
    let end = edge.points[0];
    if cut.end == 1 {
        edge.points.reverse();
    }
    end
}

/// Where a curve would go from its end, which is the first of its points, if it were cut and went
/// straight on.
pub fn end_of(known: &Known<'_>, points: &[Place]) -> Vec<Place> {
    arrival(known, points.len(), |at| points[at])
        .and_then(|(at, length, radius)| going_on(known, &points[at..], points[0], length, radius))
        .unwrap_or_default()
}

/// The straight way on from the first of some points, if it reaches about as far as the old end.
fn going_on(
    known: &Known<'_>,
    points: &[Place],
    old: Place,
    length: f64,
    radius: f64,
) -> Option<Vec<Place>> {
    let start = points[0];
    let mut back = 0;
    let mut passed = 0.0;
    while back + 1 < points.len() && passed < radius.max(2.0) {
        passed += known.distance(points[back], points[back + 1]);
        back += 1;
    }
    let way = direction(known, points[back], start)?;
    let straight = straight_on(known, start, &way, 3.0 * length + 2.0 * radius);
    let reached = straight
        .last()
        .map_or(0.0, |&last| known.distance(start, last));
    let [from, to] = [start, old].map(in_voxels);
    let old = known
        .metric
        .world([0, 1, 2].map(|axis| to[axis] - from[axis]));
    (reached + 1.0 >= KEPT * Vector3::from(old).dot(&way)).then_some(straight)
}

/// The points on the straight way on from a place up to half of the smallest spacing from the
/// surface, or up to a length.
fn straight_on(known: &Known<'_>, start: Place, way: &Vector3<f64>, most: f64) -> Vec<Place> {
    let mut points = Vec::new();
    let from = in_voxels(start);
    let mut last = start;
    let mut length = STEP;
    while length <= most {
        let step = known.metric.step((way * length).into());
        let next = nearest([0, 1, 2].map(|axis| from[axis] + step[axis]));
        if !cross(known.object, last, next, &mut Vec::new()) || known.is_within(next, 0.49) {
            break;
        }
        points.push_or_unwind(next);
        last = next;
        length += STEP;
    }
    points
}
