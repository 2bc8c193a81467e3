//! What the threads of one block do together. No algorithm is known here.

use crate::warp;
use cuda_std::{shared_view, thread};

/// A thread's place in a sum over its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockSum {
    /// The sum over the threads before the calling one.
    pub before: u64,
    /// The sum over all threads of the block.
    pub total: u64,
}

/// The exclusive sum over the threads of a one-dimensional block of any size up to 1024.
///
/// Warps scan by shuffles, then the first warp scans the sums of the warps, in 264 bytes of shared memory. Three barriers,
/// so that it can be called again at once. Every thread of the block must call it.
#[inline(always)]
pub fn exclusive_sum(value: u64) -> BlockSum {
    let threads = thread::block_dim_x();
    if threads == 1 {
        return BlockSum {
            before: 0,
            total: value,
        };
    }
    let warp_sums = shared_view![u64; 33];
    let rank = thread::thread_idx_x();
    let (warp, lane) = ((rank / 32) as usize, rank % 32);
    let warps = threads.div_ceil(32);

    let inclusive = warp::inclusive_sum(value);
    if lane == 31 || rank + 1 == threads {
        warp_sums.write(warp, inclusive);
    }
    thread::sync_threads();
    if warp == 0 {
        let sum = if lane < warps {
            warp_sums.read(lane as usize)
        } else {
            0
        };
        let inclusive = warp::inclusive_sum(sum);
        if lane < warps {
            warp_sums.write(lane as usize, inclusive - sum);
        }
        if lane + 1 == warps {
            warp_sums.write(32, inclusive);
        }
    }
    thread::sync_threads();
    let sum = BlockSum {
        before: warp_sums.read(warp) + inclusive - value,
        total: warp_sums.read(32),
    };
    thread::sync_threads();
    sum
}
