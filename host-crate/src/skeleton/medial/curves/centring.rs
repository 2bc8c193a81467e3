//! Curves are moved to where the force of the surface vanishes across them.

use super::{
    endpoints::Cut,
    intermediate_graph::Draft,
    resample::is_same,
    surface_force::{Sources, step_across, step_to_rest},
};
use crate::{
    memory::{
        CollectOrUnwind, ExtendOrUnwind, filled_or_unwind, with_capacity_or_unwind,
        zeroed_or_unwind,
    },
    monitor::Cancelled,
    parallel,
    skeleton::medial::{
        context::{Known, direction},
        paths::segment_voxels::{Place, in_voxels, nearest},
        progress::Stage,
        topology::cocycle::Cocycle,
    },
};
use nalgebra::Vector3;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How often all points are moved.
const SWEEPS: usize = 4;
/// A point that moves less than this, in the smallest spacing, rests: the next step of Newton's
/// method would be of the order of its square.
const REST: f64 = 0.05;
/// The longest move at a time, in the smallest spacing, and in radii.
const LONGEST: [f64; 2] = [1.0, 0.3];
/// Threads take so many points of a curve at least.
const FEW: usize = 8;

/// Moves points and junctions of curves, and of their ends those that have been cut: across the
/// curve, and only where nothing leaves the component or changes its class.
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
    let tangents: Vec<Vec<Vector3<f64>>> = parallel::try_map_mut(&mut draft.edges, |_, edge| {
        let tangents = tangents(known, &edge.points);
        centring.move_points(&mut edge.points, &tangents)?;
        let count = edge.points.len();
        let done = done.fetch_add(count, Ordering::Relaxed) + count;
        known.steps.at(Stage::Centre, done, all)?;
        Ok::<_, Cancelled>(tangents)
    })?;
    let mut ends: Vec<Vec<[usize; 2]>> = filled_or_unwind(Vec::new(), draft.nodes.len());
    for (number, edge) in draft.edges.iter().enumerate() {
        for (end, &node) in edge.nodes.iter().enumerate() {
            ends[node].push_or_unwind([number, end]);
        }
    }
    let joints = (0..draft.nodes.len()).filter(|&node| ends[node].len() >= 2);
    let joints = joints.map(|node| (node, None));
    let cut_ends = cuts.iter().map(|cut| {
        let tangents = &tangents[cut.edge];
        let last = if cut.end == 0 { 0 } else { tangents.len() - 1 };
        (cut.node, Some(tangents[last]))
    });
    for wave in in_waves(joints.chain(cut_ends), &ends, draft.edges.len()) {
        let moved: Vec<Place> = parallel::try_map(wave.len(), |at| {
            let (node, tangent) = wave[at];
            known.steps.check()?;
            Ok::<_, Cancelled>(centring.moved_node(draft, node, &ends[node], tangent))
        })?;
        for ((node, _), place) in wave.into_iter().zip(moved) {
            draft.nodes[node] = place;
            for &[edge, end] in &ends[node] {
                let points = &mut draft.edges[edge].points;
                let at = if end == 0 { 0 } else { points.len() - 1 };
                points[at] = place;
            }
        }
    }
    Ok(())
}

/// A node, and the direction that it is moved across.
type Joint = (usize, Option<Vector3<f64>>);

