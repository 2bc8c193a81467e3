//! A draft that is being changed.

use super::polyline::Line;
use crate::{
    memory::{
        CollectOrUnwind, ExtendOrUnwind, copy_or_unwind, filled_or_unwind, with_capacity_or_unwind,
        zeroed_or_unwind,
    },
    skeleton::medial::{
        context::Known,
        curves::intermediate_graph::{Draft, DraftEdge},
        paths::segment_voxels::Place,
    },
};

/// An end of an edge: the edge, and 0 or 1.
pub type Tip = (usize, usize);

/// A draft that is being changed.
pub struct Graph {
    pub nodes: Vec<Place>,
    /// Those without points are gone.
    pub edges: Vec<DraftEdge>,
    /// The ends of edges at each node.
    pub tips: Vec<Vec<Tip>>,
    /// Whether a node is gone.
    pub is_gone: Vec<bool>,
    /// Whether an edge is not what it was at first.
    pub is_changed: Vec<bool>,
}

impl Graph {
    /// The edges as they are.
    pub fn of_edges(draft: Draft) -> Self {
        let Draft { nodes, edges } = draft;
        let mut graph = Self {
            tips: filled_or_unwind(Vec::new(), nodes.len()),
            is_gone: zeroed_or_unwind::<bool>(nodes.len()),
            nodes,
            edges: with_capacity_or_unwind(edges.len()),
            is_changed: with_capacity_or_unwind(edges.len()),
        };
        edges.into_iter().for_each(|edge| graph.add_edge(edge));
        graph
    }

    /// The edges, where rings get a second node.
    pub fn of(draft: Draft) -> Self {
        let Draft { nodes, edges } = draft;
        let mut graph = Self::of_edges(Draft {
            nodes,
            edges: Vec::new(),
        });
        for mut edge in edges {
            if edge.nodes[0] == edge.nodes[1] && edge.points.len() > 2 {
                let at = edge.points.len() / 2;
                let middle = graph.add_node(edge.points[at]);
                graph.add_edge(DraftEdge {
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

    pub fn add_node(&mut self, at: Place) -> usize {
        self.nodes.push_or_unwind(at);
        self.tips.push_or_unwind(Vec::new());
        self.is_gone.push_or_unwind(false);
        self.nodes.len() - 1
    }

    pub fn add_edge(&mut self, edge: DraftEdge) {
        let number = self.edges.len();
        for (end, &node) in edge.nodes.iter().enumerate() {
            self.tips[node].push_or_unwind((number, end));
        }
        self.edges.push_or_unwind(edge);
        self.is_changed.push_or_unwind(false);
    }

    pub fn remove_edge(&mut self, edge: usize) {
        for node in self.edges[edge].nodes {
            self.tips[node].retain(|tip| tip.0 != edge);
        }
        self.edges[edge].points.clear();
        self.is_changed[edge] = true;
    }

    /// The node at the other end of an edge.
    pub fn beyond(&self, (edge, end): Tip) -> usize {
        self.edges[edge].nodes[1 - end]
    }

    /// An edge from one of its ends on.
    pub fn line(&self, known: &Known<'_>, (edge, end): Tip) -> Line {
        let points = &self.edges[edge].points;
        Line::of(
            known,
            match end {
                0 => copy_or_unwind(points),
                _ => points.iter().rev().copied().collect_or_unwind(),
            },
        )
    }

    /// Replaces an edge by one from another node to where it went; the points are those from the
    /// new node on.
    pub fn replace(&mut self, tip: Tip, node: usize, mut points: Vec<Place>) {
        let (edge, end) = tip;
        let old = self.edges[edge].nodes[end];
        self.tips[old].retain(|&other| other != tip);
        self.tips[node].push_or_unwind(tip);
        if end == 1 {
            points.reverse();
        }
        self.edges[edge].nodes[end] = node;
        self.edges[edge].points = points;
        self.is_changed[edge] = true;
    }

    /// Makes one edge of the only two at a node.
    pub fn join_edges(&mut self, node: usize) {
        let [one, other] = self.tips[node][..] else {
            return;
        };
        if one.0 == other.0 {
            return;
        }
        let ends = [one, other].map(|tip| self.beyond(tip));
        let oriented = |(edge, end): Tip, last: usize| {
            let mut points = copy_or_unwind(&self.edges[edge].points);
            if end != last {
                points.reverse();
            }
            points
        };
        let mut points = oriented(one, 1);
        points.extend_or_unwind(oriented(other, 0)[1..].iter().copied());
        self.remove_edge(one.0);
        self.remove_edge(other.0);
        self.is_gone[node] = true;
        self.edges[one.0] = DraftEdge {
            nodes: ends,
            points,
            voxels: Vec::new(),
        };
        for (end, &node) in ends.iter().enumerate() {
            self.tips[node].push_or_unwind((one.0, end));
        }
    }

    /// What is left. Rings lose their second nodes.
    pub fn finish(mut self) -> Draft {
        for node in (0..self.nodes.len()).rev() {
            if !self.is_gone[node] {
                self.join_edges(node);
            }
        }
        let mut number = zeroed_or_unwind(self.nodes.len());
        let mut draft = Draft::default();
        for (node, &at) in self.nodes.iter().enumerate() {
            if !self.is_gone[node] {
                number[node] = draft.nodes.len();
                draft.nodes.push_or_unwind(at);
            }
        }
        for mut edge in self.edges {
            if !edge.points.is_empty() {
                edge.nodes = edge.nodes.map(|node| number[node]);
                draft.edges.push_or_unwind(edge);
            }
        }
        draft
    }
}
