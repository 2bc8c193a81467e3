//! Fronts: geodesic distances within a component, in ascending order.

use crate::grid::Metric;
use crate::{
    memory::{ExtendOrUnwind, filled_or_unwind},
    monitor::Cancelled,
    skeleton::medial::{
        paths::shortest_paths::step_lengths,
        progress::{ComponentProgress, REPORT_INTERVAL},
        voxels::{neighbour_bits::NEIGHBOURS, object::Object},
    },
};

/// Distance units per unit of the smallest spacing. With 32, the steps of isotropic voxels (32, 45
/// and 55 units) are exact to 0.8 %, and few buckets suffice.
pub const UNITS: f64 = 32.0;

/// Distance of voxels that the front did not reach.
pub const UNREACHED: u32 = u32::MAX;

/// Geodesic distances from one voxel along steps between neighbours, computed with a bucket queue
/// (Dial 1969).
pub struct Front<'a> {
    object: &'a Object,
    /// Length of the step to each neighbour, in [`UNITS`].
    step_lengths: [u32; 27],
    /// Distance of each voxel in [`UNITS`], or [`UNREACHED`].
    distances: Vec<u32>,
    /// Reached voxels in order of ascending distance.
    order: Vec<u32>,
    /// Pending voxels by distance, modulo the number of buckets.
    buckets: Vec<Vec<u32>>,
}

/// Voxel at which a front may stop before it has visited the component.
#[derive(Clone, Copy)]
pub struct Goal {
    pub voxel: u32,
    /// Distance beyond the voxel at which the front stops, in [`UNITS`].
    pub margin: u32,
}

impl<'a> Front<'a> {
    /// Creates a front that has not started.
    pub fn new(object: &'a Object, metric: &Metric) -> Self {
        let step_lengths = step_lengths(metric).map(|length| (UNITS * length).round() as u32);
        let longest = step_lengths.iter().max().map_or(0, |&length| length);
        Self {
            object,
            step_lengths,
            distances: filled_or_unwind(UNREACHED, object.len()),
            order: Vec::new(),
            buckets: filled_or_unwind(Vec::new(), longest as usize + 1),
        }
    }

    /// Computes the distances from a voxel, to all voxels or up to a margin beyond a goal.
    /// Previous distances are discarded. Takes time linear in the number of reached voxels.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn run(
        &mut self,
        from: u32,
        goal: Option<Goal>,
        progress: &ComponentProgress<'_>,
    ) -> Result<(), Cancelled> {
        for voxel in self.order.drain(..) {
            self.distances[voxel as usize] = UNREACHED;
        }
        let count = self.buckets.len();
        self.distances[from as usize] = 0;
        self.buckets[0].push_or_unwind(from);
        let (mut distance, mut pending, mut limit) = (0u32, 1usize, u32::MAX);
        while pending > 0 && distance <= limit {
            let bucket = distance as usize % count;
            let mut voxels = std::mem::take(&mut self.buckets[bucket]);
            pending -= voxels.len();
            for &voxel in &voxels {
                // outdated: the voxel was reached at a smaller distance
                if self.distances[voxel as usize] != distance {
                    continue;
                }
                if self.order.len().is_multiple_of(REPORT_INTERVAL) {
                    progress.check()?;
                }
                self.order.push_or_unwind(voxel);
                if let Some(goal) = goal.filter(|goal| goal.voxel == voxel) {
                    limit = distance + goal.margin;
                }
                for (bit, other) in self.object.neighbours(voxel as usize, NEIGHBOURS) {
                    let next = distance + self.step_lengths[bit];
                    if next < self.distances[other] {
                        self.distances[other] = next;
                        self.buckets[next as usize % count].push_or_unwind(other as u32);
                        pending += 1;
                    }
                }
            }
            voxels.clear();
            self.buckets[bucket] = voxels;
            distance += 1;
        }
        // voxels beyond the limit count as not reached
        for bucket in &mut self.buckets {
            for voxel in bucket.drain(..) {
                if self.distances[voxel as usize] >= distance {
                    self.distances[voxel as usize] = UNREACHED;
                }
            }
        }
        Ok(())
    }

    /// Returns the distance of a voxel in [`UNITS`], or [`UNREACHED`].
    #[inline(always)]
    pub fn distance(&self, voxel: usize) -> u32 {
        self.distances[voxel]
    }

    /// Returns the reached voxels in order of ascending distance.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Returns the last voxel of the front: one of those farthest from its start.
    pub fn farthest(&self) -> u32 {
        self.order.last().map_or(0, |&voxel| voxel)
    }

    /// Returns `true` if the front stopped at a neighbour of the voxel.
    pub fn is_truncated_at(&self, voxel: u32) -> bool {
        let mut neighbours = self.object.neighbours(voxel as usize, NEIGHBOURS);
        neighbours.any(|(_, other)| self.distances[other] == UNREACHED)
    }
}
