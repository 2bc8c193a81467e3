//! Intermediate graph: the curves of a component in its frame, before the conversion to a skeleton
//! in world coordinates.

use super::voxel_links::VoxelLinks;
use crate::{
    memory::{CollectOrUnwind, ExtendOrUnwind, filled_or_unwind, zeroed_or_unwind},
    skeleton::medial::voxels::{
        object::Object,
        segment_voxels::{FixedPoint, voxel_centre},
    },
};

/// Nodes and edges of the curves of a component.
#[derive(Clone, Debug, Default)]
pub struct IntermediateGraph {
    pub nodes: Vec<FixedPoint>,
    pub edges: Vec<GraphEdge>,
}

/// Edge of an intermediate graph.
#[derive(Clone, Debug)]
pub struct GraphEdge {
    /// Indices of the first and the last node.
    pub nodes: [usize; 2],
    /// Positions from the first node to the last, both included.
    pub points: Vec<FixedPoint>,
    /// Voxels from which the edge was created.
    pub voxels: Vec<u32>,
}

/// Point of an intermediate graph: a node, or the point of an edge (by edge and point index)
/// between its nodes.
#[derive(Clone, Copy, Debug)]
pub enum GraphPoint {
    Node(usize),
    Inner(usize, usize),
}

impl IntermediateGraph {
    /// Creates one edge per chain of links. A closed chain without junctions starts and ends at its
    /// first voxel.
    pub fn from_links(object: &Object, links: &VoxelLinks) -> Self {
        let voxels = links.voxels();
        let number = |voxel: u32| voxels.partition_point(|&other| other < voxel);
        let mut adjacency: Vec<Vec<usize>> = filled_or_unwind(Vec::new(), voxels.len());
        for link in &links.pairs {
            let [a, b] = link.map(number);
            adjacency[a].push_or_unwind(b);
            adjacency[b].push_or_unwind(a);
        }
        let position = |number: usize| {
            (
                voxels[number],
                voxel_centre(object.position(voxels[number] as usize)),
            )
        };
        let mut chains = Chains {
            adjacency: &adjacency,
            is_used: adjacency
                .iter()
                .map(|others| zeroed_or_unwind::<bool>(others.len()))
                .collect_or_unwind(),
            node_indices: filled_or_unwind(None, voxels.len()),
            graph: Self::default(),
            position: &position,
        };
        for at in (0..voxels.len()).filter(|&at| adjacency[at].len() != 2) {
            chains.node_index(at);
        }
        for at in (0..voxels.len()).filter(|&at| adjacency[at].len() != 2) {
            chains.follow_chains(at);
        }
        // closed chains without junctions
        for at in 0..voxels.len() {
            if chains.is_used[at].contains(&false) {
                chains.node_index(at);
                chains.follow_chains(at);
            }
        }
        chains.graph
    }

    /// Returns the degree of each node.
    pub fn degrees(&self) -> Vec<usize> {
        let mut degrees = zeroed_or_unwind(self.nodes.len());
        for edge in &self.edges {
            for node in edge.nodes {
                degrees[node] += 1;
            }
        }
        degrees
    }
}

/// State of the chain decomposition.
struct Chains<'a, F> {
    adjacency: &'a [Vec<usize>],
    /// For each voxel, one flag per link: `true` if the link already belongs to an edge.
    is_used: Vec<Vec<bool>>,
    node_indices: Vec<Option<usize>>,
    graph: IntermediateGraph,
    position: &'a F,
}

impl<F: Fn(usize) -> (u32, FixedPoint)> Chains<'_, F> {
    /// Returns the node at a voxel, creating it if necessary.
    fn node_index(&mut self, at: usize) -> usize {
        *self.node_indices[at].get_or_insert_with(|| {
            self.graph.nodes.push_or_unwind((self.position)(at).1);
            self.graph.nodes.len() - 1
        })
    }

    /// Creates the edges of all unused chains that start at a node.
    fn follow_chains(&mut self, start: usize) {
        for link in 0..self.adjacency[start].len() {
            if self.is_used[start][link] {
                continue;
            }
            let (voxel, point) = (self.position)(start);
            let (mut voxels, mut points) = (vec![voxel], vec![point]);
            let (mut at, mut link) = (start, link);
            loop {
                let next = self.adjacency[at][link];
                self.is_used[at][link] = true;
                // index of the link in the list of its other voxel
                let back = (0..self.adjacency[next].len()).find(|&link_index| {
                    self.adjacency[next][link_index] == at && !self.is_used[next][link_index]
                });
                let Some(back) = back else { break };
                self.is_used[next][back] = true;
                let (voxel, point) = (self.position)(next);
                voxels.push_or_unwind(voxel);
                points.push_or_unwind(point);
                at = next;
                if self.node_indices[at].is_some() {
                    break;
                }
                let ahead =
                    (0..self.adjacency[at].len()).find(|&link_index| !self.is_used[at][link_index]);
                let Some(ahead) = ahead else { break };
                link = ahead;
            }
            let nodes = [self.node_index(start), self.node_index(at)];
            self.graph.edges.push_or_unwind(GraphEdge {
                nodes,
                points,
                voxels,
            });
        }
    }
}
