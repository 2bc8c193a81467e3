//! Chains of edges through nodes of degree 2, and one edge for each.

use super::{Edge, Skeleton};
use crate::memory::{
    CollectOrUnwind, ExtendOrUnwind, filled_or_unwind, stable_sort_or_unwind, zeroed_or_unwind,
};

/// A branch: edges one after the other, through nodes of degree 2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// The edges in order.
    pub edges: Vec<usize>,
    /// Whether each of them goes from its second node to its first.
    pub backwards: Vec<bool>,
    /// The nodes along it, one more than edges. The first and the last do not have degree 2, unless
    /// the chain is a ring by itself: then they are one.
    pub nodes: Vec<usize>,
}

impl Chain {
    /// The nodes that it begins and ends at.
    pub fn ends(&self) -> [usize; 2] {
        [self.nodes[0], self.nodes[self.nodes.len() - 1]]
    }
}

/// The ends of edges at each node: the edge, and whether it is left from its second node.
pub(super) type Incidence = Vec<Vec<(usize, bool)>>;

impl Skeleton {
    pub(super) fn incidence(&self) -> Incidence {
        let mut ends = filled_or_unwind(Vec::new(), self.nodes.len());
        for (number, edge) in self.edges.iter().enumerate() {
            ends[edge.nodes[0]].push_or_unwind((number, false));
            ends[edge.nodes[1]].push_or_unwind((number, true));
        }
        ends
    }

    /// Goes from a node along an end of an edge while `goes_on` holds for the next node and the
    /// edges on its two sides.
    fn walk(
        &self,
        incidence: &Incidence,
        start: usize,
        (mut edge, mut backwards): (usize, bool),
        goes_on: &impl Fn(usize, usize, usize) -> bool,
    ) -> Chain {
        let mut chain = Chain {
            edges: Vec::new(),
            backwards: Vec::new(),
            nodes: vec![start],
        };
        loop {
            chain.edges.push_or_unwind(edge);
            chain.backwards.push_or_unwind(backwards);
            let node = self.edges[edge].nodes[usize::from(!backwards)];
            chain.nodes.push_or_unwind(node);
            if node == start {
                return chain;
            }
            // the end that it came by is the other one of the edge
            let next = match incidence[node][..] {
                [one, other] if one == (edge, !backwards) => other,
                [other, one] if one == (edge, !backwards) => other,
                _ => return chain,
            };
            if !goes_on(node, edge, next.0) {
                return chain;
            }
            (edge, backwards) = next;
        }
    }

    /// All edges as chains through the nodes that `goes_on` allows, of those of degree 2.
    fn chains_through(&self, goes_on: impl Fn(usize, usize, usize) -> bool) -> Vec<Chain> {
        let incidence = self.incidence();
        let mut taken = zeroed_or_unwind::<bool>(self.edges.len());
        let mut chains = Vec::new();
        let is_inner = |node: usize| match incidence[node][..] {
            [(one, _), (other, _)] => one != other && goes_on(node, one, other),
            _ => false,
        };
        // chains with two ends first, then only rings are left
        for rings in [false, true] {
            for node in 0..self.nodes.len() {
                if is_inner(node) != rings {
                    continue;
                }
                for &end in &incidence[node] {
                    if !taken[end.0] {
                        let chain = self.walk(&incidence, node, end, &goes_on);
                        chain.edges.iter().for_each(|&edge| taken[edge] = true);
                        chains.push_or_unwind(chain);
                    }
                }
            }
        }
        // in the order of their edges, so that doing it again changes nothing
        let first = |chain: &Chain| chain.edges.iter().copied().min();
        stable_sort_or_unwind(&mut chains, |a, b| first(a).cmp(&first(b)));
        chains
    }

    /// The branches: every edge is in one of them, and nodes of degree 2 are within them, whatever
    /// the levels of their edges.
    pub fn chains(&self) -> Vec<Chain> {
        self.chains_through(|_, _, _| true)
    }

    /// Makes one edge of edges of one level that meet at a node of degree 2, whatever it is, and
    /// removes the node. A ring keeps one node.
    pub fn merge_chains(&mut self) {
        let level = |edge: usize| self.edges[edge].level;
        let chains = self.chains_through(|_, one, other| level(one) == level(other));
        let mut inner = zeroed_or_unwind::<bool>(self.nodes.len());
        for chain in &chains {
            for &node in &chain.nodes[1..chain.nodes.len() - 1] {
                inner[node] = true;
            }
        }
        let edges = chains
            .iter()
            .map(|chain| self.joined(chain))
            .collect_or_unwind();
        self.edges = edges;
        self.keep_nodes(|node| !inner[node]);
    }

    /// One edge for a chain.
    pub(super) fn joined(&self, chain: &Chain) -> Edge {
        let mut joined = Edge {
            nodes: chain.ends(),
            points: Vec::new(),
            radii: Vec::new(),
            level: self.edges[chain.edges[0]].level,
        };
        for (&edge, &backwards) in chain.edges.iter().zip(&chain.backwards) {
            // the first point is the last of the edge before
            let skip = usize::from(!joined.points.is_empty());
            let edge = &self.edges[edge];
            if backwards {
                joined
                    .points
                    .extend_or_unwind(edge.points.iter().rev().skip(skip).copied());
                joined
                    .radii
                    .extend_or_unwind(edge.radii.iter().rev().skip(skip).copied());
            } else {
                joined
                    .points
                    .extend_or_unwind(edge.points.iter().skip(skip).copied());
                joined
                    .radii
                    .extend_or_unwind(edge.radii.iter().skip(skip).copied());
            }
        }
        joined
    }

    /// Removes the other nodes, which no edge may have.
    pub(super) fn keep_nodes(&mut self, keep: impl Fn(usize) -> bool) {
        let mut new_index = filled_or_unwind(usize::MAX, self.nodes.len());
        let mut kept = 0;
        for (node, index) in new_index.iter_mut().enumerate() {
            if keep(node) {
                *index = kept;
                kept += 1;
            }
        }
        let mut number = 0;
        self.nodes.retain(|_| {
            number += 1;
            new_index[number - 1] != usize::MAX
        });
        for edge in &mut self.edges {
            edge.nodes = edge.nodes.map(|node| new_index[node]);
        }
    }
}
