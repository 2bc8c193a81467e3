//! Junctions at self-overlaps.

use super::editable_graph::{EdgeEnd, EditableGraph};
use crate::{
    memory::{
        CollectOrUnwind, ExtendOrUnwind, ReserveOrUnwind, copy_or_unwind, stable_sort_or_unwind,
        with_capacity_or_unwind,
    },
    skeleton::medial::{
        context::ComponentContext,
        curves::{
            intermediate_graph::GraphEdge,
            resample::{is_same_class, polyline_class},
            self_overlap::SelfOverlap,
        },
        topology::{
            cocycle::Cocycle,
            cycle_basis::{CycleBasis, Role},
        },
        voxels::segment_voxels::FixedPoint,
    },
};
use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap},
};

/// Maximum number of nodes visited in the search for a path between overlapping positions.
const MAX_NODES: usize = 1000;
/// Maximum distance from a node at which an overlap is moved to the node, in units of the smallest
/// spacing.
const NODE_TOLERANCE: f64 = 0.05;

impl EditableGraph {
    /// Joins two edges at a self-overlap, which closes a cycle, and removes one edge. If the cycle
    /// is contractible, its longest edge is removed, otherwise the first edge that is not needed
    /// for the homology basis.
    pub fn join_overlap(
        &mut self,
        context: &ComponentContext<'_>,
        cocycle: &Cocycle,
        position: SelfOverlap,
        pending: &mut Vec<usize>,
    ) {
        let polylines = position.edges.map(|edge| self.polyline(context, (edge, 0)));
        let along = [0, 1].map(|k| polylines[k].sums[position.segments[k]] + position.along[k]);
        // on a single edge, the later position is processed first
        let first = usize::from(along[1] > along[0]);
        let mut nodes = [0; 2];
        for k in [first, 1 - first] {
            let edge = position.edges[k];
            match self.insert_node(context, cocycle, edge, along[k]) {
                Some(node) => nodes[k] = node,
                None => return,
            }
        }
        pending.extend_or_unwind(nodes);
        let [kept_node, merged_node] = nodes;
        if kept_node == merged_node {
            return;
        }
        // contractible path from one position to the other
        let closed_path = self.shortest_path(context, nodes).filter(|path| {
            let mut points = vec![self.nodes[kept_node]];
            for &(edge, end) in path {
                points.extend_or_unwind(
                    self.polyline(context, (edge, end)).positions[1..]
                        .iter()
                        .copied(),
                );
            }
            is_same_class(
                context,
                cocycle,
                &points,
                &nodes.map(|node| self.nodes[node]),
            )
        });
        let length = |&(edge, _): &EdgeEnd| context.length(&self.edges[edge].points);
        let longest = closed_path.and_then(|path| {
            path.into_iter()
                .max_by(|a, b| length(a).total_cmp(&length(b)))
        });
        let mut ends = Vec::new();
        if let Some((edge, _)) = longest {
            ends.extend_or_unwind(self.edges[edge].nodes);
            self.remove_edge(edge);
        }
        for edge_end in copy_or_unwind(&self.incident_ends[merged_node]) {
            let mut points = self.polyline(context, edge_end).positions;
            let position_kept = self.nodes[kept_node];
            if points[0] != position_kept {
                let long = [position_kept, points[0], points[1]];
                if points[1] != position_kept
                    && is_same_class(context, cocycle, &long, &[position_kept, points[1]])
                {
                    points[0] = position_kept;
                } else if points[1] != position_kept {
                    points.reserve_or_unwind(1);
                    points.insert(0, position_kept);
                } else {
                    points.remove(0);
                }
            }
            self.reattach_edge(edge_end, kept_node, points);
        }
        self.is_removed[merged_node] = true;
        if longest.is_none()
            && let Some(edge) = self.find_dependent_edge(context, cocycle)
        {
            ends.extend_or_unwind(self.edges[edge].nodes);
            self.remove_edge(edge);
        }
        for node in ends {
            if !self.is_removed[node] {
                self.simplify_node(node, pending);
            }
        }
    }

