//! Nearest marked voxel on the shortest path from the root to each voxel.

use super::{propagation::propagate_from_root, shortest_paths::ShortestPaths};
use crate::{
    memory::ExtendOrUnwind,
    parallel,
    skeleton::medial::voxels::object::{MIN_PARALLEL_ITEMS, Object},
};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// For each voxel, the last marked voxel on the path from the root to it, itself included.
pub struct MarkedAncestors {
    /// Marked voxel plus 1; one entry per voxel.
    ancestors: Vec<AtomicU32>,
}

impl MarkedAncestors {
    /// Finds the marked ancestors of all voxels, in about one step per voxel.
    /// `is_marked(voxel, predecessor)` marks voxels; the root is always marked.
    pub fn new(
        paths: &ShortestPaths,
        object: &Object,
        is_marked: impl Fn(usize, usize) -> bool + Sync,
    ) -> Self {
        let own = |voxel: u32, predecessor: u32| {
            is_marked(voxel as usize, predecessor as usize).then_some(voxel + 1)
        };
        let ancestors = propagate_from_root(paths, object, |root| root + 1, own, |value, _| value);
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
