//! One bit per sample.

use super::{super::padded::Padded, words::Words};
use crate::{arith::div_rem, sample::Sample, warp};
use core::sync::atomic::Ordering::Relaxed;
use cuda_std::{View, ViewMut, kernel, thread, warp::warp_vote_ballot};

/// Words that a team makes at a time: each of a warp's lanes keeps one.
pub const GROUP: u32 = 32;
/// Groups in the piece that a block takes.
pub const GROUPS_PER_PIECE: u32 = 8;

/// What the bits of a word say of its samples. Bits without a sample are 0 in `below`, 1 in the others.
#[derive(Clone, Copy)]
struct SignWord {
    below: u32,
    finite: u32,
    kept: u32,
}

impl SignWord {
    /// No sample is below, and none is left out.
    const EMPTY: Self = Self {
        below: 0,
        finite: u32::MAX,
        kept: u32::MAX,
    };
}

/// A word of the grid, and the stored row of samples that it is from.
#[derive(Clone, Copy)]
struct Place {
    word: u32,
    y: u32,
    z: u32,
    /// Where the row's first stored sample is.
    row: usize,
    /// Whether any of the row is stored.
    stored: bool,
}

impl Place {
    /// Word number `index` of the grid.
    #[inline(always)]
    fn of(words: Words, padded: &Padded, index: u64) -> Self {
        let (row, word) = div_rem(index, words.per_row as u64);
        let (z, y) = div_rem(row, words.grid.ny as u64);
        Self::in_row(padded, word as u32, y as u32, z as u32)
    }

    #[inline(always)]
    fn in_row(padded: &Padded, word: u32, y: u32, z: u32) -> Self {
        let row = padded.stored_at([padded.low[0], y, z]);
        Self {
            word,
            y,
            z,
            row: match row {
                Some(row) => row,
                None => 0,
            },
            stored: row.is_some(),
        }
    }

    /// The word after it.
    #[inline(always)]
    fn next(mut self, words: Words, padded: &Padded) -> Self {
        self.word += 1;
        if self.word < words.per_row {
            return self;
        }
        if self.y + 1 < words.grid.ny {
            Self::in_row(padded, 0, self.y + 1, self.z)
        } else {
            Self::in_row(padded, 0, 0, self.z + 1)
        }
    }
}

/// The value of the sample at a word's bit; the isovalue, which is neither below nor non-finite, where there is no sample.
#[inline(always)]
fn value<T: Sample>(samples: View<T>, padded: &Padded, place: Place, bit: u32, iso: f32) -> f32 {
    let x = place.word * 32 + bit;
    let stored = x.wrapping_sub(padded.low[0]);
    if place.stored && stored < padded.stored.nx {
        samples.read(place.row + stored as usize).value()
    } else if x < padded.grid.nx && place.z < padded.grid.nz {
        padded.outside
    } else {
        iso
    }
}

/// Whether the mask keeps the sample at a word's bit, if there is one.
#[inline(always)]
fn is_kept(mask: View<u8>, padded: &Padded, place: Place, bit: u32) -> bool {
    let x = place.word * 32 + bit;
    if x >= padded.grid.nx || place.z >= padded.grid.nz {
        return true;
    }
    mask.read(padded.nearest_stored([x, place.y, place.z])) != 0
}

