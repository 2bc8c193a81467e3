//! What the threads of one warp do together. No algorithm is known here.

mod scan;

pub use scan::{
    AnyWarps, FullWarps, Warps, ballot, broadcast, down, exclusive_of, inclusive, inclusive_rows,
    lane, reduce, reduce_backwards, up,
};

use crate::operator::Sum;
use cuda_std::thread;

/// The lanes of the calling thread's warp that exist: all 32, but for the last warp of a block whose size is no multiple
/// of 32.
#[inline(always)]
pub fn lanes() -> u32 {
    let first = thread::thread_idx_x() & !31;
    let rest = thread::block_dim_x() - first;
    if rest >= 32 {
        u32::MAX
    } else {
        (1 << rest) - 1
    }
}

/// The inclusive sum over the lanes up to and including the calling one.
///
/// Five shuffles of each word; nothing in memory. Every lane of the warp must call it. Blocks are one-dimensional.
#[inline(always)]
pub fn inclusive_sum(value: u64) -> u64 {
    inclusive::<u64, Sum, AnyWarps>(value)
}
