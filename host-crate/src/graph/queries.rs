//! What a skeleton is like.

use super::{Edge, Skeleton};
use crate::memory::{CollectOrUnwind, ExtendOrUnwind, unwrap_or_unwind, zeroed_or_unwind};
use crate::union_find::UnionFind;
use nalgebra::Point3;

/// The connected components of nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Components {
    /// For each node the number of its component, in the order of their first nodes.
    pub labels: Vec<usize>,
    /// How many components there are.
    pub count: usize,
}

impl Skeleton {
    /// A place in voxels as one in the world.
    pub fn to_world(&self, voxels: Point3<f64>) -> Point3<f64> {
        self.geometry.index_to_world(voxels)
    }

    /// Where a node is in the world.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn node_in_world(&self, node: usize) -> Point3<f64> {
        self.to_world(self.nodes[node].position)
    }

    /// The points of an edge in the world.
    ///
    /// # Panics
    /// If there is no such edge.
    pub fn edge_in_world(&self, edge: usize) -> Vec<Point3<f64>> {
        let points = self.edges[edge].points.iter();
        points
            .map(|&point| self.to_world(point))
            .collect_or_unwind()
    }

    /// The length of an edge, in world units.
    ///
    /// # Panics
    /// If there is no such edge.
    pub fn edge_length(&self, edge: usize) -> f64 {
        self.length_of(&self.edges[edge])
    }

    /// The length of a curve in this skeleton's voxels, in world units.
    pub fn length_of(&self, edge: &Edge) -> f64 {
        let steps = edge.points.windows(2);
        steps
            .map(|step| (self.geometry.axes() * (step[1] - step[0])).norm())
            .sum()
    }

    /// The length of all edges together, in world units.
    pub fn length(&self) -> f64 {
        // the sum of nothing is -0
        self.edges
            .iter()
            .map(|edge| self.length_of(edge))
            .sum::<f64>()
            + 0.0
    }

    /// The lengths of all [branches](Skeleton::chains), in world units.
    pub fn branch_lengths(&self) -> Vec<f64> {
        let length = |chain: &super::Chain| chain.edges.iter().map(|&e| self.edge_length(e)).sum();
        self.chains().iter().map(length).collect_or_unwind()
    }

    /// How many ends of edges each node has. An edge from a node to itself has two there.
    pub fn degrees(&self) -> Vec<usize> {
        let mut degrees = zeroed_or_unwind(self.nodes.len());
        for edge in &self.edges {
            for node in edge.nodes {
                degrees[node] += 1;
            }
        }
        degrees
    }

    /// How many ends of edges a node has.
    pub fn degree(&self, node: usize) -> usize {
        let ends = self.edges.iter().flat_map(|edge| edge.nodes);
        ends.filter(|&end| end == node).count()
    }

    /// The components of nodes that edges connect.
    pub fn components(&self) -> Components {
        let mut sets = unwrap_or_unwind(UnionFind::try_new(self.nodes.len()));
        for edge in &self.edges {
            sets.join(edge.nodes[0], edge.nodes[1]);
        }
        let mut components = Components::default();
        for node in 0..self.nodes.len() {
            // roots are the smallest of their set, so they come first
            let root = sets.root(node);
            if root == node {
                components.labels.push_or_unwind(components.count);
                components.count += 1;
            } else {
                components.labels.push_or_unwind(components.labels[root]);
            }
        }
        components
    }

    /// Whether all nodes are connected; true without any node.
    pub fn is_connected(&self) -> bool {
        self.components().count <= 1
    }

    /// The number of independent cycles, b1: edges − nodes + components.
    pub fn cycles(&self) -> usize {
        // each edge that joins nothing closes a cycle
        self.edges.len() + self.components().count - self.nodes.len()
    }

    /// The Euler number of the graph: nodes − edges.
    pub fn euler_number(&self) -> i64 {
        self.nodes.len() as i64 - self.edges.len() as i64
    }
}
