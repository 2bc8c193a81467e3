//! Intermediate graph with adjacency lists, for editing.

use super::polyline::Polyline;
use crate::{
    memory::{
        CollectOrUnwind, ExtendOrUnwind, copy_or_unwind, filled_or_unwind, with_capacity_or_unwind,
        zeroed_or_unwind,
    },
    skeleton::medial::{
        context::ComponentContext,
        curves::intermediate_graph::{GraphEdge, IntermediateGraph},
        voxels::segment_voxels::FixedPoint,
    },
};

/// End of an edge: the edge, and 0 for its first or 1 for its last node.
pub type EdgeEnd = (usize, usize);

/// Intermediate graph with adjacency lists, for editing.
pub struct EditableGraph {
    pub nodes: Vec<FixedPoint>,
    /// Edges; removed edges have no points.
    pub edges: Vec<GraphEdge>,
    /// Edge ends at each node.
    pub incident_ends: Vec<Vec<EdgeEnd>>,
    /// `true` for removed nodes.
    pub is_removed: Vec<bool>,
    /// `true` for edges that were modified or removed.
    pub is_changed: Vec<bool>,
}

impl EditableGraph {
    /// Creates an editable graph with the given edges.
    pub fn from_edges(source: IntermediateGraph) -> Self {
        let IntermediateGraph { nodes, edges } = source;
        let mut graph = Self {
            incident_ends: filled_or_unwind(Vec::new(), nodes.len()),
            is_removed: zeroed_or_unwind::<bool>(nodes.len()),
            nodes,
            edges: with_capacity_or_unwind(edges.len()),
            is_changed: with_capacity_or_unwind(edges.len()),
        };
        edges.into_iter().for_each(|edge| graph.add_edge(edge));
        graph
    }

    /// Creates an editable graph in which loops are split by a second node.
    pub fn with_split_loops(source: IntermediateGraph) -> Self {
        let IntermediateGraph { nodes, edges } = source;
        let mut graph = Self::from_edges(IntermediateGraph {
            nodes,
            edges: Vec::new(),
        });
        for mut edge in edges {
            if edge.nodes[0] == edge.nodes[1] && edge.points.len() > 2 {
                let at = edge.points.len() / 2;
                let middle = graph.add_node(edge.points[at]);
                graph.add_edge(GraphEdge {
                    nodes: [middle, edge.nodes[1]],
                    points: copy_or_unwind(&edge.points[at..]),
                    voxels: Vec::new(),
                });
                edge.points.truncate(at + 1);
                edge.nodes[1] = middle;
            }
            graph.add_edge(edge);
        }
        graph
    }

    /// Adds a node and returns its index.
    pub fn add_node(&mut self, at: FixedPoint) -> usize {
        self.nodes.push_or_unwind(at);
        self.incident_ends.push_or_unwind(Vec::new());
        self.is_removed.push_or_unwind(false);
        self.nodes.len() - 1
    }

    /// Adds an edge.
    pub fn add_edge(&mut self, edge: GraphEdge) {
        let number = self.edges.len();
        for (end, &node) in edge.nodes.iter().enumerate() {
            self.incident_ends[node].push_or_unwind((number, end));
        }
        self.edges.push_or_unwind(edge);
        self.is_changed.push_or_unwind(false);
    }

    /// Removes an edge, but not its nodes.
    pub fn remove_edge(&mut self, edge: usize) {
        for node in self.edges[edge].nodes {
            self.incident_ends[node].retain(|edge_end| edge_end.0 != edge);
        }
        self.edges[edge].points.clear();
        self.is_changed[edge] = true;
    }

    /// Returns the node at the opposite end of an edge.
    pub fn opposite_node(&self, (edge, end): EdgeEnd) -> usize {
        self.edges[edge].nodes[1 - end]
    }

    /// Returns an edge as a polyline that starts at one of its ends.
    pub fn polyline(&self, context: &ComponentContext<'_>, (edge, end): EdgeEnd) -> Polyline {
        let points = &self.edges[edge].points;
        Polyline::new(
            context,
            match end {
                0 => copy_or_unwind(points),
                _ => points.iter().rev().copied().collect_or_unwind(),
            },
        )
    }

    /// Moves an end of an edge to another node; `points` are the points of the edge from the new
    /// node on.
    pub fn reattach_edge(&mut self, edge_end: EdgeEnd, node: usize, mut points: Vec<FixedPoint>) {
        let (edge, end) = edge_end;
        let old = self.edges[edge].nodes[end];
        self.incident_ends[old].retain(|&other| other != edge_end);
        self.incident_ends[node].push_or_unwind(edge_end);
        if end == 1 {
            points.reverse();
        }
        self.edges[edge].nodes[end] = node;
        self.edges[edge].points = points;
        self.is_changed[edge] = true;
    }

    /// Joins the two edges at a node of degree two into one.
    pub fn join_edges(&mut self, node: usize) {
        let [first, second] = self.incident_ends[node][..] else {
            return;
        };
        if first.0 == second.0 {
            return;
        }
        let ends = [first, second].map(|edge_end| self.opposite_node(edge_end));
        let oriented = |(edge, end): EdgeEnd, last: usize| {
            let mut points = copy_or_unwind(&self.edges[edge].points);
            if end != last {
                points.reverse();
            }
            points
        };
        let mut points = oriented(first, 1);
        points.extend_or_unwind(oriented(second, 0)[1..].iter().copied());
        self.remove_edge(first.0);
        self.remove_edge(second.0);
        self.is_removed[node] = true;
        self.edges[first.0] = GraphEdge {
            nodes: ends,
            points,
            voxels: Vec::new(),
        };
        for (end, &node) in ends.iter().enumerate() {
            self.incident_ends[node].push_or_unwind((first.0, end));
        }
    }

    /// Converts the graph back. Nodes of degree two, such as the second nodes of loops, are
    /// removed.
    pub fn finish(mut self) -> IntermediateGraph {
        for node in (0..self.nodes.len()).rev() {
            if !self.is_removed[node] {
                self.join_edges(node);
            }
        }
        let mut number = zeroed_or_unwind(self.nodes.len());
        let mut graph = IntermediateGraph::default();
        for (node, &at) in self.nodes.iter().enumerate() {
            if !self.is_removed[node] {
                number[node] = graph.nodes.len();
                graph.nodes.push_or_unwind(at);
            }
        }
        for mut edge in self.edges {
            if !edge.points.is_empty() {
                edge.nodes = edge.nodes.map(|node| number[node]);
                graph.edges.push_or_unwind(edge);
            }
        }
        graph
    }
}