/// Compares every sample with the isovalue, and packs the answers: one pass over the volume.
///
/// A warp whose lanes all exist makes [`GROUP`] words at a time: for each its lanes read 32 neighbouring samples and vote,
/// eight words' samples in flight at once, and each lane keeps and writes one word. A thread without such a warp (a block of
/// one thread, say) makes its words alone. Per sample it reads the value (and `mask`, unless that is empty), and writes one bit to
/// `below`; one to `finite` and one to `kept`, unless these are empty. `exclusions[0]` becomes 1 if a sample is not finite.
/// Nothing is shared in the block.
///
/// # Safety
/// `samples` (and `mask`, unless empty) hold `padded.stored.samples()` elements; `words.grid` is `padded.grid`; `below` (and
/// `finite` and `kept`, unless empty) hold `words.signs()` elements, `exclusions` one. If the samples may be non-finite,
/// `finite` is not empty; if there is a mask, `kept` is not.
#[kernel(T = [u8, i8, u16, i16, f32])]
pub unsafe fn sign_words<T: Sample>(
    samples: View<T>,
    mask: View<u8>,
    padded: Padded,
    words: Words,
    iso: f32,
    below: ViewMut<u32>,
    finite: ViewMut<u32>,
    kept: ViewMut<u32>,
    exclusions: ViewMut<u32>,
) {
    let rank = thread::thread_idx_x();
    let (lane, together) = (rank % 32, warp::lanes() == u32::MAX);
    let warps = thread::block_dim_x() / 32;
    // a team is a whole warp, or one thread where the block has no whole warp
    let (team, teams) = if warps > 0 {
        (rank / 32, warps)
    } else {
        (rank, thread::block_dim_x())
    };
    if warps > 0 && !together {
        return;
    }
    let write = |at: u64, word: SignWord| {
        below.write(at as usize, word.below);
        if T::MAY_BE_NON_FINITE {
            finite.write(at as usize, word.finite);
            if word.finite != u32::MAX && exclusions.atomic_load(0, Relaxed) == 0 {
                exclusions.atomic_store(0, 1, Relaxed);
            }
        }
        if !mask.is_empty() {
            kept.write(at as usize, word.kept);
        }
    };
    let groups = words.signs().div_ceil(GROUP as u64);
    let mut piece = thread::block_idx_x() as u64 * GROUPS_PER_PIECE as u64;
    while piece < groups {
        let mut group = piece + team as u64;
        while group < groups && group < piece + GROUPS_PER_PIECE as u64 {
            let first = group * GROUP as u64;
            let mut place = Place::of(words, &padded, first);
            if together {
                let start = place;
                let mut mine = SignWord::EMPTY;
                let mut batch = 0;
                while batch < GROUP {
                    let mut next = || {
                        let value = value(samples, &padded, place, lane, iso);
                        place = place.next(words, &padded);
                        value
                    };
                    // spelled out, so that they stay in registers: eight reads, then eight votes
                    let [a, b, c, d] = [next(), next(), next(), next()];
                    let [e, f, g, h] = [next(), next(), next(), next()];
                    let mut vote = |k: u32, value: f32| {
                        let below = ballot(value < iso);
                        let finite = if T::MAY_BE_NON_FINITE {
                            ballot(value.is_finite())
                        } else {
                            u32::MAX
                        };
                        if lane == batch + k {
                            (mine.below, mine.finite) = (below, finite);
                        }
                    };
                    vote(0, a);
                    vote(1, b);
                    vote(2, c);
                    vote(3, d);
                    vote(4, e);
                    vote(5, f);
                    vote(6, g);
                    vote(7, h);
                    batch += 8;
                }
                if !mask.is_empty() {
                    let mut place = start;
                    for word in 0..GROUP {
                        let kept = ballot(is_kept(mask, &padded, place, lane));
                        if lane == word {
                            mine.kept = kept;
                        }
                        place = place.next(words, &padded);
                    }
                }
                let at = first + lane as u64;
                if at < words.signs() {
                    write(at, mine);
                }
            } else {
                let mut at = first;
                while at < first + GROUP as u64 && at < words.signs() {
                    write(at, alone(samples, mask, &padded, place, iso));
                    place = place.next(words, &padded);
                    at += 1;
                }
            }
            group += teams as u64;
        }
        piece += thread::grid_dim_x() as u64 * GROUPS_PER_PIECE as u64;
    }
}

/// The lanes of a whole warp whose predicate is true. All of them call it.
#[inline(always)]
fn ballot(predicate: bool) -> u32 {
    // SAFETY: the warp is whole, and all of its lanes come here.
    unsafe { warp_vote_ballot(u32::MAX, predicate) }
}

/// The word of one thread.
#[inline(always)]
fn alone<T: Sample>(
    samples: View<T>,
    mask: View<u8>,
    padded: &Padded,
    place: Place,
    iso: f32,
) -> SignWord {
    let mut word = SignWord::EMPTY;
    for bit in 0..32 {
        let value = value(samples, padded, place, bit, iso);
        word.below |= ((value < iso) as u32) << bit;
        if T::MAY_BE_NON_FINITE {
            word.finite &= !(((!value.is_finite()) as u32) << bit);
        }
    }
    if !mask.is_empty() {
        for bit in 0..32 {
            word.kept &= !(((!is_kept(mask, padded, place, bit)) as u32) << bit);
        }
    }
    word
}