    /// Returns the first edge that is not needed for the homology basis, if short edges are
    /// preferred to long ones; `None` if a curve leaves the component.
    fn find_dependent_edge(
        &self,
        context: &ComponentContext<'_>,
        cocycle: &Cocycle,
    ) -> Option<usize> {
        let mut order: Vec<(f64, usize)> = (0..self.edges.len())
            .filter(|&edge| !self.edges[edge].points.is_empty())
            .map(|edge| (context.length(&self.edges[edge].points), edge))
            .collect_or_unwind();
        stable_sort_or_unwind(&mut order, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut edges = with_capacity_or_unwind(order.len());
        for &(_, edge) in &order {
            let GraphEdge { nodes, points, .. } = &self.edges[edge];
            edges.push_or_unwind((*nodes, polyline_class(context, cocycle, points)?));
        }
        let CycleBasis { roles, .. } = CycleBasis::new(self.nodes.len(), edges);
        let first = roles.iter().position(|&role| role == Role::Dependent)?;
        Some(order[first].1)
    }

    /// Returns the node at an arc length of an edge, splitting the edge if necessary.
    fn insert_node(
        &mut self,
        context: &ComponentContext<'_>,
        cocycle: &Cocycle,
        edge: usize,
        along: f64,
    ) -> Option<usize> {
        let polyline = self.polyline(context, (edge, 0));
        if along < NODE_TOLERANCE {
            return Some(self.edges[edge].nodes[0]);
        }
        if along > polyline.length() - NODE_TOLERANCE {
            return Some(self.edges[edge].nodes[1]);
        }
        let (before, after) = polyline.split_at(along);
        let split_points: Vec<FixedPoint> = before
            .iter()
            .chain(&after[1..])
            .copied()
            .collect_or_unwind();
        if before.len() < 2
            || after.len() < 2
            || !is_same_class(context, cocycle, &polyline.positions, &split_points)
        {
            return None;
        }
        let node = self.add_node(after[0]);
        let end = self.edges[edge].nodes[1];
        self.incident_ends[end].retain(|&edge_end| edge_end != (edge, 1));
        self.edges[edge].nodes[1] = node;
        self.edges[edge].points = before;
        self.is_changed[edge] = true;
        self.incident_ends[node].push_or_unwind((edge, 1));
        self.add_edge(GraphEdge {
            nodes: [node, end],
            points: after,
            voxels: Vec::new(),
        });
        Some(node)
    }

    /// Returns the shortest path between two nodes, as the edge ends from which its edges start.
    fn shortest_path(
        &self,
        context: &ComponentContext<'_>,
        [from, to]: [usize; 2],
    ) -> Option<Vec<EdgeEnd>> {
        let mut best: HashMap<usize, (f64, Option<EdgeEnd>)> = HashMap::from([(from, (0.0, None))]);
        let mut queue = BinaryHeap::from([Reverse((0u64, from))]);
        while let Some(Reverse((key, node))) = queue.pop() {
            if node == to {
                let mut path = Vec::new();
                let mut at = to;
                while let Some(&(_, Some((edge, end)))) = best.get(&at) {
                    path.push_or_unwind((edge, end));
                    at = self.edges[edge].nodes[end];
                }
                path.reverse();
                return Some(path);
            }
            let length = f64::from_bits(key);
            if length > best[&node].0 || best.len() > MAX_NODES {
                continue;
            }
            for &edge_end in &self.incident_ends[node] {
                let next = length + context.length(&self.edges[edge_end.0].points);
                let neighbour = self.opposite_node(edge_end);
                if best
                    .get(&neighbour)
                    .is_none_or(|&(shortest, _)| next < shortest)
                {
                    best.push_or_unwind((neighbour, (next, Some(edge_end))));
                    queue.push_or_unwind(Reverse((next.to_bits(), neighbour)));
                }
            }
        }
        None
    }
}
