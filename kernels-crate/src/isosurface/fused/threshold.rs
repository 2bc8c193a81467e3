//! One bit per sample: comparison with the isovalue.

use super::{
    super::padded::PaddedGrid,
    layout::WordLayout,
    row_unit::{RowUnit, is_unmasked, value},
};
use crate::{
    bits::{GROUP, QuadRows, ballot, for_each_group, interleaved_word, read_in_eights},
    sample::Sample,
};
use core::sync::atomic::Ordering::Relaxed;
use cuda_std::{View, ViewMut, kernel, thread};

/// Bits of one word. Bits without a sample are 0 in `below`, and 1 in `finite` and `unmasked`.
#[derive(Clone, Copy)]
struct ThresholdWord {
    below: u32,
    finite: u32,
    unmasked: u32,
}

impl ThresholdWord {
    /// No sample is below, and none is excluded.
    const EMPTY: Self = Self {
        below: 0,
        finite: u32::MAX,
        unmasked: u32::MAX,
    };
}

/// Arguments of the threshold kernels.
#[derive(Clone, Copy)]
struct Threshold<'a, T> {
    samples: View<'a, T>,
    mask: View<'a, u8>,
    padded: PaddedGrid,
    layout: WordLayout,
    iso: f32,
    below: ViewMut<'a, u32>,
    finite: ViewMut<'a, u32>,
    unmasked: ViewMut<'a, u32>,
    exclusions: ViewMut<'a, u64>,
}

/// Compares every sample with the isovalue and packs the results into words, in one pass over the
/// volume.
///
/// **Mapping:** one group of [`GROUP`] words per warp: each lane reads one sample of a word at a
/// time, with eight reads in flight, the warp votes, and each lane keeps and writes one word.
/// Without a full warp (a block of one thread, for example) a thread computes the words of a group
/// alone. No shared memory. **Traffic** per sample: one read (and one element of `mask`, unless
/// that is empty); one bit written to `below`, and one each to `finite` and `unmasked`, unless
/// these are empty. `exclusions[0]` is set to 1 if a sample is not finite.
///
/// # Safety
/// `samples` (and `mask`, unless empty) hold `padded.stored.samples()` elements; `layout.grid` is
/// `padded.grid`; `below` (and `finite` and `unmasked`, unless empty) hold `layout.sample_words()`
/// elements, `exclusions` one. If the samples may be non-finite, `finite` is not empty; if there is
/// a mask, `unmasked` is not empty.
#[kernel(T = crate::sample::sample_types!)]
pub unsafe fn threshold_bits<T: Sample>(
    samples: View<T>,
    mask: View<u8>,
    padded: PaddedGrid,
    layout: WordLayout,
    iso: f32,
    below: ViewMut<u32>,
    finite: ViewMut<u32>,
    unmasked: ViewMut<u32>,
    exclusions: ViewMut<u64>,
) {
    let threshold = Threshold {
        samples,
        mask,
        padded,
        layout,
        iso,
        below,
        finite,
        unmasked,
        exclusions,
    };
    for_each_group(
        layout.sample_words().div_ceil(GROUP as u64),
        |group, lane| match lane {
            Some(lane) => threshold.pack_group_by_warp(group, lane),
            None => threshold.pack_group_by_thread(group),
        },
    );
}

/// As [`threshold_bits`], with vectorised reads, for rows that begin at multiples of four samples,
/// without mask and border: a lane reads four neighbouring samples in one access, the warp votes on
/// 128 samples at a time, and sixteen samples per lane are in flight.
///
/// # Safety
/// As for [`threshold_bits`]; `layout.grid.nx` is a multiple of four, `samples` hold
/// `layout.grid.samples()` elements, and the first is stored at a multiple of four times their
/// size.
#[kernel(T = crate::sample::sample_types!)]
pub unsafe fn threshold_bits_vectorized<T: Sample>(
    samples: View<T>,
    layout: WordLayout,
    iso: f32,
    below: ViewMut<u32>,
    finite: ViewMut<u32>,
    exclusions: ViewMut<u64>,
) {
    let threshold = Threshold {
        samples,
        // SAFETY: nothing is read from a view without elements.
        mask: unsafe { View::from_raw_parts(core::ptr::null(), 0) },
        padded: PaddedGrid::unpadded(layout.grid),
        layout,
        iso,
        below,
        finite,
        // SAFETY: as above, and nothing is written.
        unmasked: unsafe { ViewMut::from_raw_parts(core::ptr::null_mut(), 0) },
        exclusions,
    };
    let groups = if thread::block_dim_x() >= 32 {
        threshold.quads().groups()
    } else {
        layout.sample_words().div_ceil(GROUP as u64)
    };
    for_each_group(groups, |group, lane| match lane {
        Some(lane) => threshold.pack_group_vectorized(group, lane),
        None => threshold.pack_group_by_thread(group),
    });
}

