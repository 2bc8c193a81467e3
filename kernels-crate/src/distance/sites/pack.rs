//! Packing of samples into bit masks: the only pass over the volume.

use super::{bits::BitRows, range::Range};
use crate::{
    bits::{GROUP, QuadRows, ballot, for_each_group, interleaved_word, read_in_eights},
    sample::Sample,
};
use cuda_std::{View, ViewMut, kernel, thread};

/// Bits of one word. Padding bits are 0.
#[derive(Clone, Copy)]
struct PackedWord {
    within: u32,
    beyond: u32,
}

/// Inputs and outputs shared by all threads.
#[derive(Clone, Copy)]
struct Job<'a, T> {
    samples: View<'a, T>,
    bits: BitRows,
    range: Range,
    within: ViewMut<'a, u32>,
    beyond: ViewMut<'a, u32>,
}

/// Packs, for each voxel, whether its sample lies within a range and, optionally, whether it is a
/// finite number outside the range.
///
/// **Mapping:** each full warp packs [`GROUP`] words at a time. Lanes read single samples, eight in
/// flight, and vote; each lane keeps and writes one word. Threads without a full warp (for example
/// a block of one thread) pack their words alone. **Global memory:** every sample is read once; one
/// bit per voxel is written to `within`, and one to `beyond` unless that is empty. Shared memory is
/// not used.
///
/// # Safety
/// `samples` holds `bits.grid.samples()` elements, `within` (and `beyond`, unless empty) holds
/// `bits.words()`.
#[kernel(T = crate::sample::sample_types!)]
pub unsafe fn pack_voxels<T: Sample>(
    samples: View<T>,
    bits: BitRows,
    range: Range,
    within: ViewMut<u32>,
    beyond: ViewMut<u32>,
) {
    let job = Job {
        samples,
        bits,
        range,
        within,
        beyond,
    };
    for_each_group(
        bits.words().div_ceil(GROUP as u64),
        |group, lane| match lane {
            Some(lane) => job.pack_group_by_warp(group, lane),
            None => job.pack_group_by_thread(group),
        },
    );
}

/// Packs voxels like [`pack_voxels`], for rows that start at multiples of four samples: each lane
/// reads four neighbouring samples in one access, the warp votes on 128 samples at a time, and
/// sixteen samples per lane are in flight.
///
/// # Safety
/// The requirements of [`pack_voxels`] hold; in addition `bits.grid.nx` is a multiple of four, and
/// the first sample is stored at a multiple of four times its size.
#[kernel(T = crate::sample::sample_types!)]
pub unsafe fn pack_voxels_by_fours<T: Sample>(
    samples: View<T>,
    bits: BitRows,
    range: Range,
    within: ViewMut<u32>,
    beyond: ViewMut<u32>,
) {
    let job = Job {
        samples,
        bits,
        range,
        within,
        beyond,
    };
    let groups = if thread::block_dim_x() >= 32 {
        job.quads().groups()
    } else {
        bits.words().div_ceil(GROUP as u64)
    };
    for_each_group(groups, |group, lane| match lane {
        Some(lane) => job.pack_group_by_fours(group, lane),
        None => job.pack_group_by_thread(group),
    });
}

