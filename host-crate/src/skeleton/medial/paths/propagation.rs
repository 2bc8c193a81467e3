//! Propagation of values along the shortest paths from the root.

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

/// Returns a value for each voxel: `at_root(root)`; `own(voxel, predecessor)` if there is one;
/// otherwise `next(value, step)` from the predecessor's value and the neighbour bit of the step to
/// the predecessor. A value of 0 means that it is not known, and is computed again when needed.
///
/// Threads climb from their voxels towards the root up to a voxel whose value is known, and write
/// the values of the voxels in between. Two threads that climb the same path write the same values,
/// so the result does not depend on their timing. Each voxel takes about one step.
pub fn propagate_from_root(
    paths: &ShortestPaths,
    object: &Object,
    at_root: impl Fn(u32) -> u32 + Sync,
    own: impl Fn(u32, u32) -> Option<u32> + Sync,
    next: impl Fn(u32, usize) -> u32 + Sync,
) -> Vec<AtomicU32> {
    let values: Vec<AtomicU32> = (0..object.len())
        .map(|_| AtomicU32::new(0))
        .collect_or_unwind();
    let store = |voxel: u32, value: u32| values[voxel as usize].store(value, Relaxed);
    let words = object.words();
    parallel::map_ranges(words.len(), MIN_PARALLEL_ITEMS, |range| {
        let mut path = Vec::new();
        for start in range {
            for bit in set_bits(words[start].bits) {
                let mut at = (start, bit);
                let mut value = loop {
                    let (word, bit) = at;
                    let voxel = words[word].voxel_index(bit);
                    let known = values[voxel as usize].load(Relaxed);
                    if known != 0 {
                        break known;
                    }
                    let Some(step) = paths.predecessor_bit(voxel as usize) else {
                        store(voxel, at_root(voxel));
                        break at_root(voxel);
                    };
                    at = object.step(word, bit, step);
                    if let Some(value) = own(voxel, words[at.0].voxel_index(at.1)) {
                        store(voxel, value);
                        break value;
                    }
                    path.push_or_unwind((voxel, step));
                };
                while let Some((voxel, step)) = path.pop() {
                    value = next(value, step);
                    store(voxel, value);
                }
            }
        }
    });
    values
}
