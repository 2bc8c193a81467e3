//! Queries on skeleton graphs.

use super::{Edge, Skeleton};
use crate::memory::{CollectOrUnwind, ExtendOrUnwind, unwrap_or_unwind, zeroed_or_unwind};
use crate::union_find::UnionFind;
use nalgebra::Point3;

/// Connected components of the nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Components {
    /// Component of each node; components are numbered in the order of their first nodes.
    pub labels: Vec<usize>,
    /// Number of components.
    pub count: usize,
}

impl Skeleton {
    /// Converts a position from voxel to world coordinates.
    pub fn to_world(&self, voxels: Point3<f64>) -> Point3<f64> {
        self.geometry.index_to_world(voxels)
    }

    /// Returns the world position of a node.
    ///
    /// # Panics
    /// If the node does not exist.
    pub fn node_in_world(&self, node: usize) -> Point3<f64> {
        self.to_world(self.nodes[node].position)
    }

    /// Returns the points of an edge in world coordinates.
    ///
    /// # Panics
    /// If the edge does not exist.
    pub fn edge_in_world(&self, edge: usize) -> Vec<Point3<f64>> {
        let points = self.edges[edge].points.iter();
        points
            .map(|&point| self.to_world(point))
            .collect_or_unwind()
    }

    /// Returns the length of an edge in world units.
    ///
    /// # Panics
    /// If the edge does not exist.
    pub fn edge_length(&self, edge: usize) -> f64 {
        self.curve_length(&self.edges[edge])
    }

    /// Returns the length, in world units, of a curve given in this skeleton's voxel coordinates.
    pub fn curve_length(&self, edge: &Edge) -> f64 {
        let steps = edge.points.windows(2);
        steps
            .map(|step| (self.geometry.axes() * (step[1] - step[0])).norm())
            .sum()
    }

    /// Returns the total length of all edges in world units.
    pub fn length(&self) -> f64 {
        // the sum of an empty iterator is -0.0
        self.edges
            .iter()
            .map(|edge| self.curve_length(edge))
            .sum::<f64>()
            + 0.0
    }

    /// Returns the lengths of all [branches](Skeleton::chains) in world units.
    pub fn branch_lengths(&self) -> Vec<f64> {
        let length = |chain: &super::Chain| chain.edges.iter().map(|&e| self.edge_length(e)).sum();
        self.chains().iter().map(length).collect_or_unwind()
    }

    /// Returns the degree of each node. An edge from a node to itself counts twice.
    pub fn degrees(&self) -> Vec<usize> {
        let mut degrees = zeroed_or_unwind(self.nodes.len());
        for edge in &self.edges {
            for node in edge.nodes {
                degrees[node] += 1;
            }
        }
        degrees
    }

    /// Returns the degree of a node.
    pub fn degree(&self, node: usize) -> usize {
        let ends = self.edges.iter().flat_map(|edge| edge.nodes);
        ends.filter(|&end| end == node).count()
    }

    /// Returns the connected components of the nodes.
    pub fn components(&self) -> Components {
        let mut sets = unwrap_or_unwind(UnionFind::try_new(self.nodes.len()));
        for edge in &self.edges {
            sets.join(edge.nodes[0], edge.nodes[1]);
        }
        let mut components = Components::default();
        for node in 0..self.nodes.len() {
            // a root is the smallest node of its set, so it is visited first
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

    /// Returns `true` if all nodes are connected, or there are none.
    pub fn is_connected(&self) -> bool {
        self.components().count <= 1
    }

    /// Returns the number of independent cycles (first Betti number): edges − nodes + components.
    pub fn cycles(&self) -> usize {
        // every edge that does not join two components closes a cycle
        self.edges.len() + self.components().count - self.nodes.len()
    }

    /// Returns the Euler characteristic of the graph: nodes − edges.
    pub fn euler_number(&self) -> i64 {
        self.nodes.len() as i64 - self.edges.len() as i64
    }
}
