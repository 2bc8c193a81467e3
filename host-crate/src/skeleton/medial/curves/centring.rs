//! Centring of curves: moves points across the curve to where the force of the surface vanishes.

use super::{
    endpoints::TrimmedEnd,
    intermediate_graph::IntermediateGraph,
    newton_step::{newton_step, newton_step_across},
    resample::is_same_class,
    surface_force::FaceSources,
};
use crate::{
    memory::{
        CollectOrUnwind, ExtendOrUnwind, filled_or_unwind, with_capacity_or_unwind,
        zeroed_or_unwind,
    },
    monitor::Cancelled,
    parallel,
    skeleton::medial::{
        context::{ComponentContext, direction},
        progress::Stage,
        topology::cocycle::Cocycle,
        voxels::segment_voxels::{FixedPoint, to_fixed, to_voxels},
    },
};
use nalgebra::Vector3;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Number of passes over the points of an edge, and of Newton steps per node.
const SWEEPS: usize = 4;
/// Length of a step below which a point has converged, in units of the smallest spacing: by
/// quadratic convergence, the next step would be of the order of its square.
const REST_STEP: f64 = 0.05;
/// Maximum length of a step, in units of the smallest spacing and as a multiple of the inscribed
/// radius.
const MAX_STEP: [f64; 2] = [1.0, 0.3];
/// Minimum number of points per parallel task.
const MIN_POINTS_PER_TASK: usize = 8;

/// Moves the inner points of edges, the junctions and the trimmed ends across the curve. Moves that
/// would take a segment out of the component or change its homology class are skipped.
///
/// # Errors
/// [`Cancelled`].
pub fn centre_curves(
    context: &ComponentContext<'_>,
    cocycle: &Cocycle,
    graph: &mut IntermediateGraph,
    trimmed_ends: &[TrimmedEnd],
) -> Result<(), Cancelled> {
    let points = graph.edges.iter().flat_map(|edge| &edge.points);
    let radii = points.map(|&point| context.approximate_radius(point));
    let max_radius = radii.fold(0.0, f64::max);
    let centring = Centring {
        context,
        cocycle,
        sources: FaceSources::new(context, max_radius),
    };
    let total: usize = graph.edges.iter().map(|edge| edge.points.len()).sum();
    let done = AtomicUsize::new(0);
    let tangents: Vec<Vec<Vector3<f64>>> = parallel::try_map_mut(&mut graph.edges, |_, edge| {
        let tangents = tangents(context, &edge.points);
        centring.move_points(&mut edge.points, &tangents)?;
        let count = edge.points.len();
        let done = done.fetch_add(count, Ordering::Relaxed) + count;
        context.progress.report(Stage::Centring, done, total)?;
        Ok::<_, Cancelled>(tangents)
    })?;
    let mut ends: Vec<Vec<[usize; 2]>> = filled_or_unwind(Vec::new(), graph.nodes.len());
    for (number, edge) in graph.edges.iter().enumerate() {
        for (end, &node) in edge.nodes.iter().enumerate() {
            ends[node].push_or_unwind([number, end]);
        }
    }
    let junctions = (0..graph.nodes.len()).filter(|&node| ends[node].len() >= 2);
    let junctions = junctions.map(|node| (node, None));
    let movable_ends = trimmed_ends.iter().map(|trimmed| {
        let tangents = &tangents[trimmed.edge];
        let last = if trimmed.end == 0 {
            0
        } else {
            tangents.len() - 1
        };
        (trimmed.node, Some(tangents[last]))
    });
    for group in group_independent_nodes(junctions.chain(movable_ends), &ends, graph.edges.len()) {
        let moved: Vec<FixedPoint> = parallel::try_map(group.len(), |at| {
            let (node, tangent) = group[at];
            context.progress.check()?;
            Ok::<_, Cancelled>(centring.centred_node(graph, node, &ends[node], tangent))
        })?;
        for ((node, _), position) in group.into_iter().zip(moved) {
            graph.nodes[node] = position;
            for &[edge, end] in &ends[node] {
                let points = &mut graph.edges[edge].points;
                let at = if end == 0 { 0 } else { points.len() - 1 };
                points[at] = position;
            }
        }
    }
    Ok(())
}

