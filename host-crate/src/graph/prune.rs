//! Removing short branches.

use super::{Chain, GraphError, Skeleton, chains::Incidence};
use crate::memory::{
    ExtendOrUnwind, catch_out_of_memory, collect_into_or_unwind, zeroed_or_unwind,
};
use std::{cmp::Reverse, collections::BinaryHeap};

/// Which branches are too short.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Prune {
    /// Those shorter than this, in world units.
    Length(f64),
    /// Those shorter than this multiple of the radius where they leave the rest. Where the radius
    /// is not known, none.
    LengthByRadius(f64),
}

impl Prune {
    fn limit(self) -> f64 {
        match self {
            Self::Length(limit) | Self::LengthByRadius(limit) => limit,
        }
    }
}

/// A number by which branches are ordered; it is not NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Measure(f64);

impl Eq for Measure {}

impl PartialOrd for Measure {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Measure {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// A skeleton that loses branches.
struct Pruning<'a> {
    skeleton: &'a Skeleton,
    /// The edges that are left, at each node.
    incidence: Incidence,
    by: Prune,
}

impl Pruning<'_> {
    /// From a node of degree 1 to the next one that does not have degree 2. None if that has degree
    /// 1 too: then the branch is all there is of its component.
    fn branch(&self, leaf: usize) -> Option<Chain> {
        let [(mut edge, mut backwards)] = self.incidence[leaf][..] else {
            return None;
        };
        let mut chain = Chain {
            edges: Vec::new(),
            backwards: Vec::new(),
            nodes: vec![leaf],
        };
        loop {
            let node = self.skeleton.edges[edge].nodes[usize::from(!backwards)];
            chain.edges.push_or_unwind(edge);
            chain.backwards.push_or_unwind(backwards);
            chain.nodes.push_or_unwind(node);
            (edge, backwards) = match self.incidence[node][..] {
                [_] => return None,
                [one, other] if one == (edge, !backwards) => other,
                [other, one] if one == (edge, !backwards) => other,
                _ => return Some(chain),
            };
        }
    }

    fn measure(&self, chain: &Chain) -> Measure {
        let edges = chain.edges.iter();
        let length: f64 = edges.map(|&edge| self.skeleton.edge_length(edge)).sum();
        let last = chain.edges.len() - 1;
        let root = &self.skeleton.edges[chain.edges[last]].radii;
        let radius = if chain.backwards[last] {
            root.first()
        } else {
            root.last()
        };
        let measure = match (self.by, radius) {
            (Prune::Length(_), _) => length,
            (Prune::LengthByRadius(_), Some(&radius)) if radius > 0.0 => length / radius,
            (Prune::LengthByRadius(_), _) => f64::INFINITY,
        };
        Measure(if measure.is_nan() {
            f64::INFINITY
        } else {
            measure
        })
    }

    fn remove(&mut self, chain: &Chain) {
        for &edge in &chain.edges {
            for node in self.skeleton.edges[edge].nodes {
                self.incidence[node].retain(|end| end.0 != edge);
            }
        }
    }

    /// The ends of degree 1 of the branch that goes through a node of degree 2.
    fn leaves_through(&self, node: usize) -> Vec<usize> {
        let mut leaves = Vec::new();
        if self.incidence[node].len() != 2 {
            return leaves;
        }
        for &(mut edge, mut backwards) in &self.incidence[node] {
            loop {
                let next = self.skeleton.edges[edge].nodes[usize::from(!backwards)];
                if self.incidence[next].len() == 1 {
                    leaves.push_or_unwind(next);
                }
                (edge, backwards) = match self.incidence[next][..] {
                    _ if next == node => break,
                    [one, other] if one == (edge, !backwards) => other,
                    [other, one] if one == (edge, !backwards) => other,
                    _ => break,
                };
            }
        }
        leaves
    }
}

impl Skeleton {
    /// Removes the branches with a free end that are too short, the shortest first, until there are
    /// none: what was two branches beside a removed one is one, and judged anew. Branches of cycles
    /// stay, and so does the last branch of a component. Returns how many were removed.
    ///
    /// The time is that of sorting the branches, and of walking along each again where one beside
    /// it is removed.
    ///
    /// # Errors
    /// [`GraphError::Prune`] for a limit that is negative or no number.
    pub fn prune(&mut self, by: Prune) -> Result<usize, GraphError> {
        let limit = by.limit();
        if limit.is_nan() || limit < 0.0 {
            return Err(GraphError::Prune { found: limit });
        }
        catch_out_of_memory(|| self.pruned(by, limit))
    }

    fn pruned(&mut self, by: Prune, limit: f64) -> Result<usize, GraphError> {
        let mut pruning = Pruning {
            skeleton: self,
            incidence: self.incidence(),
            by,
        };
        let leaves = 0..pruning.skeleton.nodes.len();
        let branches =
            leaves.filter_map(|leaf| Some((pruning.measure(&pruning.branch(leaf)?), leaf)));
        let mut waiting: BinaryHeap<_> = collect_into_or_unwind(branches.map(Reverse));
        let mut gone = zeroed_or_unwind::<bool>(pruning.skeleton.nodes.len());
        let mut removed = 0;
        while let Some(Reverse((measure, leaf))) = waiting.pop() {
            if measure.0 >= limit {
                break;
            }
            let Some(chain) = pruning.branch(leaf) else {
                continue;
            };
            // a later entry has its present state
            if pruning.measure(&chain) != measure {
                continue;
            }
            pruning.remove(&chain);
            removed += 1;
            let [_, root] = chain.ends();
            for &node in &chain.nodes[..chain.nodes.len() - 1] {
                gone[node] = true;
            }
            for leaf in pruning.leaves_through(root) {
                if let Some(chain) = pruning.branch(leaf) {
                    waiting.push_or_unwind(Reverse((pruning.measure(&chain), leaf)));
                }
            }
        }
        let mut left = zeroed_or_unwind::<bool>(self.edges.len());
        for &(edge, _) in pruning.incidence.iter().flatten() {
            left[edge] = true;
        }
        let mut number = 0;
        self.edges.retain(|_| {
            number += 1;
            left[number - 1]
        });
        self.keep_nodes(|node| !gone[node]);
        Ok(removed)
    }
}
