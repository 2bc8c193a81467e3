//! The scaffold of a component: what is left of it when simple voxels are deleted.
//!
//! Thinning by simple voxels (Lee et al. 1994; Bertrand and Malandain 1994) keeps components,
//! tunnels and cavities exactly. Voxels are deleted in the order of their distance to the surface.
//! Among those of one distance, every eighth, by the parity of its three coordinates, is looked at
//! together: no two of these touch, so their order does not matter. A voxel is looked at again when
//! a neighbour of it has been deleted.

use super::background::Background;
use crate::{
    memory::{CollectOrUnwind, ExtendOrUnwind, with_capacity_or_unwind, zeroed_or_unwind},
    monitor::Cancelled,
    parallel,
    skeleton::medial::{
        progress::{Stage, Steps},
        voxels::{
            adjacency::around_of,
            neighbour_bits::{is_simple, wall_between},
            object::{Object, in_order},
            word_neighbourhood::ones,
        },
    },
};
use rayon::slice::ParallelSliceMut;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Steps of distance in the smallest spacing.
const STEPS: f64 = 4.0;

/// What thinning has made of a component.
pub struct Scaffold {
    /// The voxels that were deleted, in their order: of those that were deleted together, the first
    /// comes first.
    pub deleted: Vec<Thinned>,
    /// The voxels that are left, in ascending order.
    pub left: Vec<Thinned>,
}

/// A voxel, and its neighbours that are left, without itself: of one that is left now, of a deleted
/// one when it was deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thinned {
    pub voxel: u32,
    pub around: u32,
}

impl Scaffold {
    /// That of an object; squared distances are in squares of the smallest spacing. Cavities are
    /// opened where a voxel of the wall can go; a cavity stays if a curve begins at each of them,
    /// as at the six voxels around a single one.
    pub fn of(
        object: &Object,
        squares: &[f64],
        cavities: u64,
        steps: &Steps<'_>,
    ) -> Result<Self, Cancelled> {
        let mut thinning = Thinning::new(object, steps);
        thinning.thin(squares)?;
        let mut closed = cavities;
        while closed > 0 {
            let opened = thinning.open_walls(squares)?;
            if opened == 0 {
                break;
            }
            closed = closed.saturating_sub(opened);
        }
        Ok(Self {
            left: thinning.left(),
            deleted: thinning.deleted,
        })
    }
}

/// The bits of a word that are looked at together: every second.
const EVERY_SECOND: u64 = u64::MAX / 3;

/// Threads take so many words at least.
const FEW: usize = 64;

/// Voxels of a word that have a level.
struct OfLevel {
    level: u32,
    word: u32,
    bits: u64,
}

struct Thinning<'a> {
    object: &'a Object,
    steps: &'a Steps<'a>,
    /// For each word of the object, and the one without voxels, those that are left.
    left: Vec<AtomicU64>,
    /// Those whose level has come.
    may_go: Vec<u64>,
    /// Those that are to be looked at.
    waiting: Vec<AtomicU64>,
    /// The words that have such voxels, by the parity of y and z.
    lists: [Vec<u32>; 4],
    deleted: Vec<Thinned>,
}

/// What a thread has done: what it deleted, and words that have begun to wait.
#[derive(Default)]
struct Done {
    deleted: Vec<Thinned>,
    lists: [Vec<u32>; 4],
}

impl<'a> Thinning<'a> {
    fn new(object: &'a Object, steps: &'a Steps<'a>) -> Self {
        let bits = object.words().iter().map(|word| AtomicU64::new(word.bits));
        let count = object.words().len() + 1;
        Self {
            object,
            steps,
            left: bits.chain([AtomicU64::new(0)]).collect_or_unwind(),
            may_go: zeroed_or_unwind(count),
            waiting: (0..count).map(|_| AtomicU64::new(0)).collect_or_unwind(),
            lists: Default::default(),
            deleted: with_capacity_or_unwind(object.len()),
        }
    }

    /// Deletes simple voxels, level after level.
    fn thin(&mut self, squares: &[f64]) -> Result<(), Cancelled> {
        let mut all = levels(self.object, squares);
        all.par_sort_unstable_by_key(|part| (part.level, part.word));
        for level in all.chunk_by(|a, b| a.level == b.level) {
            let mut lists = std::mem::take(&mut self.lists);
            for part in level {
                let word = part.word as usize;
                self.may_go[word] |= part.bits;
                self.wait(word, part.bits, &mut lists);
            }
            self.lists = lists;
            self.delete_waiting()?;
        }
        Ok(())
    }

