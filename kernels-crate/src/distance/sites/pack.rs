//! Bits from samples: the only pass over the volume.

use super::{bits::BitRows, range::Range};
use crate::{arith::div_rem, sample::Sample, warp};
use cuda_std::{View, ViewMut, kernel, thread, warp::warp_vote_ballot};

/// Words that a team makes at a time: each of a warp's lanes keeps one.
pub const GROUP: u32 = 32;

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

/// Packs for each voxel whether its sample is in a range, and if asked whether it is a finite number that is not.
///
/// A warp whose lanes all exist makes [`GROUP`] words at a time: its lanes read single samples, eight in flight, and vote; each lane
/// keeps and writes one word. A thread without such a warp (a block of one thread, say) makes its words alone. Every sample is
/// read once; one bit of each is written to `within`, and unless it is empty one to `beyond`. Nothing is shared in the block.
///
/// # Safety
/// `samples` hold `bits.grid.samples()` elements, `within` (and `beyond`, unless empty) `bits.words()`.
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

/// [`pack_voxels`] for rows that begin at multiples of four samples: a lane reads four neighbouring samples in one access, the
/// warp votes on 128 at a time, and sixteen samples of a lane are in flight.
///
/// # Safety
/// As [`pack_voxels`]; `bits.grid.nx` is a multiple of four, and the first sample is stored at a multiple of four times its size.
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
    let quads = bits.per_row.div_ceil(4) as u64 * bits.grid.ny as u64 * bits.grid.nz as u64;
    let groups = if thread::block_dim_x() >= 32 {
        quads.div_ceil(GROUP as u64 / 4)
    } else {
        bits.words().div_ceil(GROUP as u64)
    };
    for_each_group(groups, |group, lane| match lane {
        Some(lane) => job.group_by_fours(group, lane),
        None => job.group_alone(group),
    });
}

/// Calls `visit` with the groups of the calling thread's team, and its lane if that is a whole warp. Where a block has no whole warp
/// each thread is a team; else the threads of an incomplete warp have no work.
#[inline(always)]
pub(in crate::distance) fn for_each_group(groups: u64, mut visit: impl FnMut(u64, Option<u32>)) {
    let rank = thread::thread_idx_x();
    let warps = thread::block_dim_x() / 32;
    let (team, teams, lane) = if warps > 0 {
        if warp::lanes() != u32::MAX {
            return;
        }
        (rank / 32, warps, Some(rank % 32))
    } else {
        (rank, thread::block_dim_x(), None)
    };
    let mut group = thread::block_idx_x() as u64 * teams as u64 + team as u64;
    while group < groups {
        visit(group, lane);
        group += thread::grid_dim_x() as u64 * teams as u64;
    }
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

    /// The word of the 32 samples from `first` on: in steps without branches, which become a CPU's vector instructions.
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
        let mut batch = 0;
        while batch < self.rolled(GROUP) {
            // a sample, and whether there is one
            let mut next = || {
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
            // spelled out, so that they stay in registers: eight reads, then eight votes
            let [a, b, c, d] = [next(), next(), next(), next()];
            let [e, f, g, h] = [next(), next(), next(), next()];
            let mut vote = |k: u32, (value, exists): (f32, bool)| {
                let within = ballot(exists && self.range.has(value));
                let beyond = if self.beyond.is_empty() {
                    0
                } else {
                    ballot(exists && self.is_beyond(value))
                };
                if lane == batch + k {
                    mine = Packed { within, beyond };
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
        let at = first + lane as u64;
        if at < bits.words() {
            self.write(at, mine);
        }
    }

    /// The words of one group, by a warp that reads four samples at a time.
    #[inline(always)]
    fn group_by_fours(&self, group: u64, lane: u32) {
        let bits = self.bits;
        let per_row = bits.per_row.div_ceil(4);
        let rows = bits.grid.ny as u64 * bits.grid.nz as u64;
        let (mut row, unit) = div_rem(group * (GROUP as u64 / 4), per_row as u64);
        let mut unit = unit as u32;
        let (mut within, mut beyond) = ([0; 4], [0; 4]);
        let (mut my_row, mut my_unit) = (0, 0);
        let mut batch = 0;
        while batch < self.rolled(GROUP / 4) {
            let mut next = |k: u32| {
                let x = unit * 128 + lane * 4;
                let exist = x < bits.grid.nx && row < rows;
                let mut values = [0.0; 4];
                if exist {
                    let at = row * bits.grid.nx as u64 + x as u64;
                    let [a, b, c, d] = self.samples.read_vector::<4>(at as usize);
                    values = [a.value(), b.value(), c.value(), d.value()];
                }
                if lane / 4 == batch + k {
                    (my_row, my_unit) = (row, unit);
                }
                unit += 1;
                if unit == per_row {
                    (row, unit) = (row + 1, 0);
                }
                (values, exist)
            };
            // spelled out, so that they stay in registers: four reads, then sixteen votes
            let [a, b, c, d] = [next(0), next(1), next(2), next(3)];
            let mut vote = |k: u32, ([a, b, c, d], exist): ([f32; 4], bool)| {
                let is_within = |value| ballot(exist && self.range.has(value));
                let votes = [is_within(a), is_within(b), is_within(c), is_within(d)];
                if lane / 4 == batch + k {
                    within = votes;
                }
                if !self.beyond.is_empty() {
                    let is_beyond = |value| ballot(exist && self.is_beyond(value));
                    let votes = [is_beyond(a), is_beyond(b), is_beyond(c), is_beyond(d)];
                    if lane / 4 == batch + k {
                        beyond = votes;
                    }
                }
            };
            vote(0, a);
            vote(1, b);
            vote(2, c);
            vote(3, d);
            batch += 4;
        }
        let unit = my_unit * 4 + lane % 4;
        if unit < bits.per_row && my_row < rows {
            let word = Packed {
                within: woven(within, lane % 4),
                beyond: woven(beyond, lane % 4),
            };
            self.write(my_row * bits.per_row as u64 + unit as u64, word);
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

/// Word `word` of four: a vote's bits are every fourth sample of them.
#[inline(always)]
const fn woven([a, b, c, d]: [u32; 4], word: u32) -> u32 {
    let byte = 8 * word;
    every_fourth_bit(a >> byte & 0xff)
        | every_fourth_bit(b >> byte & 0xff) << 1
        | every_fourth_bit(c >> byte & 0xff) << 2
        | every_fourth_bit(d >> byte & 0xff) << 3
}

/// Moves bit k to bit 4k, for eight bits.
#[inline(always)]
const fn every_fourth_bit(byte: u32) -> u32 {
    let bits = (byte | byte << 12) & 0x000f_000f;
    let bits = (bits | bits << 6) & 0x0303_0303;
    (bits | bits << 3) & 0x1111_1111
}

/// The lanes of a whole warp whose predicate is true. All of them call it.
#[inline(always)]
pub(in crate::distance) fn ballot(predicate: bool) -> u32 {
    // SAFETY: the warp is whole, and all of its lanes come here.
    unsafe { warp_vote_ballot(u32::MAX, predicate) }
}
