//! Curves are moved to where the force of the surface vanishes across them.

use super::{
    cocycle::Cocycle,
    crossing::{Place, in_voxels, nearest},
    draft::Draft,
    force::{Sources, step_across, step_to_rest},
    known::{Known, direction},
    resample::is_same,
    steps::Stage,
    tips::Cut,
};
use crate::monitor::Cancelled;
use nalgebra::Vector3;
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How often all points are moved.
const SWEEPS: usize = 4;
/// A point that moves less than this, in the smallest spacing, rests: the next step of Newton's method would be of the order of its square.
const REST: f64 = 0.05;
/// The longest move at a time, in the smallest spacing, and in radii.
const LONGEST: [f64; 2] = [1.0, 0.3];

/// Moves points and junctions of curves, and of their ends those that have been cut: across the curve, and only where nothing leaves the component or changes its class.
pub fn centre(
    known: &Known<'_>,
    cocycle: &Cocycle,
    draft: &mut Draft,
    cuts: &[Cut],
) -> Result<(), Cancelled> {
    let centring = Centring {
        known,
        cocycle,
        sources: Sources::of(known),
    };
    let all: usize = draft.edges.iter().map(|edge| edge.points.len()).sum();
    let done = AtomicUsize::new(0);
    let tangents: Result<Vec<Vec<Vector3<f64>>>, Cancelled> = draft
        .edges
        .par_iter_mut()
        .map(|edge| {
            let tangents = tangents(known, &edge.points);
            centring.move_points(&mut edge.points, &tangents)?;
            let count = edge.points.len();
            let done = done.fetch_add(count, Ordering::Relaxed) + count;
            known.steps.at(Stage::Centre, done, all)?;
            Ok(tangents)
        })
        .collect();
    let tangents = tangents?;
    let mut ends: Vec<Vec<[usize; 2]>> = vec![Vec::new(); draft.nodes.len()];
    for (number, edge) in draft.edges.iter().enumerate() {
        for (end, &node) in edge.nodes.iter().enumerate() {
            ends[node].push([number, end]);
        }
    }
    for (node, ends) in ends.iter().enumerate() {
        if ends.len() >= 2 {
            known.steps.check()?;
            centring.move_node(draft, node, ends, None);
        }
    }
    for cut in cuts {
        let tangents = &tangents[cut.edge];
        let tangent = tangents[if cut.end == 0 { 0 } else { tangents.len() - 1 }];
        known.steps.check()?;
        centring.move_node(draft, cut.node, &ends[cut.node], Some(tangent));
    }
    Ok(())
}

/// What places are moved by.
struct Centring<'a> {
    known: &'a Known<'a>,
    cocycle: &'a Cocycle,
    sources: Sources,
}

impl Centring<'_> {
    /// Moves the points between an edge's ends.
    fn move_points(
        &self,
        points: &mut [Place],
        tangents: &[Vector3<f64>],
    ) -> Result<(), Cancelled> {
        let mut rests = vec![false; points.len()];
        for _ in 0..SWEEPS {
            let mut any = false;
            for at in 1..points.len() - 1 {
                if rests[at] {
                    continue;
                }
                self.known.steps.check()?;
                let [before, after] = [points[at - 1], points[at + 1]];
                let is_allowed = |from: Place, to: Place| {
                    to != before
                        && to != after
                        && self.is_same(&[before, from, after], &[before, to, after])
                };
                let moved = self.moved(points[at], Some(tangents[at]), is_allowed);
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
        Ok(())
    }

    fn is_same(&self, one: &[Place], other: &[Place]) -> bool {
        is_same(self.known, self.cocycle, one, other)
    }

    /// Moves a junction with the ends of its edges.
    fn move_node(
        &self,
        draft: &mut Draft,
        node: usize,
        ends: &[[usize; 2]],
        tangent: Option<Vector3<f64>>,
    ) {
        let known = self.known;
        // nodes across edges: they do not come nearer than half of what they were
        let here = draft.nodes[node];
        let mut neighbours = Vec::new();
        // the second points of the edges there
        let mut others = Vec::new();
        for &[edge, end] in ends {
            let edge = &draft.edges[edge];
            let far = edge.nodes[1 - end];
            if far != node {
                let other = draft.nodes[far];
                neighbours.push((other, 0.5 * known.distance(here, other)));
            }
            others.push(edge.points[if end == 0 { 1 } else { edge.points.len() - 2 }]);
        }
        // on a ring across it
        let tangent = match (tangent, &others[..]) {
            (Some(tangent), _) => Some(tangent),
            (None, &[one, other]) => match direction(known, one, other) {
                Some(tangent) => Some(tangent),
                None => return,
            },
            _ => None,
        };
        for _ in 0..SWEEPS {
            let is_allowed = |from: Place, to: Place| {
                let is_apart = |&(other, least): &(Place, f64)| known.distance(to, other) >= least;
                neighbours.iter().all(is_apart)
                    && others.iter().all(|&other| {
                        other != to && self.is_same(&[other, from], &[other, to, from])
                    })
            };
            let Some((place, length)) = self.moved(draft.nodes[node], tangent, is_allowed) else {
                break;
            };
            draft.nodes[node] = place;
            if length < REST {
                break;
            }
        }
        let place = draft.nodes[node];
        for &[edge, end] in ends {
            let points = &mut draft.edges[edge].points;
            let at = if end == 0 { 0 } else { points.len() - 1 };
            points[at] = place;
        }
    }

    /// Where a place moves, across a direction if there is one, and how far, if that is allowed.
    fn moved(
        &self,
        place: Place,
        tangent: Option<Vector3<f64>>,
        is_allowed: impl Fn(Place, Place) -> bool,
    ) -> Option<(Place, f64)> {
        let known = self.known;
        let at = in_voxels(place);
        let radius = known.about_radius(place);
        let (force, jacobian) = self.sources.force_at(known, at, radius);
        let mut step = match tangent {
            Some(tangent) => step_across(&force, &jacobian, &tangent),
            None => step_to_rest(&force, &jacobian),
        };
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
            if is_allowed(place, next) {
                return Some((next, step.norm()));
            }
            step *= 0.5;
        }
        None
    }
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