    /// Has those of some voxels of a word looked at that are left and whose level has come.
    #[inline(always)]
    fn wait(&self, word: usize, bits: u64, lists: &mut [Vec<u32>; 4]) {
        let new = bits & self.may_go[word] & self.left[word].load(Relaxed);
        // only who finds a word without any adds it to a list
        if new != 0 && self.waiting[word].fetch_or(new, Relaxed) == 0 {
            let [y, z] = self.object.row_place(self.object.row_of(word));
            lists[((y & 1) + 2 * (z & 1)) as usize].push_or_unwind(word as u32);
        }
    }

    /// Deletes what is simple among those that wait, and what becomes so.
    fn delete_waiting(&mut self) -> Result<(), Cancelled> {
        while self.lists.iter().any(|list| !list.is_empty()) {
            for (list, odd) in (0..4).flat_map(|list| [(list, 0), (list, 1)]) {
                let mut words = std::mem::take(&mut self.lists[list]);
                if words.is_empty() {
                    continue;
                }
                words.par_sort_unstable();
                let field = EVERY_SECOND << odd;
                let done: Vec<Done> = match words.len() {
                    0..FEW => vec![self.delete_of(&words, field)?],
                    many => {
                        let parts = many.div_ceil(FEW);
                        parallel::try_map(parts, |part| {
                            let end = many.min((part + 1) * FEW);
                            self.delete_of(&words[part * FEW..end], field)
                        })?
                    }
                };
                for done in done {
                    self.add(done);
                }
                let all = self.object.len();
                self.steps.at(Stage::Classes, self.deleted.len(), 2 * all)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, done: Done) {
        self.deleted.extend_or_unwind(done.deleted);
        for (list, more) in self.lists.iter_mut().zip(done.lists) {
            list.extend_or_unwind(more);
        }
    }

    /// Deletes those of a field in some words. No two of a field touch.
    fn delete_of(&self, words: &[u32], field: u64) -> Result<Done, Cancelled> {
        self.steps.check()?;
        let mut done = Done::default();
        for &number in words {
            let word = number as usize;
            let here = self.waiting[word].load(Relaxed) & field;
            // what waited may have been deleted as a wall
            let left = here & self.left[word].load(Relaxed);
            if left != 0 {
                let around = around_of(self.object, word, |word| self.left[word].load(Relaxed));
                let mut simple = 0;
                let voxels = self.object.words()[word];
                for bit in ones(left) {
                    let around = around(bit);
                    if is_simple(around) {
                        simple |= 1 << bit;
                        let voxel = voxels.number(bit);
                        done.deleted.push_or_unwind(Thinned { voxel, around });
                    }
                }
                self.delete(word, simple, &mut done.lists);
            }
            // others may wait still, or again
            if self.waiting[word].fetch_and(!here, Relaxed) & !here != 0 {
                let [y, z] = self.object.row_place(self.object.row_of(word));
                done.lists[((y & 1) + 2 * (z & 1)) as usize].push_or_unwind(number);
            }
        }
        Ok(done)
    }

    /// Deletes voxels of a word, and has their neighbours looked at.
    fn delete(&self, word: usize, bits: u64, lists: &mut [Vec<u32>; 4]) {
        if bits == 0 {
            return;
        }
        self.left[word].fetch_and(!bits, Relaxed);
        let object = self.object;
        for way in 0..9 {
            let near = bits << 1 | bits | bits >> 1;
            self.wait(object.number_beside(word, way), near, lists);
            for (step, end, there) in [(-1, 1, 1 << 63), (1, 1 << 63, 1)] {
                if bits & end != 0
                    && let Some(other) = object.number_across(word, way, step)
                {
                    self.wait(other, there, lists);
                }
            }
        }
    }

    /// The voxels that are left.
    fn left(&self) -> Vec<Thinned> {
        let bits_of = |word: usize| self.left[word].load(Relaxed);
        in_order(self.object.words().len(), |word| {
            let around = around_of(self.object, word, bits_of);
            let voxels = self.object.words()[word];
            ones(bits_of(word)).map(move |bit| Thinned {
                voxel: voxels.number(bit),
                around: around(bit),
            })
        })
    }

    /// Deletes voxels of walls between sides that are different cavities, or the outside: those of
    /// the least distance first, and as many as there are sides to join. Thins on. How many
    /// cavities there are fewer.
    fn open_walls(&mut self, squares: &[f64]) -> Result<u64, Cancelled> {
        let object = self.object;
        let left = self.left();
        let walls = left
            .iter()
            .filter(|thinned| wall_between(thinned.around).is_some());
        let mut walls: Vec<u32> = walls.map(|thinned| thinned.voxel).collect_or_unwind();
        walls.sort_unstable_by(|&a, &b| {
            squares[a as usize]
                .total_cmp(&squares[b as usize])
                .then(a.cmp(&b))
        });
        let mut background = Background::of(object, |word| self.left[word].load(Relaxed));
        let mut opened = 0;
        for wall in walls {
            self.steps.check()?;
            let (word, bit) = object.word_of(wall as usize);
            let around = around_of(object, word, |word| self.left[word].load(Relaxed))(bit);
            // the voxels around may have gone
            let Some(faces) = wall_between(around) else {
                continue;
            };
            let joined = background.open(wall as usize, faces);
            if joined > 0 {
                let voxel = wall;
                self.deleted.push_or_unwind(Thinned { voxel, around });
                let mut lists = std::mem::take(&mut self.lists);
                self.delete(word, 1 << bit, &mut lists);
                self.lists = lists;
                opened += joined;
            }
        }
        self.delete_waiting()?;
        Ok(opened)
    }
}

/// The voxels of each word by their levels.
fn levels(object: &Object, squares: &[f64]) -> Vec<OfLevel> {
    in_order(object.words().len(), |number| {
        let word = object.words()[number];
        let mut levels: Vec<(u32, u64)> = Vec::new();
        for (bit, square) in ones(word.bits).zip(&squares[word.first as usize..]) {
            let level = (square.sqrt() * STEPS) as u32;
            match levels.iter_mut().rev().find(|known| known.0 == level) {
                Some((_, bits)) => *bits |= 1 << bit,
                None => levels.push_or_unwind((level, 1 << bit)),
            }
        }
        levels.into_iter().map(move |(level, bits)| OfLevel {
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
            topology::betti_numbers::Numbers,
            voxels::{
                distance_transform, frame::Frame, neighbour_bits::is_one_piece,
                object_tests::runs_of, runs::Runs,
            },
        },
    };
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: test_cases::cases(2000), failure_persistence: None, ..Default::default() })]

        /// What is left has the tunnels of the object, and a cavity only if no voxel of its wall
        /// can go.
        #[test]
        fn thinning_keeps_tunnels(
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
            let runs = Runs::of_mask(&mask).unwrap();
            let components = runs.components().unwrap();
            let Some(runs) = components.iter().max_by_key(|runs| runs.len()) else { return Ok(()) };
            let (metric, _) = Metric::of(mask.geometry());
            let steps = &Steps::none();
            let object = Object::new(runs, &Frame::plain(runs), steps).unwrap();
            let squares = distance_transform::squares(&object, &metric, steps).unwrap();
            let numbers = Numbers::of(&object);
            let scaffold = Scaffold::of(&object, &squares, numbers.cavities, steps).unwrap();
            prop_assert_eq!(scaffold.left.len() + scaffold.deleted.len(), object.len());
            let without = |gone: Option<u32>| {
                let left = scaffold.left.iter().map(|at| at.voxel).filter(|&voxel| Some(voxel) != gone);
                let left = runs_of(left.map(|voxel| object.place(voxel as usize).map(|x| x as u32)));
                Numbers::of(&Object::new(&left, &Frame::plain(&left), steps).unwrap())
            };
            let found = without(None);
            prop_assert_eq!(found.tunnels, numbers.tunnels);
            if found.cavities > 0 {
                // a voxel that joins pieces of the object cannot
                for at in scaffold.left.iter().filter(|at| is_one_piece(at.around)) {
                    let other = without(Some(at.voxel));
                    prop_assert!(other.tunnels != numbers.tunnels || other.cavities >= found.cavities, "{:?} can go", at);
                }
            }
        }
    }
}
