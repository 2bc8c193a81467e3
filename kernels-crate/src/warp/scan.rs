//! Scan and reduction over the lanes of a warp, for any operator.
//!
//! Every lane of the warp must call these. They all name the full mask: a mask is about lanes that
//! have not left the kernel, and lanes that the last warp of a block has not are none of those.
//! Blocks are one-dimensional and of any size; in a block of one thread nothing is exchanged and
//! nothing waits.

use crate::operator::{Operator, Value};
use cuda_std::{
    thread,
    warp::{self, FULL_MASK},
};

/// What is known of a block's warps when a kernel is compiled.
pub trait Warps: 'static {
    /// Whether the block has one thread, which is a warp.
    fn alone() -> bool;

    /// Lanes of the calling thread's warp.
    fn width() -> u32;
}

/// Blocks of any size.
pub enum AnyWarps {}

/// Blocks of whole warps.
pub enum FullWarps {}

impl Warps for AnyWarps {
    #[inline(always)]
    fn alone() -> bool {
        thread::block_dim_x() == 1
    }

    #[inline(always)]
    fn width() -> u32 {
        let rest = thread::block_dim_x() - (thread::thread_idx_x() & !31);
        if rest < 32 { rest } else { 32 }
    }
}

impl Warps for FullWarps {
    #[inline(always)]
    fn alone() -> bool {
        false
    }

    #[inline(always)]
    fn width() -> u32 {
        32
    }
}

/// The lane of the calling thread.
#[inline(always)]
pub fn lane() -> u32 {
    thread::thread_idx_x() & 31
}

/// Which lanes of the warp say yes; bit i for lane i.
#[inline(always)]
pub fn ballot<W: Warps>(yes: bool) -> u32 {
    if W::alone() {
        return yes as u32;
    }
    // SAFETY: every lane of the warp comes here; those that a short warp has not are not waited
    // for.
    unsafe { warp::warp_vote_ballot(FULL_MASK, yes) }
}

/// Exchanges the words of a value.
#[inline(always)]
fn exchange<V: Value>(value: V, shuffle: impl Fn(u32) -> u32) -> V {
    let mut parts = [0; 4];
    let mut i = 0;
    while i < V::PARTS {
        parts[i] = shuffle(value.part(i));
        i += 1;
    }
    V::from_parts(parts)
}

/// The value of the lane `distance` before the calling one; its own where there is none.
#[inline(always)]
pub fn up<V: Value>(value: V, distance: u32) -> V {
    // SAFETY: every lane of the warp comes here; those that a short warp has not are not waited
    // for.
    exchange(value, |part| unsafe {
        warp::warp_shuffle_up(FULL_MASK, part, distance, 32).0
    })
}

/// The value of the lane `distance` after the calling one; unspecified where there is none.
#[inline(always)]
pub fn down<V: Value>(value: V, distance: u32) -> V {
    // SAFETY: every lane of the warp comes here; those that a short warp has not are not waited
    // for.
    exchange(value, |part| unsafe {
        warp::warp_shuffle_down(FULL_MASK, part, distance, 32).0
    })
}

/// The value of lane `from`, which must exist.
#[inline(always)]
pub fn broadcast<V: Value, W: Warps>(value: V, from: u32) -> V {
    if W::alone() {
        return value;
    }
    // SAFETY: every lane of the warp comes here; those that a short warp has not are not waited
    // for.
    exchange(value, |part| unsafe {
        warp::warp_shuffle_idx(FULL_MASK, part, from, 32).0
    })
}

/// Each row's inclusive scan over the lanes up to and including the calling one. The rows have
/// nothing to do with each other: several are scanned at once because one alone would wait for each
/// of its five shuffles.
#[inline(always)]
pub fn inclusive_rows<V: Value, O: Operator<V>, W: Warps, const ROWS: usize>(rows: &mut [V; ROWS]) {
    if W::alone() {
        return;
    }
    let lane = lane();
    let mut distance = 1;
    while distance < 32 {
        let mut row = 0;
        while row < ROWS {
            let before = up(rows[row], distance);
            if lane >= distance {
                rows[row] = O::combine(before, rows[row]);
            }
            row += 1;
        }
        distance *= 2;
    }
}

/// The inclusive scan over the lanes up to and including the calling one.
#[inline(always)]
pub fn inclusive<V: Value, O: Operator<V>, W: Warps>(value: V) -> V {
    let mut rows = [value];
    inclusive_rows::<V, O, W, 1>(&mut rows);
    rows[0]
}

/// The exclusive scan of which `inclusive` is the inclusive one: what the lane before has, and the
/// identity for the first.
#[inline(always)]
pub fn exclusive_of<V: Value, O: Operator<V>, W: Warps>(inclusive: V) -> V {
    if W::alone() {
        return O::identity();
    }
    let before = up(inclusive, 1);
    if lane() == 0 { O::identity() } else { before }
}

/// All lanes' values combined, the last lane's first: for windows that look backwards. Every lane
/// gets it.
#[inline(always)]
pub fn reduce_backwards<V: Value, O: Operator<V>, W: Warps>(value: V) -> V {
    if W::alone() {
        return value;
    }
    let lane = lane();
    let mut sum = value;
    let mut distance = 1;
    while distance < 32 {
        let later = down(sum, distance);
        if lane + distance < W::width() {
            sum = O::combine(later, sum);
        }
        distance *= 2;
    }
    broadcast::<V, W>(sum, 0)
}

/// All lanes' values combined in the order of the lanes. Every lane gets it.
#[inline(always)]
pub fn reduce<V: Value, O: Operator<V>, W: Warps>(value: V) -> V {
    broadcast::<V, W>(inclusive::<V, O, W>(value), W::width() - 1)
}
