//! Pruning of short branches.

use super::{Chain, GraphError, Skeleton, chains::Incidence};
use crate::memory::{
    ExtendOrUnwind, catch_out_of_memory, collect_into_or_unwind, zeroed_or_unwind,
};
use std::{cmp::Reverse, collections::BinaryHeap};

/// Length of a branch that noise of the surface can cause, in smallest spacings.
const NOISE_VOXELS: f64 = 2.0;

/// Criterion for branches to remove.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Prune {
    /// Removes branches shorter than this length, in world units.
    Length(f64),
    /// Removes branches shorter than this multiple of the radius at their root, the node where they
    /// leave the rest of the skeleton. Branches whose root radius is unknown are kept.
    LengthByRadius(f64),
    /// Removes branches whose significance is below this: the length beyond the inscribed ball of
    /// their root, less two smallest spacings for noise of the surface, divided by the median
    /// radius of the points beyond that ball. Branches of unknown radius are kept.
    Significance(f64),
}

impl Prune {
    /// Returns the criterion's name in files: `length`, `length-by-radius` or `significance`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Length(_) => "length",
            Self::LengthByRadius(_) => "length-by-radius",
            Self::Significance(_) => "significance",
        }
    }

    /// Returns the length, the ratio or the significance below which branches are removed.
    pub fn limit(self) -> f64 {
        match self {
            Self::Length(limit) | Self::LengthByRadius(limit) | Self::Significance(limit) => limit,
        }
    }
}

/// Length or length ratio of a branch; never NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
struct BranchMeasure(f64);

impl Eq for BranchMeasure {}

impl PartialOrd for BranchMeasure {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for BranchMeasure {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// A skeleton during pruning.
struct Pruning<'a> {
    skeleton: &'a Skeleton,
    /// Remaining edge ends at each node.
    incidence: Incidence,
    criterion: Prune,
}

impl Pruning<'_> {
    /// Returns the branch from a leaf to the first node whose degree is not 2, or `None` if that
    /// node is a leaf too, in which case the branch is its entire component.
    fn branch(&self, leaf: usize) -> Option<Chain> {
        let [(mut edge, mut reversed)] = self.incidence[leaf][..] else {
            return None;
        };
        let mut chain = Chain {
            edges: Vec::new(),
            reversed: Vec::new(),
            nodes: vec![leaf],
        };
        loop {
            let node = self.skeleton.edges[edge].nodes[usize::from(!reversed)];
            chain.edges.push_or_unwind(edge);
            chain.reversed.push_or_unwind(reversed);
            chain.nodes.push_or_unwind(node);
            (edge, reversed) = match self.incidence[node][..] {
                [_] => return None,
                [arrival, departure] if arrival == (edge, !reversed) => departure,
                [departure, arrival] if arrival == (edge, !reversed) => departure,
                _ => return Some(chain),
            };
        }
    }

    fn measure(&self, chain: &Chain) -> BranchMeasure {
        if let Prune::Significance(_) = self.criterion {
            return BranchMeasure(self.significance(chain));
        }
        let edges = chain.edges.iter();
        let length: f64 = edges.map(|&edge| self.skeleton.edge_length(edge)).sum();
        let last = chain.edges.len() - 1;
        let root = &self.skeleton.edges[chain.edges[last]].radii;
        let radius = if chain.reversed[last] {
            root.first()
        } else {
            root.last()
        };
        let measure = match (self.criterion, radius) {
            (Prune::Length(_), _) => length,
            (Prune::LengthByRadius(_), Some(&radius)) if radius > 0.0 => length / radius,
            _ => f64::INFINITY,
        };
        BranchMeasure(if measure.is_nan() {
            f64::INFINITY
        } else {
            measure
        })
    }

