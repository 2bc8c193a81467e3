//! One bit per sample.

use super::{super::padded::Padded, words::Words};
use crate::{
    arith::div_rem,
    bits::{GROUP, Quads, ballot, for_each_group, in_eights, woven},
    sample::Sample,
};
use core::sync::atomic::Ordering::Relaxed;
use cuda_std::{View, ViewMut, kernel, thread};

/// What the bits of a word say of its samples. Bits without a sample are 0 in `below`, 1 in the
/// others.
#[derive(Clone, Copy)]
struct ThresholdWord {
    below: u32,
    finite: u32,
    kept: u32,
}

impl ThresholdWord {
    /// No sample is below, and none is left out.
    const EMPTY: Self = Self {
        below: 0,
        finite: u32::MAX,
        kept: u32::MAX,
    };
}

/// A unit of a row of the grid (a word, or four), and the stored row of samples that it is from.
#[derive(Clone, Copy)]
struct Place {
    unit: u32,
    y: u32,
    z: u32,
    /// The number of the row's first word.
    row_word: u64,
    /// Where the row's first stored sample is; [`NOT_STORED`] if none of the row is.
    row: usize,
}

const NOT_STORED: usize = usize::MAX;

impl Place {
    /// Unit number `index` of a grid with `per_row` units in a row.
    #[inline(always)]
    fn of(words: Words, padded: &Padded, per_row: u32, index: u64) -> Self {
        let (row, unit) = div_rem(index, per_row as u64);
        let (z, y) = div_rem(row, words.grid.ny as u64);
        let row_word = row * words.per_row as u64;
        Self::in_row(padded, unit as u32, y as u32, z as u32, row_word)
    }

    #[inline(always)]
    fn in_row(padded: &Padded, unit: u32, y: u32, z: u32, row_word: u64) -> Self {
        let row = padded.stored_at([padded.low[0], y, z]);
        Self {
            unit,
            y,
            z,
            row_word,
            row: match row {
                Some(row) => row,
                None => NOT_STORED,
            },
        }
    }

    /// The unit after it.
    #[inline(always)]
    fn next(mut self, words: Words, padded: &Padded, per_row: u32) -> Self {
        self.unit += 1;
        if self.unit < per_row {
            return self;
        }
        let row_word = self.row_word + words.per_row as u64;
        if self.y + 1 < words.grid.ny {
            Self::in_row(padded, 0, self.y + 1, self.z, row_word)
        } else {
            Self::in_row(padded, 0, 0, self.z + 1, row_word)
        }
    }
}

/// The value of the sample at a word's bit; the isovalue, which is neither below nor non-finite,
/// where there is no sample.
#[inline(always)]
fn value<T: Sample>(samples: View<T>, padded: &Padded, place: Place, bit: u32, iso: f32) -> f32 {
    let x = place.unit * 32 + bit;
    let stored = x.wrapping_sub(padded.low[0]);
    if place.row != NOT_STORED && stored < padded.stored.nx {
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
    let x = place.unit * 32 + bit;
    if x >= padded.grid.nx || place.z >= padded.grid.nz {
        return true;
    }
    mask.read(padded.nearest_stored([x, place.y, place.z])) != 0
}

/// What the kernel's teams work on.
#[derive(Clone, Copy)]
struct Job<'a, T> {
    samples: View<'a, T>,
    mask: View<'a, u8>,
    padded: Padded,
    words: Words,
    iso: f32,
    below: ViewMut<'a, u32>,
    finite: ViewMut<'a, u32>,
    kept: ViewMut<'a, u32>,
    exclusions: ViewMut<'a, u64>,
}

