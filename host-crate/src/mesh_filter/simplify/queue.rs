//! The edges that wait, the cheapest first.

use super::surface::SIMPLIFICATION;
use crate::memory::{self, OutOfMemory};
use std::{
    cmp::Ordering,
    collections::{BTreeMap, BinaryHeap},
};

/// An edge as it was when it was looked at.
#[derive(Clone, Copy)]
pub(super) struct Edge {
    /// Not negative.
    pub cost: f64,
    pub ends: [u32; 2],
    /// How often the ends had moved.
    pub moves: u64,
}

impl Ord for Edge {
    /// The greatest is the next to go.
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

/// Edges by their cost. Only the cheapest are ordered; the others lie in classes of about the same
/// cost, so that what is at work fits a cache: a heap of all edges took half of the time of a
/// simplification.
#[derive(Default)]
pub(super) struct Queue {
    /// Those of classes up to `class`.
    ordered: BinaryHeap<Edge>,
    class: u32,
    waiting: BTreeMap<u32, Vec<Edge>>,
}

/// The class of a cost: its exponent and the first eight bits after the point, which ascend with
/// the cost.
fn class(cost: f64) -> u32 {
    (cost.to_bits() >> 44) as u32
}

impl Queue {
    pub fn push(&mut self, edge: Edge) -> Result<(), OutOfMemory> {
        let class = class(edge.cost);
        if class > self.class {
            let waiting = self.waiting.entry(class).or_default();
            if waiting.len() == waiting.capacity() {
                memory::try_reserve(SIMPLIFICATION, waiting, waiting.len().max(16))?;
            }
            waiting.push(edge);
            return Ok(());
        }
        let room = self.ordered.try_reserve(1);
        room.map_err(|_| OutOfMemory {
            purpose: SIMPLIFICATION,
            bytes: (self.ordered.len() * size_of::<Edge>()) as u64,
        })?;
        self.ordered.push(edge);
        Ok(())
    }

    /// The next edge. Of those that are of no use any more some are left out.
    pub fn pop(&mut self, is_of_use: impl Fn(&Edge) -> bool) -> Option<Edge> {
        loop {
            if let Some(edge) = self.ordered.pop() {
                return Some(edge);
            }
            let (class, mut edges) = self.waiting.pop_first()?;
            self.class = class;
            edges.retain(&is_of_use);
            self.ordered = edges.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Whatever is pushed in between, it is the order of a heap of all.
        #[test]
        fn the_order_is_that_of_a_heap(
            steps in prop::collection::vec((0.0..4.0f64, -30..30i32, any::<bool>()), 0..300),
        ) {
            let (mut queue, mut heap) = (Queue::default(), BinaryHeap::new());
            for (number, (cost, exponent, is_pop)) in steps.into_iter().enumerate() {
                if is_pop {
                    let found = queue.pop(|_| true).map(|edge| edge.ends);
                    prop_assert_eq!(found, heap.pop().map(|edge: Edge| edge.ends));
                } else {
                    let ends = [number as u32, 0];
                    let cost = if exponent == 0 { 0.0 } else { cost * 2f64.powi(exponent) };
                    let edge = Edge { cost, ends, moves: 0 };
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
