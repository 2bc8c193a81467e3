//! Voxels that are not covered, that with the longest way first.

use super::coverage::Coverage;
use crate::{memory::ExtendOrUnwind, parallel, skeleton::medial::voxels::object::Object};
use std::collections::{BinaryHeap, binary_heap::PeekMut};

/// Words that are looked at together.
const GROUP: usize = 16;
/// Groups are dealt to threads in portions that are no smaller.
const MIN_PARALLEL_GROUPS: usize = 1 << 9;

/// A queue of the voxels of a component by the lengths of their ways, without those that a cover
/// has. Of equal lengths the first voxel comes first.
///
/// Words are kept in groups, each by the greatest key that a voxel of it had when it was last
/// looked at. Covers only grow, so that is a bound, and only the groups that come first are looked
/// at again.
pub struct UncoveredQueue<'a, F> {
    object: &'a Object,
    distance: F,
    groups: BinaryHeap<(u64, u32)>,
    /// Voxels whose keys are not below this have had their turn.
    last_key: u64,
}

impl<'a, F: Fn(usize) -> u32 + Sync> UncoveredQueue<'a, F> {
    /// Those that are not covered now, by lengths.
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

    /// The next that is not covered.
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

    /// The greatest key of a group.
    fn max_key(&self, coverage: &Coverage<'a>, group: u32) -> Option<u64> {
        let start = group as usize * GROUP;
        let end = self.object.words().len().min(start + GROUP);
        let voxels = (start..end).flat_map(|word| coverage.uncovered_in_word(word));
        let keys = voxels.map(|voxel| self.key(voxel));
        keys.filter(|&key| key < self.last_key).max()
    }

    /// Longer ways have greater keys, and so have voxels before others.
    fn key(&self, voxel: usize) -> u64 {
        u64::from((self.distance)(voxel)) << 32 | u64::from(!(voxel as u32))
    }
}
