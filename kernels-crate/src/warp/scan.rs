//! Scans and reductions over the lanes of a warp, for any operator.
//!
//! Every lane of the warp must call these functions. They all pass the full mask, which refers to
//! lanes that have not left the kernel; lanes that the last, incomplete warp of a block lacks do
//! not count. Blocks are one-dimensional and of any size. A block of one thread exchanges nothing
//! and never waits.

use crate::operator::{Operator, Value};
use cuda_std::{
    thread,
    warp::{self, FULL_MASK},
};

/// Compile-time knowledge about the warps of a block.
pub trait Warps: 'static {
    /// Returns `true` if the block has a single thread.
    fn is_single_thread() -> bool;

    /// Returns the number of lanes of the calling thread's warp.
    fn width() -> u32;
}

/// Blocks of any size.
pub enum AnyWarps {}

/// Blocks that consist of full warps.
pub enum FullWarps {}

impl Warps for AnyWarps {
    #[inline(always)]
    fn is_single_thread() -> bool {
        thread::block_dim_x() == 1
    }

    #[inline(always)]
    fn width() -> u32 {
        let remaining = thread::block_dim_x() - (thread::thread_idx_x() & !31);
        if remaining < 32 { remaining } else { 32 }
    }
}

impl Warps for FullWarps {
    #[inline(always)]
    fn is_single_thread() -> bool {
        false
    }

    #[inline(always)]
    fn width() -> u32 {
        32
    }
}

/// Returns the lane index of the calling thread.
#[inline(always)]
pub fn lane() -> u32 {
    thread::thread_idx_x() & 31
}

/// Returns the lanes for which `predicate` is true, as a mask: bit i for lane i.
#[inline(always)]
pub fn ballot<W: Warps>(predicate: bool) -> u32 {
    if W::is_single_thread() {
        return predicate as u32;
    }
    // SAFETY: every lane of the warp calls this; lanes that an incomplete warp lacks are not waited
    // for.
    unsafe { warp::warp_vote_ballot(FULL_MASK, predicate) }
}

/// Exchanges a value word by word.
#[inline(always)]
fn exchange<V: Value>(value: V, shuffle: impl Fn(u32) -> u32) -> V {
    let mut words = [0; 4];
    let mut i = 0;
    while i < V::WORDS {
        words[i] = shuffle(value.word(i));
        i += 1;
    }
    V::from_words(words)
}

/// Returns the value of the lane `distance` before the calling one, or the caller's own value if
/// there is none.
#[cuda_std::inline_closures]
#[inline(always)]
pub fn shuffle_up<V: Value>(value: V, distance: u32) -> V {
    // SAFETY: every lane of the warp calls this; lanes that an incomplete warp lacks are not waited
    // for.
    exchange(value, |word| unsafe {
        warp::warp_shuffle_up(FULL_MASK, word, distance, 32).0
    })
}

/// Returns the value of the lane `distance` after the calling one; unspecified if there is none.
#[cuda_std::inline_closures]
#[inline(always)]
pub fn shuffle_down<V: Value>(value: V, distance: u32) -> V {
    // SAFETY: every lane of the warp calls this; lanes that an incomplete warp lacks are not waited
    // for.
    exchange(value, |word| unsafe {
        warp::warp_shuffle_down(FULL_MASK, word, distance, 32).0
    })
}

/// Returns the value of lane `from`, which must exist.
#[cuda_std::inline_closures]
#[inline(always)]
pub fn broadcast<V: Value, W: Warps>(value: V, from: u32) -> V {
    if W::is_single_thread() {
        return value;
    }
    // SAFETY: every lane of the warp calls this; lanes that an incomplete warp lacks are not waited
    // for.
    exchange(value, |word| unsafe {
        warp::warp_shuffle_idx(FULL_MASK, word, from, 32).0
    })
}

/// Replaces each row by its inclusive scan over the lanes. The rows are independent; scanning
/// several at once hides the latency of the five shuffles.
#[inline(always)]
pub fn inclusive_rows<V: Value, O: Operator<V>, W: Warps, const ROWS: usize>(rows: &mut [V; ROWS]) {
    if W::is_single_thread() {
        return;
    }
    let lane = lane();
    let mut distance = 1;
    while distance < 32 {
        let mut row = 0;
        while row < ROWS {
            let before = shuffle_up(rows[row], distance);
            // without a predecessor, `before` is the lane's own value
            if O::IDEMPOTENT || lane >= distance {
                rows[row] = O::combine(before, rows[row]);
            }
            row += 1;
        }
        distance *= 2;
    }
}

/// Returns the inclusive scan over the lanes up to and including the calling one.
#[inline(always)]
pub fn inclusive<V: Value, O: Operator<V>, W: Warps>(value: V) -> V {
    let mut rows = [value];
    inclusive_rows::<V, O, W, 1>(&mut rows);
    rows[0]
}

/// Converts an inclusive scan to the exclusive one: returns the value of the previous lane, and the
/// identity on lane 0.
#[inline(always)]
pub fn exclusive_from_inclusive<V: Value, O: Operator<V>, W: Warps>(inclusive: V) -> V {
    if W::is_single_thread() {
        return O::identity();
    }
    let before = shuffle_up(inclusive, 1);
    if lane() == 0 { O::identity() } else { before }
}

/// Combines all lanes' values in descending order of lanes, for look-back windows. Every lane
/// receives the result.
#[inline(always)]
pub fn reduce_backwards<V: Value, O: Operator<V>, W: Warps>(value: V) -> V {
    if W::is_single_thread() {
        return value;
    }
    let lane = lane();
    let mut sum = value;
    let mut distance = 1;
    while distance < 32 {
        let later = shuffle_down(sum, distance);
        if lane + distance < W::width() {
            sum = O::combine(later, sum);
        }
        distance *= 2;
    }
    broadcast::<V, W>(sum, 0)
}

/// Combines all lanes' values in ascending order of lanes. Every lane receives the result.
#[inline(always)]
pub fn reduce<V: Value, O: Operator<V>, W: Warps>(value: V) -> V {
    broadcast::<V, W>(inclusive::<V, O, W>(value), W::width() - 1)
}
