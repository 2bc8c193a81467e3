//! Repair of the coverage after centring: branches to voxels that centring left uncovered.

use super::{
    coverage::{Coverage, CoverageRule},
    intermediate_graph::{GraphEdge, GraphPoint, IntermediateGraph},
};
use crate::{
    memory::{CollectOrUnwind, ExtendOrUnwind, collect_into_or_unwind, copy_or_unwind},
    monitor::Cancelled,
    skeleton::medial::{
        context::ComponentContext,
        paths::goal_search::GoalSearch,
        voxels::segment_voxels::{FixedPoint, to_voxels, voxel_at, voxel_centre},
    },
};
use rayon::slice::ParallelSliceMut;
use std::collections::HashSet;

/// Adds branches through voxel centres until every voxel is covered, uncovered surface voxels
/// first, and returns `true` if any were added.
///
/// # Errors
/// [`Cancelled`].
pub fn repair_coverage(
    context: &ComponentContext<'_>,
    graph: &mut IntermediateGraph,
    rule: CoverageRule,
) -> Result<bool, Cancelled> {
    let mut coverage = Coverage::new(context.object, context.metric);
    coverage.add_graph(context, rule, graph, |_, position| context.radius(position));
    let is_covered = coverage.uncovered_count() == 0;
    if is_covered {
        return Ok(false);
    }
    let positions = graph.edges.iter().flat_map(|edge| &edge.points);
    let positions = positions.chain(&graph.nodes);
    let mut skeleton_voxels: HashSet<usize> = collect_into_or_unwind(
        positions.filter_map(|&position| voxel_at(context.object, position)),
    );
    let mut search = GoalSearch::new(context);
    // interior voxels last, because branches end at the surface
    let mut uncovered: Vec<usize> = coverage.uncovered().collect_or_unwind();
    uncovered.par_sort_unstable_by(|&a, &b| {
        let distances = [a, b].map(|voxel| context.squared_distances[voxel]);
        distances[0].total_cmp(&distances[1]).then(a.cmp(&b))
    });
    for from in uncovered {
        if coverage.is_covered(from) {
            continue;
        }
        let added = add_branch(&mut search, context, graph, &skeleton_voxels, from)?;
        let balls = added.iter();
        let balls = balls.map(|&at| (to_voxels(at), rule.radius(context.radius(at))));
        coverage.add_balls(&balls.collect_or_unwind());
        let voxels = added.iter().filter_map(|&at| voxel_at(context.object, at));
        skeleton_voxels.extend_or_unwind(voxels);
        if !coverage.is_covered(from) {
            break;
        }
    }
    Ok(true)
}

/// Adds a branch from a voxel to the nearest voxel of the skeleton, and returns its positions.
fn add_branch(
    search: &mut GoalSearch<'_>,
    context: &ComponentContext<'_>,
    graph: &mut IntermediateGraph,
    skeleton_voxels: &HashSet<usize>,
    from: usize,
) -> Result<Vec<FixedPoint>, Cancelled> {
    let path = search.find_path(from, |voxel| skeleton_voxels.contains(&voxel))?;
    let goal = path
        .last()
        .and_then(|&voxel| find_point_in_voxel(context, graph, voxel as usize));
    let Some(goal) = goal else {
        return Ok(Vec::new());
    };
    let node = match goal {
        GraphPoint::Node(node) => node,
        GraphPoint::Inner(edge, at) => split_edge(graph, edge, at),
    };
    let end = graph.nodes[node];
    let mut positions: Vec<FixedPoint> = path
        .iter()
        .map(|&voxel| voxel_centre(context.object.position(voxel as usize)))
        .collect_or_unwind();
    if positions.last() != Some(&end) {
        positions.push_or_unwind(end);
    }
    if positions.len() < 2 {
        return Ok(positions);
    }
    graph.nodes.push_or_unwind(positions[0]);
    graph.edges.push_or_unwind(GraphEdge {
        nodes: [graph.nodes.len() - 1, node],
        points: copy_or_unwind(&positions),
        voxels: path,
    });
    Ok(positions)
}

/// Returns the last node in a voxel, otherwise the last point of an edge in it.
fn find_point_in_voxel(
    context: &ComponentContext<'_>,
    graph: &IntermediateGraph,
    voxel: usize,
) -> Option<GraphPoint> {
    let is_there = |&position: &FixedPoint| voxel_at(context.object, position) == Some(voxel);
    if let Some(node) = graph.nodes.iter().rposition(is_there) {
        return Some(GraphPoint::Node(node));
    }
    let edges = graph.edges.iter().enumerate().rev();
    let mut points = edges.filter_map(|(number, edge)| {
        let inner = &edge.points[1..edge.points.len() - 1];
        let at = inner.iter().rposition(is_there)?;
        Some(GraphPoint::Inner(number, at + 1))
    });
    points.next()
}

/// Splits an edge at one of its points, and returns the new node.
fn split_edge(graph: &mut IntermediateGraph, edge: usize, at: usize) -> usize {
    let node = graph.nodes.len();
    let first = &mut graph.edges[edge];
    graph.nodes.push_or_unwind(first.points[at]);
    let second = GraphEdge {
        nodes: [node, first.nodes[1]],
        points: copy_or_unwind(&first.points[at..]),
        voxels: copy_or_unwind(&first.voxels),
    };
    first.points.truncate(at + 1);
    first.nodes[1] = node;
    graph.edges.push_or_unwind(second);
    node
}
