//! Nearest marked voxel on the shortest path from the root to each voxel.

use super::shortest_paths::ShortestPaths;
use crate::{
    memory::{CollectOrUnwind, ExtendOrUnwind},
    parallel,
    skeleton::medial::voxels::{
        object::{MIN_PARALLEL_ITEMS, Object},
        word_neighbourhood::set_bits,
    },
};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// For each voxel, the last marked voxel on the path from the root to it, itself included.
pub struct MarkedAncestors {
    /// Marked voxel plus 1; one entry per voxel.
    ancestors: Vec<AtomicU32>,
}

impl MarkedAncestors {
    /// Finds the marked ancestors of all voxels. `is_marked(voxel, predecessor)` marks voxels; the
    /// root is always marked.
    ///
    /// Threads climb from their voxels towards the root up to a voxel whose ancestor is known, and
    /// write it to the voxels in between. Two threads that climb the same path write the same
    /// values, so the result does not depend on their timing. Each voxel takes about one step.
    pub fn new(
        paths: &ShortestPaths,
        object: &Object,
        is_marked: impl Fn(usize, usize) -> bool + Sync,
    ) -> Self {
        let ancestors: Vec<AtomicU32> = (0..object.len())
            .map(|_| AtomicU32::new(0))
            .collect_or_unwind();
        let words = object.words();
        parallel::map_ranges(words.len(), MIN_PARALLEL_ITEMS, |range| {
            let mut path = Vec::new();
            for start in range {
                for bit in set_bits(words[start].bits) {
                    let mut at = (start, bit);
                    let ancestor = loop {
                        let (word, bit) = at;
                        let voxel = words[word].voxel_index(bit);
                        let known = ancestors[voxel as usize].load(Relaxed);
                        if known != 0 {
                            break known;
                        }
                        path.push_or_unwind(voxel);
                        let Some(step) = paths.predecessor_bit(voxel as usize) else {
                            break voxel + 1;
                        };
                        at = object.step(word, bit, step);
                        let predecessor = words[at.0].voxel_index(at.1);
                        if is_marked(voxel as usize, predecessor as usize) {
                            break voxel + 1;
                        }
                    };
                    for voxel in path.drain(..) {
                        ancestors[voxel as usize].store(ancestor, Relaxed);
                    }
                }
            }
        });
        Self { ancestors }
    }

    /// Returns the marked ancestor of a voxel.
    #[inline(always)]
    pub fn get(&self, voxel: usize) -> usize {
        self.ancestors[voxel].load(Relaxed) as usize - 1
    }

    /// Returns the marked voxels, in ascending order.
    pub fn marked_voxels(&self) -> Vec<u32> {
        parallel::collect(
            self.ancestors.len(),
            MIN_PARALLEL_ITEMS,
            |voxels, marked| {
                let voxels = voxels.filter(|&voxel| self.get(voxel) == voxel);
                marked.extend_or_unwind(voxels.map(|voxel| voxel as u32));
            },
        )
    }

    /// Replaces each ancestor by `convert(ancestor)`, in parallel, and returns the values.
    pub fn map(self, convert: impl Fn(usize) -> u32 + Sync) -> Vec<AtomicU32> {
        parallel::map_ranges(self.ancestors.len(), MIN_PARALLEL_ITEMS, |voxels| {
            // neighbouring voxels mostly have the same ancestor
            let mut last = None;
            for voxel in voxels {
                let ancestor = self.get(voxel);
                let value = match last {
                    Some((of_last, value)) if of_last == ancestor => value,
                    _ => convert(ancestor),
                };
                last = Some((ancestor, value));
                self.ancestors[voxel].store(value, Relaxed);
            }
        });
        self.ancestors
    }
}