    /// Returns the significance of a branch, or infinity if its radii are unknown.
    fn significance(&self, chain: &Chain) -> f64 {
        let curve = self.skeleton.chain_edge(chain);
        let geometry = &self.skeleton.geometry;
        let spacing = geometry.spacing().min();
        let root_radius = curve.radii[curve.radii.len() - 1];
        // from the root to the leaf
        let mut length = 0.0;
        let mut beyond = Vec::new();
        for at in (0..curve.points.len() - 1).rev() {
            let step = geometry.axes() * (curve.points[at] - curve.points[at + 1]);
            length += step.norm();
            if length > root_radius {
                beyond.push_or_unwind(curve.radii[at]);
            }
        }
        beyond.sort_unstable_by(f64::total_cmp);
        let Some(&radius) = beyond.get(beyond.len() / 2) else {
            return 0.0;
        };
        if radius <= 0.0 || root_radius <= 0.0 {
            return f64::INFINITY;
        }
        (length - root_radius - NOISE_VOXELS * spacing) / radius.max(spacing)
    }

    fn remove(&mut self, chain: &Chain) {
        for &edge in &chain.edges {
            for node in self.skeleton.edges[edge].nodes {
                self.incidence[node].retain(|end| end.0 != edge);
            }
        }
    }

    /// Returns the leaves of the branch that passes through a node of degree 2.
    fn leaves_through(&self, node: usize) -> Vec<usize> {
        let mut leaves = Vec::new();
        if self.incidence[node].len() != 2 {
            return leaves;
        }
        for &(mut edge, mut reversed) in &self.incidence[node] {
            loop {
                let next = self.skeleton.edges[edge].nodes[usize::from(!reversed)];
                if self.incidence[next].len() == 1 {
                    leaves.push_or_unwind(next);
                }
                (edge, reversed) = match self.incidence[next][..] {
                    _ if next == node => break,
                    [arrival, departure] if arrival == (edge, !reversed) => departure,
                    [departure, arrival] if arrival == (edge, !reversed) => departure,
                    _ => break,
                };
            }
        }
        leaves
    }
}

impl Skeleton {
    /// Removes branches that end in a leaf and meet the criterion, shortest first. If a removal
    /// leaves two branches at a junction, they become one branch, which is measured again.
    /// Branches on cycles and the last branch of a component are kept. Returns the number of
    /// branches removed.
    ///
    /// Takes O(n log n) time in the number of branches, plus the time to walk along the merged
    /// branch after each removal.
    ///
    /// # Errors
    /// [`GraphError::Prune`] if the limit is negative or NaN.
    pub fn prune(&mut self, criterion: Prune) -> Result<usize, GraphError> {
        let limit = criterion.limit();
        if limit.is_nan() || limit < 0.0 {
            return Err(GraphError::Prune { found: limit });
        }
        catch_out_of_memory("pruning a skeleton", || {
            self.remove_short_branches(criterion, limit)
        })
    }

    fn remove_short_branches(&mut self, criterion: Prune, limit: f64) -> Result<usize, GraphError> {
        let mut pruning = Pruning {
            skeleton: self,
            incidence: self.incidence(),
            criterion,
        };
        let leaves = 0..pruning.skeleton.nodes.len();
        let branches =
            leaves.filter_map(|leaf| Some((pruning.measure(&pruning.branch(leaf)?), leaf)));
        let mut queue: BinaryHeap<_> = collect_into_or_unwind(branches.map(Reverse));
        let mut removed_nodes = zeroed_or_unwind::<bool>(pruning.skeleton.nodes.len());
        let mut removed = 0;
        while let Some(Reverse((measure, leaf))) = queue.pop() {
            if measure.0 >= limit {
                break;
            }
            let Some(chain) = pruning.branch(leaf) else {
                continue;
            };
            // outdated: the branch has grown, and has a newer entry
            if pruning.measure(&chain) != measure {
                continue;
            }
            pruning.remove(&chain);
            removed += 1;
            let [_, root] = chain.ends();
            for &node in &chain.nodes[..chain.nodes.len() - 1] {
                removed_nodes[node] = true;
            }
            for leaf in pruning.leaves_through(root) {
                if let Some(chain) = pruning.branch(leaf) {
                    queue.push_or_unwind(Reverse((pruning.measure(&chain), leaf)));
                }
            }
        }
        let mut kept_edges = zeroed_or_unwind::<bool>(self.edges.len());
        for &(edge, _) in pruning.incidence.iter().flatten() {
            kept_edges[edge] = true;
        }
        let mut edge = 0;
        self.edges.retain(|_| {
            edge += 1;
            kept_edges[edge - 1]
        });
        self.keep_nodes(|node| !removed_nodes[node]);
        Ok(removed)
    }
}