/// Node, and the tangent across which it moves; without a tangent it moves freely.
type MovableNode = (usize, Option<Vector3<f64>>);

/// Partitions nodes into groups without a common edge within a group. Of two nodes with a common
/// edge, the first belongs to an earlier group.
fn group_independent_nodes(
    movable_nodes: impl Iterator<Item = MovableNode>,
    ends: &[Vec<[usize; 2]>],
    edges: usize,
) -> Vec<Vec<MovableNode>> {
    let mut next = zeroed_or_unwind(edges);
    let mut groups: Vec<Vec<MovableNode>> = Vec::new();
    for node in movable_nodes {
        let ends = &ends[node.0];
        let group = ends.iter().map(|&[edge, _]| next[edge]).max().unwrap_or(0);
        for &[edge, _] in ends {
            next[edge] = group + 1;
        }
        if group == groups.len() {
            groups.push_or_unwind(Vec::new());
        }
        groups[group].push_or_unwind(node);
    }
    groups
}

/// Shared inputs of the steps.
struct Centring<'a> {
    context: &'a ComponentContext<'a>,
    cocycle: &'a Cocycle,
    sources: FaceSources,
}

impl Centring<'_> {
    /// Moves the points between the ends of an edge.
    fn move_points(
        &self,
        points: &mut [FixedPoint],
        tangents: &[Vector3<f64>],
    ) -> Result<(), Cancelled> {
        let mut has_converged = zeroed_or_unwind::<bool>(points.len());
        for _ in 0..SWEEPS {
            // the steps are independent of each other
            let tasks = points.len().div_ceil(MIN_POINTS_PER_TASK);
            let steps = parallel::try_map(tasks, |task| {
                let task =
                    task * MIN_POINTS_PER_TASK..points.len().min((task + 1) * MIN_POINTS_PER_TASK);
                self.context.progress.check()?;
                let steps = task.map(|at| {
                    let is_inner = (1..points.len() - 1).contains(&at);
                    let step = || self.step(points[at], Some(tangents[at]));
                    (is_inner && !has_converged[at]).then(step).flatten()
                });
                Ok::<_, Cancelled>(steps.collect_or_unwind())
            })?;
            let mut has_moved = false;
            for (at, step) in steps.into_iter().flatten().enumerate() {
                if at == 0 || at + 1 == points.len() {
                    continue;
                }
                let [before, after] = [points[at - 1], points[at + 1]];
                let is_allowed = |from: FixedPoint, to: FixedPoint| {
                    to != before
                        && to != after
                        && self.is_same_class(&[before, from, after], &[before, to, after])
                };
                let moved = step.and_then(|step| self.try_move(points[at], step, is_allowed));
                has_converged[at] = moved.is_none_or(|(_, length)| length < REST_STEP);
                if let Some((position, _)) = moved {
                    points[at] = position;
                    has_moved = true;
                }
            }
            if !has_moved {
                break;
            }
        }
        Ok(())
    }

    fn is_same_class(&self, first: &[FixedPoint], second: &[FixedPoint]) -> bool {
        is_same_class(self.context, self.cocycle, first, second)
    }

    /// Returns the position to which a node moves.
    fn centred_node(
        &self,
        graph: &IntermediateGraph,
        node: usize,
        ends: &[[usize; 2]],
        tangent: Option<Vector3<f64>>,
    ) -> FixedPoint {
        let context = self.context;
        // adjacent nodes: their distance must not fall below half of the initial one
        let initial = graph.nodes[node];
        let mut neighbours = Vec::new();
        // the point next to the node on each of its edges
        let mut next_points = Vec::new();
        for &[edge, end] in ends {
            let edge = &graph.edges[edge];
            let adjacent_node = edge.nodes[1 - end];
            if adjacent_node != node {
                let adjacent_position = graph.nodes[adjacent_node];
                neighbours.push_or_unwind((
                    adjacent_position,
                    0.5 * context.distance(initial, adjacent_position),
                ));
            }
            next_points
                .push_or_unwind(edge.points[if end == 0 { 1 } else { edge.points.len() - 2 }]);
        }
        // on a loop, the node moves across the loop
        let tangent = match (tangent, &next_points[..]) {
            (Some(tangent), _) => Some(tangent),
            (None, &[previous, adjacent_position]) => {
                match direction(context, previous, adjacent_position) {
                    Some(tangent) => Some(tangent),
                    None => return initial,
                }
            }
            _ => None,
        };
        let mut position = initial;
        for _ in 0..SWEEPS {
            let is_allowed = |from: FixedPoint, to: FixedPoint| {
                let is_apart = |&(adjacent_position, min_distance): &(FixedPoint, f64)| {
                    context.distance(to, adjacent_position) >= min_distance
                };
                neighbours.iter().all(is_apart)
                    && next_points.iter().all(|&adjacent_position| {
                        adjacent_position != to
                            && self.is_same_class(
                                &[adjacent_position, from],
                                &[adjacent_position, to, from],
                            )
                    })
            };
            let step = self.step(position, tangent);
            let Some((to, length)) =
                step.and_then(|step| self.try_move(position, step, is_allowed))
            else {
                break;
            };
            position = to;
            if length < REST_STEP {
                break;
            }
        }
        position
    }

    /// Returns the Newton step of a position, across the tangent if there is one.
    fn step(&self, position: FixedPoint, tangent: Option<Vector3<f64>>) -> Option<Vector3<f64>> {
        let radius = self.context.approximate_radius(position);
        let (force, jacobian) = self
            .sources
            .force_at(self.context, to_voxels(position), radius);
        let mut step = match tangent {
            Some(tangent) => newton_step_across(&force, &jacobian, &tangent),
            None => newton_step(&force, &jacobian),
        };
        let longest = MAX_STEP[0].min(MAX_STEP[1] * radius);
        let length = step.norm();
        if length > longest {
            step *= longest / length;
        }
        length.is_finite().then_some(step)
    }

    /// Moves a position by a step or, if that is not allowed, by half or a quarter of it. Returns
    /// the new position and the length of the step, or `None` if the position does not move.
    fn try_move(
        &self,
        position: FixedPoint,
        mut step: Vector3<f64>,
        is_allowed: impl Fn(FixedPoint, FixedPoint) -> bool,
    ) -> Option<(FixedPoint, f64)> {
        let at = to_voxels(position);
        for _ in 0..3 {
            let offset = self.context.metric.to_voxels(step);
            let next = to_fixed([0, 1, 2].map(|axis| at[axis] + offset[axis]));
            if next == position {
                return None;
            }
            if is_allowed(position, next) {
                return Some((next, step.norm()));
            }
            step *= 0.5;
        }
        None
    }
}

/// Returns the tangent of a curve at each point, from the points within the inscribed radius and at
/// least two points on either side.
fn tangents(context: &ComponentContext<'_>, points: &[FixedPoint]) -> Vec<Vector3<f64>> {
    let mut tangents = with_capacity_or_unwind(points.len());
    for at in 0..points.len() {
        let extent = context.approximate_radius(points[at]).max(2.0);
        let mut ends = [at, at];
        let mut lengths = [0.0, 0.0];
        while ends[0] > 0 && (lengths[0] < extent || at - ends[0] < 2) {
            lengths[0] += context.distance(points[ends[0]], points[ends[0] - 1]);
            ends[0] -= 1;
        }
        while ends[1] + 1 < points.len() && (lengths[1] < extent || ends[1] - at < 2) {
            lengths[1] += context.distance(points[ends[1]], points[ends[1] + 1]);
            ends[1] += 1;
        }
        let tangent = direction(context, points[ends[0]], points[ends[1]]);
        let last = tangents.last().copied();
        tangents.push_or_unwind(tangent.or(last).unwrap_or_else(Vector3::x));
    }
    tangents
}