impl<T: Sample> Threshold<'_, T> {
    /// Returns `count`, hidden from the compiler so that it does not unroll a loop of `count`
    /// iterations: every unrolled iteration would occupy registers of its own.
    #[inline(always)]
    fn not_unrolled(&self, count: u32) -> u32 {
        if self.layout.per_row == 0 { 0 } else { count }
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
            self.unmasked.write(at as usize, word.unmasked);
        }
    }

    /// Computes the words of one group by a single thread.
    #[inline(always)]
    fn pack_group_by_thread(&self, group: u64) {
        let (layout, padded) = (self.layout, &self.padded);
        let mut at = group * GROUP as u64;
        let end = at + GROUP as u64;
        let mut unit = RowUnit::from_index(layout, padded, layout.per_row, at);
        while at < end && at < layout.sample_words() {
            self.write(at, self.pack_word(unit));
            unit = unit.next(layout, padded, layout.per_row);
            at += 1;
        }
    }

    /// Computes the words of one group by a warp whose lanes read single samples.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn pack_group_by_warp(&self, group: u64, lane: u32) {
        let (layout, padded) = (self.layout, &self.padded);
        let first = group * GROUP as u64;
        let start = RowUnit::from_index(layout, padded, layout.per_row, first);
        let mut unit = start;
        let mut own = ThresholdWord::EMPTY;
        let mut finite = true;
        let next = || {
            let value = value(self.samples, padded, unit, lane, self.iso);
            unit = unit.next(layout, padded, layout.per_row);
            value
        };
        read_in_eights(self.not_unrolled(GROUP), next, |word, value| {
            let below = ballot(value < self.iso);
            finite &= !T::MAY_BE_NON_FINITE || value.is_finite();
            if lane == word {
                own.below = below;
            }
        });
        self.pack_exclusions(start, finite, lane, &mut own);
        let at = first + lane as u64;
        if at < layout.sample_words() {
            self.write(at, own);
        }
    }

    #[inline(always)]
    fn quads(&self) -> QuadRows {
        QuadRows {
            nx: self.layout.grid.nx,
            rows: self.layout.grid.ny as u64 * self.layout.grid.nz as u64,
            per_row: self.layout.per_row,
        }
    }

    /// Computes the words of one group by a warp whose lanes read four samples at a time.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn pack_group_vectorized(&self, group: u64, lane: u32) {
        let layout = self.layout;
        let mut votes = [0; 4];
        let mut finite = true;
        let which = [group, self.not_unrolled(GROUP / 4) as u64];
        let vote = |own, [a, b, c, d]: [f32; 4], _| {
            let below = |value: f32| ballot(value < self.iso);
            let quad_votes = [below(a), below(b), below(c), below(d)];
            if T::MAY_BE_NON_FINITE {
                finite &= a.is_finite() & b.is_finite() & c.is_finite() & d.is_finite();
            }
            if own {
                votes = quad_votes;
            }
        };
        let (at, exists) = self
            .quads()
            .read_group(self.samples, which, lane, self.iso, vote);
        let mut word = ThresholdWord::EMPTY;
        word.below = interleaved_word(votes, lane % 4);
        if !self.none_excluded(finite) && exists {
            word = self.pack_word(RowUnit::from_index(
                layout,
                &self.padded,
                layout.per_row,
                at,
            ));
        }
        if exists {
            self.write(at, word);
        }
    }

    /// Completes the words of a group from `start` on, one per lane, if samples may be excluded:
    /// votes once more on each word. `finite` is `true` if all samples read by the lane are finite.
    #[inline(always)]
    fn pack_exclusions(&self, start: RowUnit, finite: bool, lane: u32, own: &mut ThresholdWord) {
        let (layout, padded) = (self.layout, &self.padded);
        if self.none_excluded(finite) {
            return;
        }
        let mut unit = start;
        for word in 0..self.not_unrolled(GROUP) {
            let value = value(self.samples, padded, unit, lane, self.iso);
            let finite = ballot(value.is_finite());
            let unmasked = self.mask.is_empty() || is_unmasked(self.mask, padded, unit, lane);
            let unmasked = ballot(unmasked);
            if lane == word {
                (own.finite, own.unmasked) = (finite, unmasked);
            }
            unit = unit.next(layout, padded, layout.per_row);
        }
    }

    /// Returns `true` if no sample of the words of a full warp is excluded: all are finite, and
    /// there is no mask. All lanes must call it.
    #[inline(always)]
    fn none_excluded(&self, finite: bool) -> bool {
        let all_finite = !T::MAY_BE_NON_FINITE || ballot(finite) == u32::MAX;
        all_finite && self.mask.is_empty()
    }

    /// Computes one word, sample by sample.
    #[inline(always)]
    fn pack_word(&self, unit: RowUnit) -> ThresholdWord {
        let mut word = ThresholdWord::EMPTY;
        // this path is rare on a GPU
        let bits = if cfg!(target_arch = "nvptx64") {
            self.not_unrolled(32)
        } else {
            32
        };
        for bit in 0..bits {
            let value = value(self.samples, &self.padded, unit, bit, self.iso);
            word.below |= ((value < self.iso) as u32) << bit;
            if T::MAY_BE_NON_FINITE {
                word.finite &= !(((!value.is_finite()) as u32) << bit);
            }
        }
        if !self.mask.is_empty() {
            for bit in 0..bits {
                let unmasked = is_unmasked(self.mask, &self.padded, unit, bit);
                word.unmasked &= !(((!unmasked) as u32) << bit);
            }
        }
        word
    }
}
