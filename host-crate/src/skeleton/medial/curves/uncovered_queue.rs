//! Priority queue of uncovered voxels, farthest from the root first.

use super::coverage::Coverage;
use crate::{memory::ExtendOrUnwind, parallel, skeleton::medial::voxels::object::Object};
use std::collections::{BinaryHeap, binary_heap::PeekMut};

/// Number of words of the object per group.
const GROUP: usize = 16;
/// Minimum number of groups per parallel task.
const MIN_PARALLEL_GROUPS: usize = 1 << 9;

/// Yields the uncovered voxels of a component in order of decreasing geodesic distance from the
/// root. Ties are broken by the smaller voxel index.
///
/// The heap holds one entry per group of [`GROUP`] words, keyed by an upper bound on the keys in
/// that group. Coverage only grows, so an outdated key is still an upper bound: only groups that
/// reach the top of the heap are evaluated again.
pub struct UncoveredQueue<'a, F> {
    object: &'a Object,
    /// Geodesic distance from the root, in integer length units, by voxel index.
    distance: F,
    /// Max-heap of (upper bound of the key, group index).
    groups: BinaryHeap<(u64, u32)>,
    /// Key of the most recently returned voxel; keys at or above it have been returned already.
    last_key: u64,
}

impl<'a, F: Fn(usize) -> u32 + Sync> UncoveredQueue<'a, F> {
    /// Builds the queue from the voxels that `coverage` leaves uncovered.
    pub fn new(coverage: &Coverage<'a>, distance: F) -> Self {
        let mut queue = Self {
            object: coverage.object(),
            distance,
            groups: BinaryHeap::new(),
            last_key: u64::MAX,
        };
        let count = queue.object.words().len().div_ceil(GROUP);
        let keys = parallel::collect(count, MIN_PARALLEL_GROUPS, |groups, keys| {
            let groups = groups.map(|group| group as u32);
            keys.extend_or_unwind(
                groups.filter_map(|group| Some((queue.max_key(coverage, group)?, group))),
            );
        });
        queue.groups = keys.into();
        queue
    }

    /// Returns the next voxel that is still uncovered.
    pub fn next(&mut self, coverage: &Coverage<'a>) -> Option<usize> {
        loop {
            let &(key, group) = self.groups.peek()?;
            let now = self.max_key(coverage, group);
            if now == Some(key) {
                self.last_key = key;
                return Some(!(key as u32) as usize);
            }
            let mut top = self.groups.peek_mut()?;
            match now {
                Some(now) => *top = (now, group),
                None => drop(PeekMut::pop(top)),
            }
        }
    }

    /// Returns the largest remaining key of a group.
    fn max_key(&self, coverage: &Coverage<'a>, group: u32) -> Option<u64> {
        let start = group as usize * GROUP;
        let end = self.object.words().len().min(start + GROUP);
        let voxels = (start..end).flat_map(|word| coverage.uncovered_in_word(word));
        let keys = voxels.map(|voxel| self.key(voxel));
        keys.filter(|&key| key < self.last_key).max()
    }

    /// Returns the key of a voxel: greater for greater distances, and for smaller voxel indices on
    /// ties.
    fn key(&self, voxel: usize) -> u64 {
        u64::from((self.distance)(voxel)) << 32 | u64::from(!(voxel as u32))
    }
}
