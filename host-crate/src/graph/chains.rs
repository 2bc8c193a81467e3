//! Chains of edges through nodes of degree 2.

use super::{Edge, Skeleton};
use crate::memory::{
    CollectOrUnwind, ExtendOrUnwind, filled_or_unwind, stable_sort_or_unwind, zeroed_or_unwind,
};

/// A chain: a path of edges through nodes of degree 2, i.e. a branch of the skeleton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// Edges in order along the chain.
    pub edges: Vec<usize>,
    /// `true` for each edge that the chain traverses from its second node to its first.
    pub reversed: Vec<bool>,
    /// Nodes along the chain, one more than edges. The first and the last node do not have degree
    /// 2, unless the chain is a closed ring, in which case they are the same node.
    pub nodes: Vec<usize>,
}

impl Chain {
    /// Returns the first and the last node.
    pub fn ends(&self) -> [usize; 2] {
        [self.nodes[0], self.nodes[self.nodes.len() - 1]]
    }
}

/// Edge ends at each node: the edge, and `true` if the node is the edge's second node.
pub(super) type Incidence = Vec<Vec<(usize, bool)>>;

impl Skeleton {
    pub(super) fn incidence(&self) -> Incidence {
        let mut ends = filled_or_unwind(Vec::new(), self.nodes.len());
        for (index, edge) in self.edges.iter().enumerate() {
            ends[edge.nodes[0]].push_or_unwind((index, false));
            ends[edge.nodes[1]].push_or_unwind((index, true));
        }
        ends
    }

    /// Walks from a node along an edge end, while the next node has degree 2 and `continues(node,
    /// edge before it, edge after it)` holds.
    fn walk(
        &self,
        incidence: &Incidence,
        start: usize,
        (mut edge, mut reversed): (usize, bool),
        continues: &impl Fn(usize, usize, usize) -> bool,
    ) -> Chain {
        let mut chain = Chain {
            edges: Vec::new(),
            reversed: Vec::new(),
            nodes: vec![start],
        };
        loop {
            chain.edges.push_or_unwind(edge);
            chain.reversed.push_or_unwind(reversed);
            let node = self.edges[edge].nodes[usize::from(!reversed)];
            chain.nodes.push_or_unwind(node);
            if node == start {
                return chain;
            }
            // continue with the end by which the walk did not arrive
            let next = match incidence[node][..] {
                [arrival, departure] if arrival == (edge, !reversed) => departure,
                [departure, arrival] if arrival == (edge, !reversed) => departure,
                _ => return chain,
            };
            if !continues(node, edge, next.0) {
                return chain;
            }
            (edge, reversed) = next;
        }
    }

    /// Decomposes the edges into chains through the nodes of degree 2 that `continues` allows.
    fn chains_through(&self, continues: impl Fn(usize, usize, usize) -> bool) -> Vec<Chain> {
        let incidence = self.incidence();
        let mut visited = zeroed_or_unwind::<bool>(self.edges.len());
        let mut chains = Vec::new();
        let is_inner = |node: usize| match incidence[node][..] {
            [(a, _), (b, _)] => a != b && continues(node, a, b),
            _ => false,
        };
        // open chains first, so that only closed rings remain for the second pass
        for rings in [false, true] {
            for node in 0..self.nodes.len() {
                if is_inner(node) != rings {
                    continue;
                }
                for &end in &incidence[node] {
                    if !visited[end.0] {
                        let chain = self.walk(&incidence, node, end, &continues);
                        chain.edges.iter().for_each(|&edge| visited[edge] = true);
                        chains.push_or_unwind(chain);
                    }
                }
            }
        }
        // sorted by their first edge, so that merging again changes nothing
        let first_edge = |chain: &Chain| chain.edges.iter().copied().min();
        stable_sort_or_unwind(&mut chains, |a, b| first_edge(a).cmp(&first_edge(b)));
        chains
    }

    /// Returns the branches: a decomposition of all edges into chains through the nodes of degree
    /// 2, regardless of hierarchy level.
    pub fn chains(&self) -> Vec<Chain> {
        self.chains_through(|_, _, _| true)
    }

    /// Merges edges of the same hierarchy level that meet at a node of degree 2, of any kind, and
    /// removes the node. A closed ring keeps one node.
    pub fn merge_chains(&mut self) {
        let level = |edge: usize| self.edges[edge].level;
        let chains = self.chains_through(|_, a, b| level(a) == level(b));
        let mut inner = zeroed_or_unwind::<bool>(self.nodes.len());
        for chain in &chains {
            for &node in &chain.nodes[1..chain.nodes.len() - 1] {
                inner[node] = true;
            }
        }
        let edges = chains
            .iter()
            .map(|chain| self.chain_edge(chain))
            .collect_or_unwind();
        self.edges = edges;
        self.keep_nodes(|node| !inner[node]);
    }

    /// Concatenates the edges of a chain.
    pub(super) fn chain_edge(&self, chain: &Chain) -> Edge {
        let mut merged = Edge {
            nodes: chain.ends(),
            points: Vec::new(),
            radii: Vec::new(),
            section_areas: Vec::new(),
            level: self.edges[chain.edges[0]].level,
        };
        let is_measured = chain
            .edges
            .iter()
            .all(|&edge| !self.edges[edge].section_areas.is_empty());
        for (&edge, &reversed) in chain.edges.iter().zip(&chain.reversed) {
            // the first point repeats the last one of the previous edge
            let skip = usize::from(!merged.points.is_empty());
            let edge = &self.edges[edge];
            append_part(&mut merged.points, &edge.points, reversed, skip);
            append_part(&mut merged.radii, &edge.radii, reversed, skip);
            if is_measured {
                append_part(
                    &mut merged.section_areas,
                    &edge.section_areas,
                    reversed,
                    skip,
                );
            }
        }
        merged
    }

    /// Removes the nodes for which `keep` is `false`; no edge may use them.
    pub(super) fn keep_nodes(&mut self, keep: impl Fn(usize) -> bool) {
        let mut new_index = filled_or_unwind(usize::MAX, self.nodes.len());
        let mut kept = 0;
        for (node, index) in new_index.iter_mut().enumerate() {
            if keep(node) {
                *index = kept;
                kept += 1;
            }
        }
        let mut node = 0;
        self.nodes.retain(|_| {
            node += 1;
            new_index[node - 1] != usize::MAX
        });
        for edge in &mut self.edges {
            edge.nodes = edge.nodes.map(|node| new_index[node]);
        }
    }
}

/// Appends the values of an edge, reversed if requested, without the first `skip` ones.
fn append_part<T: Copy>(merged: &mut Vec<T>, values: &[T], reversed: bool, skip: usize) {
    if reversed {
        merged.extend_or_unwind(values.iter().rev().skip(skip).copied());
    } else {
        merged.extend_or_unwind(values.iter().skip(skip).copied());
    }
}