/// Compares every sample with the isovalue, and packs the answers: one pass over the volume.
///
/// A warp whose lanes all exist makes [`GROUP`] words at a time: its lanes read single samples,
/// eight in flight, and vote; each lane keeps and writes one word. A thread without such a warp (a
/// block of one thread, say) makes its words alone. Per sample the value is read (and `mask`,
/// unless that is empty), and one bit is written to `below`; one to `finite` and one to `kept`,
/// unless these are empty. `exclusions[0]` becomes 1 if a sample is not finite. Nothing is shared
/// in the block.
///
/// # Safety
/// `samples` (and `mask`, unless empty) hold `padded.stored.samples()` elements; `words.grid` is
/// `padded.grid`; `below` (and `finite` and `kept`, unless empty) hold `words.signs()` elements,
/// `exclusions` one. If the samples may be non-finite, `finite` is not empty; if there is a mask,
/// `kept` is not.
#[kernel(T = [u8, i8, u16, i16, f32])]
pub unsafe fn threshold_bits<T: Sample>(
    samples: View<T>,
    mask: View<u8>,
    padded: Padded,
    words: Words,
    iso: f32,
    below: ViewMut<u32>,
    finite: ViewMut<u32>,
    kept: ViewMut<u32>,
    exclusions: ViewMut<u64>,
) {
    let job = Job {
        samples,
        mask,
        padded,
        words,
        iso,
        below,
        finite,
        kept,
        exclusions,
    };
    for_each_group(
        words.signs().div_ceil(GROUP as u64),
        |group, lane| match lane {
            Some(lane) => job.group(group, lane),
            None => job.group_alone(group),
        },
    );
}

/// [`threshold_bits`] for rows that begin at multiples of four samples, where there is no mask and
/// no border: a lane reads four neighbouring samples in one access, the warp votes on 128 at a
/// time, and sixteen samples of a lane are in flight.
///
/// # Safety
/// As [`threshold_bits`]; `words.grid.nx` is a multiple of four, `samples` hold
/// `words.grid.samples()` elements, and the first is stored at a multiple of four times their size.
#[kernel(T = [u8, i8, u16, i16, f32])]
pub unsafe fn threshold_bits_by_fours<T: Sample>(
    samples: View<T>,
    words: Words,
    iso: f32,
    below: ViewMut<u32>,
    finite: ViewMut<u32>,
    exclusions: ViewMut<u64>,
) {
    let job = Job {
        samples,
        // SAFETY: nothing is read of a view without elements.
        mask: unsafe { View::from_raw_parts(core::ptr::null(), 0) },
        padded: Padded::none(words.grid),
        words,
        iso,
        below,
        finite,
        // SAFETY: as above; nor written.
        kept: unsafe { ViewMut::from_raw_parts(core::ptr::null_mut(), 0) },
        exclusions,
    };
    let groups = if thread::block_dim_x() >= 32 {
        job.quads().groups()
    } else {
        words.signs().div_ceil(GROUP as u64)
    };
    for_each_group(groups, |group, lane| match lane {
        Some(lane) => job.group_by_fours(group, lane),
        None => job.group_alone(group),
    });
}

