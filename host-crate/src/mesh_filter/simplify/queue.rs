//! Priority queue of edges, lowest cost first.

use super::SIMPLIFICATION;
use crate::memory::{self, OutOfMemory};
use std::{
    cmp::Ordering,
    collections::{BTreeMap, BinaryHeap},
};

/// An edge with the cost and the version at which it was queued.
#[derive(Clone, Copy)]
pub(super) struct Edge {
    /// Cost of the contraction; not negative.
    pub cost: f64,
    pub ends: [u32; 2],
    /// Sum of the versions of its ends when it was queued.
    pub version: u64,
}

impl Ord for Edge {
    /// Orders edges such that the greatest is contracted next.
    fn cmp(&self, other: &Self) -> Ordering {
        let by_cost = other.cost.total_cmp(&self.cost);
        by_cost.then_with(|| other.ends.cmp(&self.ends))
    }
}

impl PartialOrd for Edge {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Edge {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Edge {}

/// Priority queue by cost. Only the cheapest edges are kept in a heap; all others are in buckets of
/// similar cost, so that the working set fits a cache. A single heap of all edges took half of the
/// time of a simplification.
#[derive(Default)]
pub(super) struct EdgeQueue {
    /// Edges of buckets up to `bucket`.
    ordered: BinaryHeap<Edge>,
    bucket: u32,
    buckets: BTreeMap<u32, Vec<Edge>>,
}

/// Returns the bucket of a cost: its exponent and the first eight bits of its mantissa, which
/// ascend with the cost.
fn cost_bucket(cost: f64) -> u32 {
    (cost.to_bits() >> 44) as u32
}

impl EdgeQueue {
    pub fn push(&mut self, edge: Edge) -> Result<(), OutOfMemory> {
        let bucket = cost_bucket(edge.cost);
        if bucket > self.bucket {
            let buckets = self.buckets.entry(bucket).or_default();
            if buckets.len() == buckets.capacity() {
                memory::try_reserve(SIMPLIFICATION, buckets, buckets.len().max(16))?;
            }
            buckets.push(edge);
            return Ok(());
        }
        let reserved = self.ordered.try_reserve(1);
        reserved.map_err(|_| OutOfMemory {
            purpose: SIMPLIFICATION,
            bytes: (self.ordered.len() * size_of::<Edge>()) as u64,
        })?;
        self.ordered.push(edge);
        Ok(())
    }

    /// Removes and returns the next edge. Some edges for which `is_current` is false are dropped on
    /// the way.
    pub fn pop(&mut self, is_current: impl Fn(&Edge) -> bool) -> Option<Edge> {
        loop {
            if let Some(edge) = self.ordered.pop() {
                return Some(edge);
            }
            let (bucket, mut edges) = self.buckets.pop_first()?;
            self.bucket = bucket;
            edges.retain(&is_current);
            self.ordered = edges.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The order equals that of a single heap, for any sequence of pushes and pops.
        #[test]
        fn order_equals_that_of_a_single_heap(
            steps in prop::collection::vec((0.0..4.0f64, -30..30i32, any::<bool>()), 0..300),
        ) {
            let (mut queue, mut heap) = (EdgeQueue::default(), BinaryHeap::new());
            for (number, (cost, exponent, is_pop)) in steps.into_iter().enumerate() {
                if is_pop {
                    let found = queue.pop(|_| true).map(|edge| edge.ends);
                    prop_assert_eq!(found, heap.pop().map(|edge: Edge| edge.ends));
                } else {
                    let ends = [number as u32, 0];
                    let cost = if exponent == 0 { 0.0 } else { cost * 2f64.powi(exponent) };
                    let edge = Edge { cost, ends, version: 0 };
                    queue.push(edge).unwrap();
                    heap.push(edge);
                }
            }
            while let Some(edge) = heap.pop() {
                prop_assert_eq!(queue.pop(|_| true).map(|edge| edge.ends), Some(edge.ends));
            }
            prop_assert!(queue.pop(|_| true).is_none());
        }
    }
}
