//! Ends of curves: straight on from where the curve is in the middle, instead of to the voxel that was farthest.

use super::{
    centre::direction,
    cocycle::Cocycle,
    crossing::{Place, cross, in_voxels, nearest},
    draft::Draft,
    known::Known,
    resample::is_same,
};
use nalgebra::Vector3;

/// Curves that are thinner keep their ends as they are; in the smallest spacing.
const THIN: f64 = 1.5;
/// An end is not made shorter than this part of what it was.
const KEPT: f64 = 0.7;
/// The steps in which a curve goes on, in the smallest spacing.
const STEP: f64 = 0.5;

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
            let mut length = 0.0;
            let mut found = None;
            for at in 1..count - 1 {
                length += known.distance(point(at - 1), point(at));
                let radius = known.radius(point(at));
                if length >= radius {
                    found = (radius >= THIN).then_some((at, radius));
                    break;
                }
            }
            // something has to be left to go on from
            let Some((at, radius)) = found.filter(|&(at, _)| at + 2 < count) else {
                continue;
            };
            let old: Vec<Place> = (0..=at).map(&point).collect();
            if end == 0 {
                edge.points.drain(..at);
            } else {
                edge.points.truncate(count - at);
            }
            draft.nodes[node] = old[at];
            cuts.push(Cut {
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

/// An end that has been cut off.
pub struct Cut {
    edge: usize,
    /// 0 if it was the edge's first, 1 if its last.
    end: usize,
    node: usize,
    /// From the end to where it was cut.
    old: Vec<Place>,
    length: f64,
    radius: f64,
}

/// Has cut ends go straight on up to the surface; where that is much shorter than what was there, they become that again.
pub fn extend(known: &Known<'_>, cocycle: &mut Cocycle, draft: &mut Draft, cuts: Vec<Cut>) {
    for cut in cuts {
        let edge = &mut draft.edges[cut.edge];
        if cut.end == 1 {
            edge.points.reverse();
        }
        // now the end is the first
        let start = edge.points[0];
        let mut back = 0;
        let mut length = 0.0;
        while back + 1 < edge.points.len() && length < cut.radius.max(2.0) {
            length += known.distance(edge.points[back], edge.points[back + 1]);
            back += 1;
        }
        let straight = direction(known, edge.points[back], start)
            .map(|way| straight_on(known, start, &way, 3.0 * cut.length + 2.0 * cut.radius));
        let straight = straight.unwrap_or_default();
        let reached = straight
            .last()
            .map_or(0.0, |&last| known.distance(start, last));
        let mut new: Vec<Place> = if reached >= KEPT * cut.length {
            straight
        } else {
            // where it was cut has not moved across, or its way back is inside
            let mut old: Vec<Place> = cut.old.iter().rev().copied().collect();
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
        draft.nodes[cut.node] = edge.points[0];
        if cut.end == 1 {
            edge.points.reverse();
        }
    }
}

/// The points on the straight way on from a place up to half of the smallest spacing from the surface, or up to a length.
fn straight_on(known: &Known<'_>, start: Place, way: &Vector3<f64>, most: f64) -> Vec<Place> {
    let mut points = Vec::new();
    let from = in_voxels(start);
    let mut last = start;
    let mut length = STEP;
    while length <= most {
        let step = known.metric.step((way * length).into());
        let next = nearest([0, 1, 2].map(|axis| from[axis] + step[axis]));
        if !cross(known.object, last, next, &mut Vec::new()) || known.radius(next) < 0.49 {
            break;
        }
        points.push(next);
        last = next;
        length += STEP;
    }
    points
}