impl<T: Sample> Job<'_, T> {
    /// `count`, in a way that keeps the compiler from unrolling a loop of so many rounds: every
    /// unrolled round would hold registers of its own.
    #[inline(always)]
    fn rolled(&self, count: u32) -> u32 {
        if self.words.per_row == 0 { 0 } else { count }
    }

    #[inline(always)]
    fn write(&self, at: u64, word: ThresholdWord) {
        self.below.write(at as usize, word.below);
        if T::MAY_BE_NON_FINITE {
            self.finite.write(at as usize, word.finite);
            if word.finite != u32::MAX && self.exclusions.atomic_load(0, Relaxed) == 0 {
                self.exclusions.atomic_store(0, 1, Relaxed);
            }
        }
        if !self.mask.is_empty() {
            self.kept.write(at as usize, word.kept);
        }
    }

    /// The words of one group, by one thread.
    #[inline(always)]
    fn group_alone(&self, group: u64) {
        let (words, padded) = (self.words, &self.padded);
        let mut at = group * GROUP as u64;
        let end = at + GROUP as u64;
        let mut place = Place::of(words, padded, words.per_row, at);
        while at < end && at < words.signs() {
            self.write(at, self.alone(place));
            place = place.next(words, padded, words.per_row);
            at += 1;
        }
    }

    /// The words of one group, by a warp that reads single samples.
    #[inline(always)]
    fn group(&self, group: u64, lane: u32) {
        let (words, padded) = (self.words, &self.padded);
        let first = group * GROUP as u64;
        let start = Place::of(words, padded, words.per_row, first);
        let mut place = start;
        let mut mine = ThresholdWord::EMPTY;
        let mut finite = true;
        let next = || {
            let value = value(self.samples, padded, place, lane, self.iso);
            place = place.next(words, padded, words.per_row);
            value
        };
        in_eights(self.rolled(GROUP), next, |word, value| {
            let below = ballot(value < self.iso);
            finite &= !T::MAY_BE_NON_FINITE || value.is_finite();
            if lane == word {
                mine.below = below;
            }
        });
        self.look_for_exclusions(start, finite, lane, &mut mine);
        let at = first + lane as u64;
        if at < words.signs() {
            self.write(at, mine);
        }
    }

    #[inline(always)]
    fn quads(&self) -> Quads {
        Quads {
            nx: self.words.grid.nx,
            rows: self.words.grid.ny as u64 * self.words.grid.nz as u64,
            per_row: self.words.per_row,
        }
    }

    /// The words of one group, by a warp that reads four samples at a time.
    #[inline(always)]
    fn group_by_fours(&self, group: u64, lane: u32) {
        let words = self.words;
        let mut votes = [0; 4];
        let mut finite = true;
        let which = [group, self.rolled(GROUP / 4) as u64];
        let vote = |mine, [a, b, c, d]: [f32; 4], _| {
            let below = |value: f32| ballot(value < self.iso);
            let of_quad = [below(a), below(b), below(c), below(d)];
            if T::MAY_BE_NON_FINITE {
                finite &= a.is_finite() & b.is_finite() & c.is_finite() & d.is_finite();
            }
            if mine {
                votes = of_quad;
            }
        };
        let (at, exists) = self
            .quads()
            .read_group(self.samples, which, lane, self.iso, vote);
        let mut word = ThresholdWord::EMPTY;
        word.below = woven(votes, lane % 4);
        if !self.nothing_left_out(finite) && exists {
            word = self.alone(Place::of(words, &self.padded, words.per_row, at));
        }
        if exists {
            self.write(at, word);
        }
    }

    /// Completes the words of a group from `start` on, one for each lane, where samples may be left
    /// out: votes once more, on one word after the other. `finite` is whether all of the lane's
    /// samples are.
    #[inline(always)]
    fn look_for_exclusions(&self, start: Place, finite: bool, lane: u32, mine: &mut ThresholdWord) {
        let (words, padded) = (self.words, &self.padded);
        if self.nothing_left_out(finite) {
            return;
        }
        let mut place = start;
        for word in 0..self.rolled(GROUP) {
            let value = value(self.samples, padded, place, lane, self.iso);
            let finite = ballot(value.is_finite());
            let kept = self.mask.is_empty() || is_kept(self.mask, padded, place, lane);
            let kept = ballot(kept);
            if lane == word {
                (mine.finite, mine.kept) = (finite, kept);
            }
            place = place.next(words, padded, words.per_row);
        }
    }

    /// Whether no sample of a whole warp's words can be left out: all are finite, and there is no
    /// mask. All lanes call it.
    #[inline(always)]
    fn nothing_left_out(&self, finite: bool) -> bool {
        let all_finite = !T::MAY_BE_NON_FINITE || ballot(finite) == u32::MAX;
        all_finite && self.mask.is_empty()
    }

    /// A word, sample by sample.
    #[inline(always)]
    fn alone(&self, place: Place) -> ThresholdWord {
        let mut word = ThresholdWord::EMPTY;
        // on a GPU this path is rare
        let bits = if cfg!(target_arch = "nvptx64") {
            self.rolled(32)
        } else {
            32
        };
        for bit in 0..bits {
            let value = value(self.samples, &self.padded, place, bit, self.iso);
            word.below |= ((value < self.iso) as u32) << bit;
            if T::MAY_BE_NON_FINITE {
                word.finite &= !(((!value.is_finite()) as u32) << bit);
            }
        }
        if !self.mask.is_empty() {
            for bit in 0..bits {
                let kept = is_kept(self.mask, &self.padded, place, bit);
                word.kept &= !(((!kept) as u32) << bit);
            }
        }
        word
    }
}