/// Nodes in lists: in each, no two have an edge in common. Of those that have, the first comes in
/// an earlier list.
fn in_waves(
    joints: impl Iterator<Item = Joint>,
    ends: &[Vec<[usize; 2]>],
    edges: usize,
) -> Vec<Vec<Joint>> {
    let mut next = zeroed_or_unwind(edges);
    let mut waves: Vec<Vec<Joint>> = Vec::new();
    for joint in joints {
        let ends = &ends[joint.0];
        let wave = ends.iter().map(|&[edge, _]| next[edge]).max().unwrap_or(0);
        for &[edge, _] in ends {
            next[edge] = wave + 1;
        }
        if wave == waves.len() {
            waves.push_or_unwind(Vec::new());
        }
        waves[wave].push_or_unwind(joint);
    }
    waves
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
        let mut rests = zeroed_or_unwind::<bool>(points.len());
        for _ in 0..SWEEPS {
            // what moves a point does not depend on the others
            let portions = points.len().div_ceil(FEW);
            let steps = parallel::try_map(portions, |portion| {
                let portion = portion * FEW..points.len().min((portion + 1) * FEW);
                self.known.steps.check()?;
                let steps = portion.map(|at| {
                    let is_inner = (1..points.len() - 1).contains(&at);
                    let step = || self.step(points[at], Some(tangents[at]));
                    (is_inner && !rests[at]).then(step).flatten()
                });
                Ok::<_, Cancelled>(steps.collect_or_unwind())
            })?;
            let mut any = false;
            for (at, step) in steps.into_iter().flatten().enumerate() {
                if at == 0 || at + 1 == points.len() {
                    continue;
                }
                let [before, after] = [points[at - 1], points[at + 1]];
                let is_allowed = |from: Place, to: Place| {
                    to != before
                        && to != after
                        && self.is_same(&[before, from, after], &[before, to, after])
                };
                let moved = step.and_then(|step| self.moved(points[at], step, is_allowed));
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

    /// Where a junction moves to.
    fn moved_node(
        &self,
        draft: &Draft,
        node: usize,
        ends: &[[usize; 2]],
        tangent: Option<Vector3<f64>>,
    ) -> Place {
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
                neighbours.push_or_unwind((other, 0.5 * known.distance(here, other)));
            }
            others.push_or_unwind(edge.points[if end == 0 { 1 } else { edge.points.len() - 2 }]);
        }
        // on a ring across it
        let tangent = match (tangent, &others[..]) {
            (Some(tangent), _) => Some(tangent),
            (None, &[one, other]) => match direction(known, one, other) {
                Some(tangent) => Some(tangent),
                None => return here,
            },
            _ => None,
        };
        let mut place = here;
        for _ in 0..SWEEPS {
            let is_allowed = |from: Place, to: Place| {
                let is_apart = |&(other, least): &(Place, f64)| known.distance(to, other) >= least;
                neighbours.iter().all(is_apart)
                    && others.iter().all(|&other| {
                        other != to && self.is_same(&[other, from], &[other, to, from])
                    })
            };
            let step = self.step(place, tangent);
            let Some((to, length)) = step.and_then(|step| self.moved(place, step, is_allowed))
            else {
                break;
            };
            place = to;
            if length < REST {
                break;
            }
        }
        place
    }

    /// The step that the force moves a place by, across a direction if there is one.
    fn step(&self, place: Place, tangent: Option<Vector3<f64>>) -> Option<Vector3<f64>> {
        let radius = self.known.about_radius(place);
        let (force, jacobian) = self.sources.force_at(self.known, in_voxels(place), radius);
        let mut step = match tangent {
            Some(tangent) => step_across(&force, &jacobian, &tangent),
            None => step_to_rest(&force, &jacobian),
        };
        let longest = LONGEST[0].min(LONGEST[1] * radius);
        let length = step.norm();
        if length > longest {
            step *= longest / length;
        }
        length.is_finite().then_some(step)
    }

    /// Where a place moves by a step, or by a part of it, and how far, if that is allowed.
    fn moved(
        &self,
        place: Place,
        mut step: Vector3<f64>,
        is_allowed: impl Fn(Place, Place) -> bool,
    ) -> Option<(Place, f64)> {
        let at = in_voxels(place);
        for _ in 0..3 {
            let way = self.known.metric.step(step.into());
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

/// The direction of a curve at each point, from the points within the radius there, and at least
/// two steps, before and after.
fn tangents(known: &Known<'_>, points: &[Place]) -> Vec<Vector3<f64>> {
    let mut tangents = with_capacity_or_unwind(points.len());
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
        tangents.push_or_unwind(tangent.or(last).unwrap_or_else(Vector3::x));
    }
    tangents
}
