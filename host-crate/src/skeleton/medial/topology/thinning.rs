//! Thinning of a component to its topological skeleton.
//!
//! Deletion of simple voxels (Lee et al. 1994; Bertrand and Malandain 1994) preserves components,
//! tunnels and cavities. Voxels are deleted in order of their distance to the background. Voxels of
//! the same distance level are processed in eight subfields, by the parity of their three
//! coordinates: no two voxels of a subfield touch, so their order does not matter. A voxel is
//! tested again whenever one of its neighbours was deleted.

use super::background::Background;
use crate::{
    memory::{CollectOrUnwind, ExtendOrUnwind, with_capacity_or_unwind, zeroed_or_unwind},
    monitor::Cancelled,
    parallel,
    skeleton::medial::{
        progress::{ComponentProgress, Stage},
        voxels::{
            adjacency::neighbour_masks,
            neighbour_bits::{is_simple, wall_between},
            object::{Object, collect_in_order},
            word_neighbourhood::set_bits,
        },
    },
};
use rayon::slice::ParallelSliceMut;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Number of distance levels per unit of the smallest spacing.
const LEVELS_PER_SPACING: f64 = 4.0;

/// Result of thinning a component.
pub struct TopologicalSkeleton {
    /// Deleted voxels, in the order of deletion; simultaneously deleted voxels in ascending order.
    pub deleted: Vec<ThinnedVoxel>,
    /// Remaining voxels, in ascending order.
    pub remaining: Vec<ThinnedVoxel>,
}

/// Voxel with the 26-bit mask of its remaining neighbours: at the time of deletion for deleted
/// voxels, at the end for remaining ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThinnedVoxel {
    pub voxel: u32,
    pub neighbour_mask: u32,
}

impl TopologicalSkeleton {
    /// Thins an object with the given squared distances to the background. Each cavity is opened by
    /// deleting a voxel of its wall, unless a curve starts at every voxel of the wall, as can
    /// happen for the six voxels around a single background voxel: none of them can be deleted.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn new(
        object: &Object,
        squared_distances: &[f64],
        cavities: u64,
        progress: &ComponentProgress<'_>,
    ) -> Result<Self, Cancelled> {
        let mut thinning = Thinning::new(object, progress);
        thinning.thin(squared_distances)?;
        let mut closed = cavities;
        while closed > 0 {
            let opened = thinning.open_walls(squared_distances)?;
            if opened == 0 {
                break;
            }
            closed = closed.saturating_sub(opened);
        }
        Ok(Self {
            remaining: thinning.remaining_voxels(),
            deleted: thinning.deleted,
        })
    }
}

/// Bits of a word that belong to one subfield: every second one.
const EVERY_SECOND: u64 = u64::MAX / 3;

/// Minimum number of words per parallel task.
const MIN_WORDS_PER_TASK: usize = 64;

/// Voxels of a word that belong to one distance level.
struct LevelVoxels {
    level: u32,
    word: u32,
    bits: u64,
}

/// State of the thinning of one component.
struct Thinning<'a> {
    object: &'a Object,
    progress: &'a ComponentProgress<'a>,
    /// Remaining voxels of each word of the object, followed by an empty word.
    remaining: Vec<AtomicU64>,
    /// Voxels of each word whose distance level was reached.
    eligible: Vec<u64>,
    /// Voxels of each word that must be tested.
    pending: Vec<AtomicU64>,
    /// Words with pending voxels, by the parity of y and z.
    lists: [Vec<u32>; 4],
    deleted: Vec<ThinnedVoxel>,
}

/// Result of one task: deleted voxels, and words that became pending.
#[derive(Default)]
struct Deletions {
    deleted: Vec<ThinnedVoxel>,
    lists: [Vec<u32>; 4],
}

impl<'a> Thinning<'a> {
    fn new(object: &'a Object, progress: &'a ComponentProgress<'a>) -> Self {
        let bits = object.words().iter().map(|word| AtomicU64::new(word.bits));
        let count = object.words().len() + 1;
        Self {
            object,
            progress,
            remaining: bits.chain([AtomicU64::new(0)]).collect_or_unwind(),
            eligible: zeroed_or_unwind(count),
            pending: (0..count).map(|_| AtomicU64::new(0)).collect_or_unwind(),
            lists: Default::default(),
            deleted: with_capacity_or_unwind(object.len()),
        }
    }

    /// Deletes simple voxels, one distance level after another.
    fn thin(&mut self, squared_distances: &[f64]) -> Result<(), Cancelled> {
        let mut level_voxels = levels(self.object, squared_distances);
        level_voxels.par_sort_unstable_by_key(|part| (part.level, part.word));
        for level in level_voxels.chunk_by(|a, b| a.level == b.level) {
            let mut lists = std::mem::take(&mut self.lists);
            for part in level {
                let word = part.word as usize;
                self.eligible[word] |= part.bits;
                self.enqueue(word, part.bits, &mut lists);
            }
            self.lists = lists;
            self.delete_pending()?;
        }
        Ok(())
    }

