//! Fronts: geodesic distances within a component, in ascending order.

use super::graph::{FrontGraph, PADDING, UNITS};
use crate::{
    memory::{ExtendOrUnwind, filled_or_unwind},
    monitor::Cancelled,
    skeleton::medial::progress::{ComponentProgress, REPORT_INTERVAL},
};
use std::cell::Cell;

/// Distance of nodes that the front did not reach.
pub const UNREACHED: u32 = u32::MAX;

/// Geodesic distances from one node along edges, computed with a bucket queue (Dial 1969).
pub struct Front<'a, G> {
    graph: &'a G,
    /// Distance of each node in [`UNITS`](super::graph::UNITS), or [`UNREACHED`]; after them
    /// [`PADDING`] elements.
    distances: Vec<u32>,
    /// Reached nodes in order of ascending distance.
    order: Vec<u32>,
    /// Pending nodes by distance, modulo the number of buckets, which is a power of two.
    buckets: Vec<Vec<u32>>,
}

/// Node at which a front may stop before it has visited the component.
#[derive(Clone, Copy)]
pub struct Goal {
    pub node: u32,
    /// Distance beyond the node at which the front stops, in [`UNITS`](super::graph::UNITS).
    pub margin: u32,
    /// Number of nodes after which the front stops.
    pub max_nodes: usize,
}

impl<'a, G: FrontGraph> Front<'a, G> {
    /// Creates a front that has not started.
    pub fn new(graph: &'a G) -> Self {
        Self {
            graph,
            distances: filled_or_unwind(UNREACHED, graph.len() + PADDING),
            order: Vec::new(),
            buckets: filled_or_unwind(
                Vec::new(),
                (graph.longest_edge() as usize + 1).next_power_of_two(),
            ),
        }
    }

    /// Computes the distances from a node, to all nodes or up to a margin beyond a goal. Previous
    /// distances are discarded. Takes time linear in the number of reached nodes.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn run(
        &mut self,
        from: u32,
        goal: Option<Goal>,
        progress: &ComponentProgress<'_>,
    ) -> Result<(), Cancelled> {
        for node in self.order.drain(..) {
            self.distances[node as usize] = UNREACHED;
        }
        let mask = self.buckets.len() - 1;
        self.distances[from as usize] = 0;
        self.buckets[0].push_or_unwind(from);
        let (mut distance, mut pending, mut limit) = (0u32, 1usize, u32::MAX);
        let max_nodes = goal.map_or(usize::MAX, |goal| goal.max_nodes);
        while pending > 0 && distance <= limit && self.order.len() < max_nodes {
            let bucket = distance as usize & mask;
            let mut nodes = std::mem::take(&mut self.buckets[bucket]);
            pending -= nodes.len();
            for &node in &nodes {
                // outdated: the node was reached at a smaller distance
                if self.distances[node as usize] != distance {
                    continue;
                }
                if self.order.len().is_multiple_of(REPORT_INTERVAL) {
                    progress.check()?;
                }
                self.order.push_or_unwind(node);
                if let Some(goal) = goal.filter(|goal| goal.node == node) {
                    limit = distance + goal.margin;
                }
                let Self {
                    graph,
                    distances,
                    buckets,
                    ..
                } = self;
                let distances = Cell::from_mut(&mut distances[..]).as_slice_of_cells();
                graph.for_each_selected(
                    node as usize,
                    // most neighbours were reached before
                    |other| distances[other].get() > distance,
                    |other, length| {
                        let next = distance + length;
                        if next < distances[other].get() {
                            distances[other].set(next);
                            buckets[next as usize & mask].push_or_unwind(other as u32);
                            pending += 1;
                        }
                    },
                );
            }
            nodes.clear();
            self.buckets[bucket] = nodes;
            distance += 1;
        }
        // nodes beyond the limit count as not reached
        for bucket in &mut self.buckets {
            for node in bucket.drain(..) {
                if self.distances[node as usize] >= distance {
                    self.distances[node as usize] = UNREACHED;
                }
            }
        }
        Ok(())
    }

    /// Returns the distance of a node in [`UNITS`](super::graph::UNITS), or [`UNREACHED`].
    #[inline(always)]
    pub fn distance(&self, node: u32) -> u32 {
        self.distances[node as usize]
    }

    /// Returns the reached nodes in order of ascending distance.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Returns the last node of the front: one of those farthest from its start.
    pub fn farthest(&self) -> u32 {
        self.order.last().map_or(0, |&node| node)
    }

    /// Returns the distance of the last node of the front, in units of the smallest spacing.
    pub fn farthest_distance(&self) -> f64 {
        f64::from(self.distance(self.farthest())) / UNITS
    }

    /// Returns `true` if the front stopped at a neighbour of the node, or if the graph lacks one.
    pub fn is_truncated_at(&self, node: u32) -> bool {
        let mut is_truncated = self.graph.is_open(node);
        self.graph.for_each_neighbour(node as usize, |other, _| {
            is_truncated |= self.distances[other] == UNREACHED;
        });
        is_truncated
    }
}
