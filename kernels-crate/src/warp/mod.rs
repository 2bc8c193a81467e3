//! What the threads of one warp do together. No algorithm is known here.

use cuda_std::{thread, warp};

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
/// Five shuffles; nothing in memory. Every lane of the warp must call it. Blocks are one-dimensional.
#[inline(always)]
pub fn inclusive_sum(value: u64) -> u64 {
    let mask = lanes();
    let lane = thread::thread_idx_x() & 31;
    let mut sum = value;
    let mut distance = 1;
    while distance < 32 {
        // SAFETY: `mask` names the lanes of this warp that exist, and all of them come here.
        let (below, _) = unsafe { warp::warp_shuffle_up(mask, sum, distance, 32) };
        if lane >= distance {
            sum += below;
        }
        distance *= 2;
    }
    sum
}
