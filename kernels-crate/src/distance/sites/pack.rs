//! Bits from samples: the only pass over the volume.

use super::{bits::BitRows, range::Range};
use crate::{
    bits::{GROUP, Quads, ballot, for_each_group, in_eights, woven},
    sample::Sample,
};
use cuda_std::{View, ViewMut, kernel, thread};

/// What the bits of a word say of its voxels. Bits without a voxel are 0.
#[derive(Clone, Copy)]
struct Packed {
    within: u32,
    beyond: u32,
}

/// What the kernel's teams work on.
#[derive(Clone, Copy)]
struct Job<'a, T> {
    samples: View<'a, T>,
    bits: BitRows,
    range: Range,
    within: ViewMut<'a, u32>,
    beyond: ViewMut<'a, u32>,
}

/// Packs for each voxel whether its sample is in a range, and if asked whether it is a finite
/// number that is not.
///
/// A warp whose lanes all exist makes [`GROUP`] words at a time: its lanes read single samples,
/// eight in flight, and vote; each lane keeps and writes one word. A thread without such a warp (a
/// block of one thread, say) makes its words alone. Every sample is read once; one bit of each is
/// written to `within`, and unless it is empty one to `beyond`. Nothing is shared in the block.
///
/// # Safety
/// `samples` hold `bits.grid.samples()` elements, `within` (and `beyond`, unless empty)
/// `bits.words()`.
#[kernel(T = [u8, i8, u16, i16, f32])]
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
            Some(lane) => job.group(group, lane),
            None => job.group_alone(group),
        },
    );
}

/// [`pack_voxels`] for rows that begin at multiples of four samples: a lane reads four neighbouring
/// samples in one access, the warp votes on 128 at a time, and sixteen samples of a lane are in
/// flight.
///
/// # Safety
/// As [`pack_voxels`]; `bits.grid.nx` is a multiple of four, and the first sample is stored at a
/// multiple of four times its size.
#[kernel(T = [u8, i8, u16, i16, f32])]
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
        Some(lane) => job.group_by_fours(group, lane),
        None => job.group_alone(group),
    });
}

impl<T: Sample> Job<'_, T> {
    #[inline(always)]
    fn is_beyond(&self, value: f32) -> bool {
        (!T::MAY_BE_NON_FINITE || value.is_finite()) & !self.range.has(value)
    }

    #[inline(always)]
    fn write(&self, at: u64, word: Packed) {
        self.within.write(at as usize, word.within);
        if !self.beyond.is_empty() {
            self.beyond.write(at as usize, word.beyond);
        }
    }

    /// `count`, in a way that keeps the compiler from unrolling a loop of so many rounds.
    #[inline(always)]
    fn rolled(&self, count: u32) -> u32 {
        if self.bits.per_row == 0 { 0 } else { count }
    }

    /// The words of one group, sample by sample, by one thread.
    #[inline(always)]
    fn group_alone(&self, group: u64) {
        let bits = self.bits;
        let mut word = group * GROUP as u64;
        let end = word + GROUP as u64;
        let [mut in_row, y, z] = bits.place(word);
        let mut row = bits.grid.sample(0, y, z);
        while word < end && word < bits.words() {
            let first = row + in_row as usize * 32;
            let rest = bits.grid.nx - in_row * 32;
            let count = if rest < 32 { rest } else { 32 };
            #[cfg(not(target_arch = "nvptx64"))]
            if count == 32 {
                self.write(word, self.whole_word(first));
                (word, in_row) = (word + 1, in_row + 1);
                if in_row == bits.per_row {
                    in_row = 0;
                    row += bits.grid.nx as usize;
                }
                continue;
            }
            let mut packed = Packed {
                within: 0,
                beyond: 0,
            };
            let mut bit = 0;
            while bit < self.rolled(count) {
                let value = self.samples.read(first + bit as usize).value();
                packed.within |= (self.range.has(value) as u32) << bit;
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

    /// The word of the 32 samples from `first` on: in steps without branches, which become a CPU's
    /// vector instructions.
    #[cfg(not(target_arch = "nvptx64"))]
    #[inline(always)]
    fn whole_word(&self, first: usize) -> Packed {
        let samples = self.samples.read_vector::<32>(first);
        let within = bits_of(|k| self.range.has(samples[k].value()));
        let beyond = if self.beyond.is_empty() {
            0
        } else {
            bits_of(|k| self.is_beyond(samples[k].value()))
        };
        Packed { within, beyond }
    }

    /// The words of one group, by a warp that reads single samples.
    #[inline(always)]
    fn group(&self, group: u64, lane: u32) {
        let bits = self.bits;
        let first = group * GROUP as u64;
        let [mut in_row, y, z] = bits.place(first);
        let mut row = bits.grid.sample(0, y, z);
        let mut word = first;
        let mut mine = Packed {
            within: 0,
            beyond: 0,
        };
        // a sample, and whether there is one
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
        in_eights(self.rolled(GROUP), next, |word, (value, exists)| {
            let within = ballot(exists && self.range.has(value));
            let beyond = if self.beyond.is_empty() {
                0
            } else {
                ballot(exists && self.is_beyond(value))
            };
            if lane == word {
                mine = Packed { within, beyond };
            }
        });
        let at = first + lane as u64;
        if at < bits.words() {
            self.write(at, mine);
        }
    }

    #[inline(always)]
    fn quads(&self) -> Quads {
        Quads {
            nx: self.bits.grid.nx,
            rows: self.bits.grid.ny as u64 * self.bits.grid.nz as u64,
            per_row: self.bits.per_row,
        }
    }

    /// The words of one group, by a warp that reads four samples at a time.
    #[inline(always)]
    fn group_by_fours(&self, group: u64, lane: u32) {
        let (mut within, mut beyond) = ([0; 4], [0; 4]);
        let which = [group, self.rolled(GROUP / 4) as u64];
        let vote = |mine, [a, b, c, d]: [f32; 4], exist| {
            let is_within = |value| ballot(exist && self.range.has(value));
            let votes = [is_within(a), is_within(b), is_within(c), is_within(d)];
            if mine {
                within = votes;
            }
            if !self.beyond.is_empty() {
                let is_beyond = |value| ballot(exist && self.is_beyond(value));
                let votes = [is_beyond(a), is_beyond(b), is_beyond(c), is_beyond(d)];
                if mine {
                    beyond = votes;
                }
            }
        };
        let (at, exists) = self
            .quads()
            .read_group(self.samples, which, lane, 0.0, vote);
        if exists {
            let word = Packed {
                within: woven(within, lane % 4),
                beyond: woven(beyond, lane % 4),
            };
            self.write(at, word);
        }
    }
}

/// Bit k for flag k.
#[cfg(not(target_arch = "nvptx64"))]
#[inline(always)]
pub(in crate::distance) fn bits_of(flag: impl Fn(usize) -> bool) -> u32 {
    let mut flags = [0; 32];
    for (k, at) in flags.iter_mut().enumerate() {
        *at = u8::from(flag(k));
    }
    let mut bits = 0;
    for (byte, flags) in flags.as_chunks::<8>().0.iter().enumerate() {
        // the products put flag k at bit 56 + k, and nothing else there or below that carries
        let flags = u64::from_le_bytes(*flags);
        bits |= ((flags.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32) << (8 * byte);
    }
    bits
}
