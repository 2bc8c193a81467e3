//! Curves are moved to where the force of the surface vanishes across them.

use super::{
    cocycle::Cocycle,
    crossing::{Place, in_voxels, nearest},
    draft::Draft,
    force::{across, force_at, step_to_rest},
    known::{Known, direction},
    resample::is_same,
    tips::Cut,
};
use nalgebra::{Matrix3, Vector3};

/// How often all points are moved.
const SWEEPS: usize = 6;
/// A point that moves less than this, in the smallest spacing, rests: the next step of Newton's method would be of the order of its square.
const REST: f64 = 0.05;
/// The longest move at a time, in the smallest spacing, and in radii.
const LONGEST: [f64; 2] = [0.5, 0.3];

/// Moves points and junctions of curves, and of their ends those that have been cut: across the curve, and only where nothing leaves the component or changes its class.
pub fn centre(known: &Known<'_>, cocycle: &mut Cocycle, draft: &mut Draft, cuts: &[Cut]) {
    let degrees = draft.degrees();
    let tangents: Vec<Vec<Vector3<f64>>> = draft
        .edges
        .iter()
        .map(|edge| tangents(known, &edge.points))
        .collect();
    for number in 0..draft.edges.len() {
        let points = &mut draft.edges[number].points;
        let mut rests = vec![false; points.len()];
        for _ in 0..SWEEPS {
            let mut any = false;
            for at in 1..points.len() - 1 {
                if rests[at] {
                    continue;
                }
                let frame = across(&tangents[number][at]);
                let around = [points[at - 1], points[at + 1]];
                let is_allowed = |cocycle: &mut Cocycle, from: Place, to: Place| {
                    let [before, after] = around;
                    to != before
                        && to != after
                        && is_same(known, cocycle, &[before, from, after], &[before, to, after])
                };
                let moved = moved(known, cocycle, points[at], &frame, is_allowed);
                rests[at] = moved.is_none_or(|(_, length)| length < REST);
                if let Some((place, _)) = moved {
                    points[at] = place;
                    any = true;
                }
            }
            if !any {
                break;
            }
        }
    }
    for node in 0..draft.nodes.len() {
        if degrees[node] >= 2 {
            move_node(known, cocycle, draft, node, None);
        }
    }
    for cut in cuts {
        let tangents = &tangents[cut.edge];
        let tangent = tangents[if cut.end == 0 { 0 } else { tangents.len() - 1 }];
        move_node(known, cocycle, draft, cut.node, Some(tangent));
    }
}

/// Moves a junction with the ends of its edges.
fn move_node(
    known: &Known<'_>,
    cocycle: &mut Cocycle,
    draft: &mut Draft,
    node: usize,
    tangent: Option<Vector3<f64>>,
) {
    // the second points of the edges there
    let mut others = Vec::new();
    for edge in &draft.edges {
        let last = edge.points.len() - 1;
        if edge.nodes[0] == node {
            others.push(edge.points[1]);
        }
        if edge.nodes[1] == node {
            others.push(edge.points[last - 1]);
        }
    }
    // on a ring across it
    let frame = match (tangent, &others[..]) {
        (Some(tangent), _) => across(&tangent),
        (None, &[one, other]) => match direction(known, one, other) {
            Some(tangent) => across(&tangent),
            None => return,
        },
        _ => Matrix3::identity(),
    };
    for _ in 0..SWEEPS {
        let is_allowed = |cocycle: &mut Cocycle, from: Place, to: Place| {
            others.iter().all(|&other| {
                other != to && is_same(known, cocycle, &[other, from], &[other, to, from])
            })
        };
        let Some((place, length)) = moved(known, cocycle, draft.nodes[node], &frame, is_allowed)
        else {
            break;
        };
        draft.nodes[node] = place;
        if length < REST {
            break;
        }
    }
    let place = draft.nodes[node];
    for edge in &mut draft.edges {
        let last = edge.points.len() - 1;
        if edge.nodes[0] == node {
            edge.points[0] = place;
        }
        if edge.nodes[1] == node {
            edge.points[last] = place;
        }
    }
}

/// Where a place moves in some directions, and how far, if that is allowed.
fn moved(
    known: &Known<'_>,
    cocycle: &mut Cocycle,
    place: Place,
    frame: &Matrix3<f64>,
    is_allowed: impl Fn(&mut Cocycle, Place, Place) -> bool,
) -> Option<(Place, f64)> {
    let at = in_voxels(place);
    let radius = known.about_radius(place);
    let (force, jacobian) = force_at(known, at, radius);
    let mut step = step_to_rest(&force, &jacobian, frame);
    let longest = LONGEST[0].min(LONGEST[1] * radius);
    let length = step.norm();
    if !length.is_finite() {
        return None;
    }
    if length > longest {
        step *= longest / length;
    }
    for _ in 0..3 {
        let way = known.metric.step(step.into());
        let next = nearest([0, 1, 2].map(|axis| at[axis] + way[axis]));
        if next == place {
            return None;
        }
        if is_allowed(cocycle, place, next) {
            return Some((next, step.norm()));
        }
        step *= 0.5;
    }
    None
}

/// The direction of a curve at each point, from the points within the radius there, and at least two steps, before and after.
fn tangents(known: &Known<'_>, points: &[Place]) -> Vec<Vector3<f64>> {
    let mut tangents = Vec::with_capacity(points.len());
    for at in 0..points.len() {
        let reach = known.about_radius(points[at]).max(2.0);
        let mut ends = [at, at];
        let mut lengths = [0.0, 0.0];
        while ends[0] > 0 && (lengths[0] < reach || at - ends[0] < 2) {
            lengths[0] += known.distance(points[ends[0]], points[ends[0] - 1]);
            ends[0] -= 1;
        }
        while ends[1] + 1 < points.len() && (lengths[1] < reach || ends[1] - at < 2) {
            lengths[1] += known.distance(points[ends[1]], points[ends[1] + 1]);
            ends[1] += 1;
        }
        let tangent = direction(known, points[ends[0]], points[ends[1]]);
        let last = tangents.last().copied();
        tangents.push(tangent.or(last).unwrap_or_else(Vector3::x));
    }
    tangents
}
