//! Merging the lower envelopes of neighbouring chunks by their common tangent (Preparata and Hong
//! 1977).

use super::{
    output::DistanceOutput,
    pass_cost::{FLOAT_BIAS, PassCost},
    tile::{Tile, link, with_link},
};
use crate::arith::min_u32;
use cuda_std::{bits::bfind, thread};

impl<O: DistanceOutput> Tile<O> {
    /// Merges the envelopes of all chunks pairwise, in a binary tree. The method contains barriers
    /// and ends with one.
    ///
    /// Each level waits only for the warps whose chunks are merged, as far as there are named
    /// barriers, so that a warp with many candidates delays few others.
    #[inline(always)]
    pub fn merge_envelopes<C: PassCost>(&self, pass_cost: C) {
        let (warp, warps) = (thread::thread_idx_x() / 32, thread::block_dim_x() / 32);
        // Number of pairs that a warp merges at once.
        let pairs = 32 / O::SCANLINES;
        // The barriers of the teams of a level follow those of the previous level; of more than 16
        // warps, the first level has none.
        let slots = if warps > 16 { 64 } else { 32 };
        let mut log_team = 1;
        let mut group_size = 1;
        while group_size < self.chunks {
            let team = 2 * group_size;
            let index = warp >> log_team;
            let first = index << log_team;
            let end = min_u32(first + team, warps);
            let first_barrier = 17_u32.wrapping_sub(slots >> log_team);
            if team >= warps || first_barrier > 16 {
                thread::sync_threads();
            } else {
                thread::sync_named(first_barrier + index, (end - first) * 32);
            }
            // Neighbouring teams use different schedulers of the multiprocessor.
            let merger = min_u32(first + ((index ^ index >> 1) & (team - 1) & 3), end - 1);
            let left_group = first * pairs + self.chunk % pairs * team;
            if warp == merger && left_group + group_size < self.chunks {
                self.merge_pair(pass_cost, left_group, group_size);
            }
            group_size *= 2;
            log_team += 1;
        }
        thread::sync_threads();
    }

    /// Merges the envelopes of all chunks like [`merge_envelopes`](Self::merge_envelopes), for
    /// lines of which most chunks have no candidates in any lane: barriers are executed only where
    /// there is anything to merge.
    #[inline(always)]
    pub fn merge_sparse_envelopes<C: PassCost>(&self, pass_cost: C) {
        // One bit per group of `group_size` chunks, at the position of its first chunk. All warps
        // hold the same value, so that they execute the same barriers.
        let mut groups = self.nonempty_chunks();
        let mut group_size = 1;
        let mut has_merged = false;
        while group_size < self.chunks {
            let pairs = groups & groups >> group_size & pair_starts(group_size);
            if pairs != 0 {
                if has_merged {
                    thread::sync_threads();
                }
                let left_group = self.chunk * (2 * group_size);
                if left_group < self.chunks && pairs >> left_group & 1 != 0 {
                    self.merge_pair(pass_cost, left_group, group_size);
                }
                has_merged = true;
            }
            groups |= groups >> group_size;
            group_size *= 2;
        }
        if has_merged {
            thread::sync_threads();
        }
    }

    /// Merges the envelope of the `group_size` chunks from `left_group` on with that of the
    /// following group.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn merge_pair<C: PassCost>(&self, pass_cost: C, left_group: u32, group_size: u32) {
        let right_group = left_group + group_size;
        let end = if right_group + group_size < self.chunks {
            right_group + group_size
        } else {
            self.chunks
        };
        let lift = |word: u32, position: u32| pass_cost.lifted_cost(word, position, 0, FLOAT_BIAS);
        // The last candidate of the left group.
        let mut left = right_group - 1;
        let mut left_bits = self.envelope(left);
        while left_bits == 0 && left > left_group {
            left -= 1;
            left_bits = self.envelope(left);
        }
        let mut right = right_group;
        let mut right_bits = self.envelope(right);
        while right_bits == 0 && right + 1 < end {
            right += 1;
            right_bits = self.envelope(right);
        }
        if left_bits == 0 || right_bits == 0 {
            return;
        }
        let mut a = left * 32 + bfind(left_bits);
        let mut a_word = self.read(a);
        let (mut a_value, mut a_start) = (lift(a_word, a), link(a_word) as i32);
        let mut b = right * 32 + right_bits.trailing_zeros();
        let mut b_word = self.read(b);
        let mut b_value = lift(b_word, b);
        loop {
            let reciprocal = pass_cost.reciprocal(b - a);
            // Positions are relative to the tile, so no relevant quotient is negative, and the
            // first candidate stays nearest at a tie even without `NEAREST_SITE`.
            let takeover = pass_cost.takeover::<false>([a_value, b_value], b - a, reciprocal, 0);
            let takeover = if takeover < 0 { 0 } else { takeover };
            if takeover <= a_start {
                left_bits ^= 1_u32.rotate_left(a);
                if left_bits == 0 {
                    self.set_envelope(left, 0);
                    while left_bits == 0 && left > left_group {
                        left -= 1;
                        left_bits = self.envelope(left);
                    }
                    if left_bits == 0 {
                        self.set_envelope(right, right_bits);
                        self.write(b, with_link(b_word, 0));
                        return;
                    }
                }
                a = left * 32 + bfind(left_bits);
                a_word = self.read(a);
                a_value = lift(a_word, a);
                a_start = link(a_word) as i32;
                continue;
            }
            // The candidate after b.
            let mut next_bits = right_bits & (right_bits - 1);
            let mut next_chunk = right;
            while next_bits == 0 && next_chunk + 1 < end {
                next_chunk += 1;
                next_bits = self.envelope(next_chunk);
            }
            if next_bits == 0 {
                if takeover >= self.len as i32 {
                    right_bits = 0;
                } else {
                    self.write(b, with_link(b_word, takeover as u32));
                }
                break;
            }
            let c = next_chunk * 32 + next_bits.trailing_zeros();
            let c_word = self.read(c);
            if link(c_word) as i32 > takeover {
                self.write(b, with_link(b_word, takeover as u32));
                break;
            }
            if next_chunk != right {
                self.set_envelope(right, 0);
                right = next_chunk;
            }
            right_bits = next_bits;
            b = c;
            b_word = c_word;
            b_value = lift(b_word, b);
        }
        self.set_envelope(left, left_bits);
        self.set_envelope(right, right_bits);
    }
}

/// Returns the multiples of `2 * group_size` as a bit mask; `group_size` is a power of two up to
/// 16.
#[inline(always)]
fn pair_starts(group_size: u32) -> u32 {
    match group_size {
        1 => 0x5555_5555,
        2 => 0x1111_1111,
        4 => 0x0101_0101,
        8 => 0x0001_0001,
        _ => 1,
    }
}
