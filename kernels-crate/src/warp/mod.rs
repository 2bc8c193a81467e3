//! What the threads of one warp do together. No algorithm is known here.

mod scan;

pub use scan::{
    AnyWarps, FullWarps, Warps, ballot, broadcast, down, exclusive_of, inclusive, inclusive_rows,
    lane, reduce, reduce_backwards, up,
};

use cuda_std::thread;

/// The lanes of the calling thread's warp that exist: all 32, but for the last warp of a block
/// whose size is no multiple of 32.
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
