//! Homology classes of the shortest paths from the root.

use super::{marked_ancestors::MarkedAncestors, shortest_paths::ShortestPaths};
use crate::{
    memory::{ExtendOrUnwind, filled_or_unwind},
    skeleton::medial::{
        topology::{cocycle::Cocycle, homology_classes::HomologyClass},
        voxels::object::Object,
    },
};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Returns the class of the shortest path from the root to each voxel.
pub fn path_classes(cocycle: &mut Cocycle, object: &Object, paths: &ShortestPaths) -> PathClasses {
    // voxels whose step from their predecessor has a non-zero class
    let shared = &*cocycle;
    let ancestors = MarkedAncestors::new(paths, object, |voxel, predecessor| {
        shared.has_classes(voxel) && shared.step_class(voxel, predecessor) != 0
    });
    let marked = ancestors.marked_voxels();
    let index = |voxel: usize| marked.partition_point(|&other| (other as usize) < voxel);
    let mut classes: Vec<HomologyClass> = filled_or_unwind(UNKNOWN, marked.len());
    let mut path = Vec::new();
    for start in 0..marked.len() {
        let mut at = start;
        while classes[at] == UNKNOWN {
            let voxel = marked[at] as usize;
            let Some(bit) = paths.predecessor_bit(voxel) else {
                classes[at] = 0;
                break;
            };
            let predecessor = object.neighbour(voxel, bit);
            path.push_or_unwind((at, cocycle.step_class(voxel, predecessor)));
            at = index(ancestors.get(predecessor));
        }
        let mut class = classes[at];
        while let Some((at, step)) = path.pop() {
            class = cocycle.table.sum(class, step);
            classes[at] = class;
        }
    }
    PathClasses(ancestors.map(|voxel| classes[index(voxel)]))
}

/// Marker of marked voxels whose class is not known yet.
const UNKNOWN: HomologyClass = HomologyClass::MAX;

/// Class of the shortest path from the root to each voxel.
pub struct PathClasses(Vec<AtomicU32>);

impl PathClasses {
    /// Returns the class of the path to a voxel.
    #[inline(always)]
    pub fn get(&self, voxel: usize) -> HomologyClass {
        self.0[voxel].load(Relaxed)
    }
}
