//! Packing of samples into words of bits, by warp votes.
//!
//! Used by the masks of distance transforms and by the thresholds of isosurfaces: they differ in
//! the meaning of a bit, not in how samples are read.

use crate::{arith::div_rem, sample::Sample, warp};
use cuda_std::{View, thread, warp::warp_vote_ballot};

/// Number of words in a group, which a team computes together: one per lane of a warp.
pub const GROUP: u32 = 32;

/// Calls `visit(group, lane)` for the groups of the calling thread's team; `lane` is `None` if the
/// team is a single thread.
///
/// A team is a full warp; threads of an incomplete warp do nothing. In a block without a full warp,
/// each thread is a team.
#[inline(always)]
pub fn for_each_group(groups: u64, mut visit: impl FnMut(u64, Option<u32>)) {
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

/// Returns the lanes of a full warp whose predicate is true. All lanes must call it.
#[inline(always)]
pub fn ballot(predicate: bool) -> u32 {
    // SAFETY: the warp is full, and all of its lanes call this.
    unsafe { warp_vote_ballot(u32::MAX, predicate) }
}

/// Calls `vote(word, next())` for each of `count` words, a multiple of eight, with eight reads in
/// flight followed by eight votes.
#[inline(always)]
pub fn read_in_eights<V>(count: u32, mut next: impl FnMut() -> V, mut vote: impl FnMut(u32, V)) {
    let mut batch = 0;
    while batch < count {
        // unrolled by hand, so that the values stay in registers
        let [a, b, c, d] = [next(), next(), next(), next()];
        let [e, f, g, h] = [next(), next(), next(), next()];
        vote(batch, a);
        vote(batch + 1, b);
        vote(batch + 2, c);
        vote(batch + 3, d);
        vote(batch + 4, e);
        vote(batch + 5, f);
        vote(batch + 6, g);
        vote(batch + 7, h);
        batch += 8;
    }
}

/// Rows that begin at multiples of four samples, of which each lane of a warp reads four
/// consecutive samples at a time: 128 samples, or four words, per warp.
#[derive(Clone, Copy)]
pub struct QuadRows {
    /// Samples per row.
    pub nx: u32,
    /// Number of rows.
    pub rows: u64,
    /// Words per row.
    pub per_row: u32,
}

impl QuadRows {
    /// Returns the number of groups of [`GROUP`] words.
    #[inline(always)]
    pub fn groups(self) -> u64 {
        (self.per_row.div_ceil(4) as u64 * self.rows).div_ceil(GROUP as u64 / 4)
    }

    /// Reads the samples of a group, or `absent` where there are none, with sixteen samples per
    /// lane in flight.
    ///
    /// Calls `vote(own, samples, exist)` four times, once per set of four words: `own` is `true` if
    /// one of the words is kept by this lane, and `samples` are the lane's four samples, if they
    /// `exist`. Returns the index of the lane's own word, and whether it exists. `count` is
    /// [`GROUP`]` / 4`, hidden from the compiler to prevent unrolling.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn read_group<T: Sample>(
        self,
        samples: View<T>,
        [group, count]: [u64; 2],
        lane: u32,
        absent: f32,
        mut vote: impl FnMut(bool, [f32; 4], bool),
    ) -> (u64, bool) {
        let per_row = self.per_row.div_ceil(4);
        let (mut row, unit) = div_rem(group * (GROUP as u64 / 4), per_row as u64);
        let mut unit = unit as u32;
        let (mut my_row, mut my_unit) = (0, 0);
        let mut batch = 0;
        while batch < count as u32 {
            let mut next = |k: u32| {
                let x = unit * 128 + lane * 4;
                let exist = x < self.nx && row < self.rows;
                let mut values = [absent; 4];
                if exist {
                    let at = row * self.nx as u64 + x as u64;
                    let [a, b, c, d] = samples.read_vector::<4>(at as usize);
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
            // unrolled by hand, so that the values stay in registers: four reads, then sixteen
            // votes
            let [a, b, c, d] = [next(0), next(1), next(2), next(3)];
            vote(lane / 4 == batch, a.0, a.1);
            vote(lane / 4 == batch + 1, b.0, b.1);
            vote(lane / 4 == batch + 2, c.0, c.1);
            vote(lane / 4 == batch + 3, d.0, d.1);
            batch += 4;
        }
        let unit = my_unit * 4 + lane % 4;
        let at = my_row * self.per_row as u64 + unit as u64;
        (at, unit < self.per_row && my_row < self.rows)
    }
}

/// Returns word `word` of four, given four votes on every fourth sample each.
#[inline(always)]
pub const fn interleaved_word([a, b, c, d]: [u32; 4], word: u32) -> u32 {
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

#[cfg(test)]
mod tests {
    use super::every_fourth_bit;

    #[test]
    fn bits_are_spread() {
        for byte in 0..256 {
            let expected = (0..8).fold(0, |bits, k| bits | (byte >> k & 1) << (4 * k));
            assert_eq!(every_fourth_bit(byte), expected);
        }
    }
}
