//! Collective operations of a warp.

mod scan;

pub use scan::{
    AnyWarps, FullWarps, Warps, ballot, broadcast, exclusive_from_inclusive, inclusive,
    inclusive_rows, lane, reduce, reduce_backwards, shuffle_down, shuffle_up,
};

use cuda_std::thread;

/// Returns a mask of the lanes of the calling thread's warp that exist: all 32, except in the last
/// warp of a block whose size is not a multiple of 32.
#[inline(always)]
pub fn lanes() -> u32 {
    let first = thread::thread_idx_x() & !31;
    let remaining = thread::block_dim_x() - first;
    if remaining >= 32 {
        u32::MAX
    } else {
        (1 << remaining) - 1
    }
}