    /// Marks voxels of a word for testing, except deleted ones and voxels of later distance levels.
    #[inline(always)]
    fn enqueue(&self, word: usize, bits: u64, lists: &mut [Vec<u32>; 4]) {
        let new = bits & self.eligible[word] & self.remaining[word].load(Relaxed);
        // the task that marks the first voxel of a word adds the word to the list
        if new != 0 && self.pending[word].fetch_or(new, Relaxed) == 0 {
            let [y, z] = self.object.row_position(self.object.word_row(word));
            lists[((y & 1) + 2 * (z & 1)) as usize].push_or_unwind(word as u32);
        }
    }

    /// Deletes the pending voxels that are simple, until none is left.
    fn delete_pending(&mut self) -> Result<(), Cancelled> {
        while self.lists.iter().any(|list| !list.is_empty()) {
            for (list, odd) in (0..4).flat_map(|list| [(list, 0), (list, 1)]) {
                let mut words = std::mem::take(&mut self.lists[list]);
                if words.is_empty() {
                    continue;
                }
                words.par_sort_unstable();
                let field = EVERY_SECOND << odd;
                let done: Vec<Deletions> = match words.len() {
                    0..MIN_WORDS_PER_TASK => vec![self.delete_in_words(&words, field)?],
                    many => {
                        let parts = many.div_ceil(MIN_WORDS_PER_TASK);
                        parallel::try_map(parts, |part| {
                            let end = many.min((part + 1) * MIN_WORDS_PER_TASK);
                            self.delete_in_words(&words[part * MIN_WORDS_PER_TASK..end], field)
                        })?
                    }
                };
                for done in done {
                    self.merge(done);
                }
                let total = self.object.len();
                self.progress
                    .report(Stage::Classes, self.deleted.len(), 2 * total)?;
            }
        }
        Ok(())
    }

    /// Appends the result of one task.
    fn merge(&mut self, done: Deletions) {
        self.deleted.extend_or_unwind(done.deleted);
        for (list, more) in self.lists.iter_mut().zip(done.lists) {
            list.extend_or_unwind(more);
        }
    }

    /// Deletes the simple voxels of one subfield in some words; no two voxels of a subfield touch.
    fn delete_in_words(&self, words: &[u32], field: u64) -> Result<Deletions, Cancelled> {
        self.progress.check()?;
        let mut done = Deletions::default();
        for &number in words {
            let word = number as usize;
            let tested = self.pending[word].load(Relaxed) & field;
            // pending voxels may have been deleted to open a wall
            let remaining = tested & self.remaining[word].load(Relaxed);
            if remaining != 0 {
                let neighbour_mask =
                    neighbour_masks(self.object, word, |word| self.remaining[word].load(Relaxed));
                let mut simple = 0;
                let voxels = self.object.words()[word];
                for bit in set_bits(remaining) {
                    let neighbour_mask = neighbour_mask(bit);
                    if is_simple(neighbour_mask) {
                        simple |= 1 << bit;
                        let voxel = voxels.voxel_index(bit);
                        done.deleted.push_or_unwind(ThinnedVoxel {
                            voxel,
                            neighbour_mask,
                        });
                    }
                }
                self.delete(word, simple, &mut done.lists);
            }
            // queue the word again if voxels of the other subfield are still pending, or voxels of
            // this one became pending meanwhile
            if self.pending[word].fetch_and(!tested, Relaxed) & !tested != 0 {
                let [y, z] = self.object.row_position(self.object.word_row(word));
                done.lists[((y & 1) + 2 * (z & 1)) as usize].push_or_unwind(number);
            }
        }
        Ok(done)
    }

    /// Deletes voxels of a word, and marks their neighbours for testing.
    fn delete(&self, word: usize, bits: u64, lists: &mut [Vec<u32>; 4]) {
        if bits == 0 {
            return;
        }
        self.remaining[word].fetch_and(!bits, Relaxed);
        let object = self.object;
        for direction in 0..9 {
            let affected = bits << 1 | bits | bits >> 1;
            self.enqueue(object.adjacent_word_index(word, direction), affected, lists);
            for (step, end, facing_bit) in [(-1, 1, 1 << 63), (1, 1 << 63, 1)] {
                if bits & end != 0
                    && let Some(other) = object.word_index_at_offset(word, direction, step)
                {
                    self.enqueue(other, facing_bit, lists);
                }
            }
        }
    }

    /// Returns the remaining voxels with their neighbours.
    fn remaining_voxels(&self) -> Vec<ThinnedVoxel> {
        let remaining_bits = |word: usize| self.remaining[word].load(Relaxed);
        collect_in_order(self.object.words().len(), |word| {
            let neighbour_mask = neighbour_masks(self.object, word, remaining_bits);
            let voxels = self.object.words()[word];
            set_bits(remaining_bits(word)).map(move |bit| ThinnedVoxel {
                voxel: voxels.voxel_index(bit),
                neighbour_mask: neighbour_mask(bit),
            })
        })
    }