impl<T: Sample> Job<'_, T> {
    #[inline(always)]
    fn is_beyond(&self, value: f32) -> bool {
        (!T::MAY_BE_NON_FINITE || value.is_finite()) & !self.range.contains(value)
    }

    #[inline(always)]
    fn write(&self, at: u64, word: PackedWord) {
        self.within.write(at as usize, word.within);
        if !self.beyond.is_empty() {
            self.beyond.write(at as usize, word.beyond);
        }
    }

    /// Returns `count`, hidden from the optimiser so that a loop with this bound is not unrolled.
    #[inline(always)]
    fn opaque_count(&self, count: u32) -> u32 {
        if self.bits.per_row == 0 { 0 } else { count }
    }

    /// Packs the words of one group with a single thread, sample by sample.
    #[inline(always)]
    fn pack_group_by_thread(&self, group: u64) {
        let bits = self.bits;
        let mut word = group * GROUP as u64;
        let end = word + GROUP as u64;
        let [mut in_row, y, z] = bits.word_position(word);
        let mut row = bits.grid.sample(0, y, z);
        while word < end && word < bits.words() {
            let first = row + in_row as usize * 32;
            let remaining = bits.grid.nx - in_row * 32;
            let count = if remaining < 32 { remaining } else { 32 };
            #[cfg(not(target_arch = "nvptx64"))]
            if count == 32 {
                self.write(word, self.pack_full_word(first));
                (word, in_row) = (word + 1, in_row + 1);
                if in_row == bits.per_row {
                    in_row = 0;
                    row += bits.grid.nx as usize;
                }
                continue;
            }
            let mut packed = PackedWord {
                within: 0,
                beyond: 0,
            };
            let mut bit = 0;
            while bit < self.opaque_count(count) {
                let value = self.samples.read(first + bit as usize).value();
                packed.within |= (self.range.contains(value) as u32) << bit;
                packed.beyond |= (self.is_beyond(value) as u32) << bit;
                bit += 1;
            }
            self.write(word, packed);
            word += 1;
            in_row += 1;
            if in_row == bits.per_row {
                in_row = 0;
                row += bits.grid.nx as usize;
            }
        }
    }

    /// Packs the 32 samples starting at `first` without branches, so that a CPU compiler can
    /// vectorise it.
    #[cuda_std::inline_closures]
    #[cfg(not(target_arch = "nvptx64"))]
    #[inline(always)]
    fn pack_full_word(&self, first: usize) -> PackedWord {
        let samples = self.samples.read_vector::<32>(first);
        let within = pack_flags(|k| self.range.contains(samples[k].value()));
        let beyond = if self.beyond.is_empty() {
            0
        } else {
            pack_flags(|k| self.is_beyond(samples[k].value()))
        };
        PackedWord { within, beyond }
    }

    /// Packs the words of one group with a warp whose lanes read single samples.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn pack_group_by_warp(&self, group: u64, lane: u32) {
        let bits = self.bits;
        let first = group * GROUP as u64;
        let [mut in_row, y, z] = bits.word_position(first);
        let mut row = bits.grid.sample(0, y, z);
        let mut word = first;
        let mut own_word = PackedWord {
            within: 0,
            beyond: 0,
        };
        // Returns the next sample and whether it exists.
        let next = || {
            let x = in_row * 32 + lane;
            let exists = word < bits.words() && x < bits.grid.nx;
            let value = if exists {
                self.samples.read(row + x as usize).value()
            } else {
                0.0
            };
            word += 1;
            in_row += 1;
            if in_row == bits.per_row {
                in_row = 0;
                row += bits.grid.nx as usize;
            }
            (value, exists)
        };
        read_in_eights(self.opaque_count(GROUP), next, |word, (value, exists)| {
            let within = ballot(exists && self.range.contains(value));
            let beyond = if self.beyond.is_empty() {
                0
            } else {
                ballot(exists && self.is_beyond(value))
            };
            if lane == word {
                own_word = PackedWord { within, beyond };
            }
        });
        let at = first + lane as u64;
        if at < bits.words() {
            self.write(at, own_word);
        }
    }

    #[inline(always)]
    fn quads(&self) -> QuadRows {
        QuadRows {
            nx: self.bits.grid.nx,
            rows: self.bits.grid.ny as u64 * self.bits.grid.nz as u64,
            per_row: self.bits.per_row,
        }
    }

    /// Packs the words of one group with a warp whose lanes read four samples at a time.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn pack_group_by_fours(&self, group: u64, lane: u32) {
        let (mut within, mut beyond) = ([0; 4], [0; 4]);
        let which = [group, self.opaque_count(GROUP / 4) as u64];
        let vote = |is_own, [a, b, c, d]: [f32; 4], exist| {
            let is_within = |value| ballot(exist && self.range.contains(value));
            let votes = [is_within(a), is_within(b), is_within(c), is_within(d)];
            if is_own {
                within = votes;
            }
            if !self.beyond.is_empty() {
                let is_beyond = |value| ballot(exist && self.is_beyond(value));
                let votes = [is_beyond(a), is_beyond(b), is_beyond(c), is_beyond(d)];
                if is_own {
                    beyond = votes;
                }
            }
        };
        let (at, exists) = self
            .quads()
            .read_group(self.samples, which, lane, 0.0, vote);
        if exists {
            let word = PackedWord {
                within: interleaved_word(within, lane % 4),
                beyond: interleaved_word(beyond, lane % 4),
            };
            self.write(at, word);
        }
    }
}

/// Packs 32 flags into a word: bit k holds `flag(k)`.
#[cfg(not(target_arch = "nvptx64"))]
#[inline(always)]
pub(in crate::distance) fn pack_flags(flag: impl Fn(usize) -> bool) -> u32 {
    let mut flags = [0; 32];
    for (k, at) in flags.iter_mut().enumerate() {
        *at = u8::from(flag(k));
    }
    let mut bits = 0;
    for (byte, flags) in flags.as_chunks::<8>().0.iter().enumerate() {
        // The products move flag k to bit 56 + k; no other term reaches those bits or carries into
        // them.
        let flags = u64::from_le_bytes(*flags);
        bits |= ((flags.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32) << (8 * byte);
    }
    bits
}