    /// Opens cavities: deletes voxels of the walls between background components, in order of
    /// increasing distance, one for each pair of components that it joins. Continues thinning, and
    /// returns the number of cavities that were opened.
    fn open_walls(&mut self, squared_distances: &[f64]) -> Result<u64, Cancelled> {
        let object = self.object;
        let remaining = self.remaining_voxels();
        let walls = remaining
            .iter()
            .filter(|thinned| wall_between(thinned.neighbour_mask).is_some());
        let mut walls: Vec<u32> = walls.map(|thinned| thinned.voxel).collect_or_unwind();
        walls.sort_unstable_by(|&a, &b| {
            squared_distances[a as usize]
                .total_cmp(&squared_distances[b as usize])
                .then(a.cmp(&b))
        });
        let mut background = Background::new(object, |word| self.remaining[word].load(Relaxed));
        let mut opened = 0;
        for wall in walls {
            self.progress.check()?;
            let (word, bit) = object.locate(wall as usize);
            let neighbour_mask =
                neighbour_masks(object, word, |word| self.remaining[word].load(Relaxed))(bit);
            // neighbours can have been deleted in the meantime
            let Some(faces) = wall_between(neighbour_mask) else {
                continue;
            };
            let joined = background.connect_through(wall as usize, faces);
            if joined > 0 {
                let voxel = wall;
                self.deleted.push_or_unwind(ThinnedVoxel {
                    voxel,
                    neighbour_mask,
                });
                let mut lists = std::mem::take(&mut self.lists);
                self.delete(word, 1 << bit, &mut lists);
                self.lists = lists;
                opened += joined;
            }
        }
        self.delete_pending()?;
        Ok(opened)
    }
}

/// Groups the voxels of each word by distance level.
fn levels(object: &Object, squared_distances: &[f64]) -> Vec<LevelVoxels> {
    collect_in_order(object.words().len(), |number| {
        let word = object.words()[number];
        let mut levels: Vec<(u32, u64)> = Vec::new();
        for (bit, square) in set_bits(word.bits).zip(&squared_distances[word.first as usize..]) {
            let level = (square.sqrt() * LEVELS_PER_SPACING) as u32;
            match levels.iter_mut().rev().find(|entry| entry.0 == level) {
                Some((_, bits)) => *bits |= 1 << bit,
                None => levels.push_or_unwind((level, 1 << bit)),
            }
        }
        levels.into_iter().map(move |(level, bits)| LevelVoxels {
            level,
            word: number as u32,
            bits,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        grid::{Geometry, Mask, Metric},
        skeleton::medial::{
            topology::betti_numbers::BettiNumbers,
            voxels::{
                distance_transform, frame::Frame, neighbour_bits::is_connected,
                object_tests::runs_from_positions, runs::Runs,
            },
        },
    };
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: test_cases::case_count(2000), failure_persistence: None, ..Default::default() })]

        /// Thinning preserves the tunnels; a cavity remains only if no voxel of its wall can be
        /// deleted.
        #[test]
        fn thinning_preserves_tunnels(
            seed in any::<u64>(),
            fill in 0.3f64..0.95,
            dims in prop::array::uniform3(1usize..12),
        ) {
            let mut state = seed;
            let mut is_set = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                ((state >> 40) as f64) < fill * (1u64 << 24) as f64
            };
            let samples: Vec<bool> = (0..dims.iter().product::<usize>()).map(|_| is_set()).collect();
            let mask = Mask::from_bools(&samples, dims, Geometry::default()).unwrap();
            let runs = Runs::from_mask(&mask).unwrap();
            let components = runs.components().unwrap();
            let Some(runs) = components.iter().max_by_key(|runs| runs.len()) else { return Ok(()) };
            let (metric, _) = Metric::rounded(mask.geometry());
            let progress = &ComponentProgress::disabled();
            let object = Object::new(runs, &Frame::unpermuted(runs), progress).unwrap();
            let squared_distances = distance_transform::squared_distances(&object, &metric, progress).unwrap();
            let betti_numbers = BettiNumbers::new(&object);
            let skeleton = TopologicalSkeleton::new(&object, &squared_distances, betti_numbers.cavities, progress).unwrap();
            prop_assert_eq!(skeleton.remaining.len() + skeleton.deleted.len(), object.len());
            let without = |removed: Option<u32>| {
                let remaining = skeleton.remaining.iter().map(|at| at.voxel).filter(|&voxel| Some(voxel) != removed);
                let remaining = runs_from_positions(remaining.map(|voxel| object.position(voxel as usize).map(|x| x as u32)));
                BettiNumbers::new(&Object::new(&remaining, &Frame::unpermuted(&remaining), progress).unwrap())
            };
            let found = without(None);
            prop_assert_eq!(found.tunnels, betti_numbers.tunnels);
            if found.cavities > 0 {
                // voxels that connect parts of the object cannot be deleted
                for at in skeleton.remaining.iter().filter(|at| is_connected(at.neighbour_mask)) {
                    let other = without(Some(at.voxel));
                    prop_assert!(other.tunnels != betti_numbers.tunnels || other.cavities >= found.cavities, "{:?} can go", at);
                }
            }
        }
    }
}
