//! A sum per block, by halving in shared memory.

use cuda_std::prelude::*;
use cuda_std::shared_array;

/// Maximum number of threads per block.
pub const MAX_THREADS: usize = 1024;

/// Stores the sum of each block's elements in `sums[block]`. The number of threads per block must
/// be a power of two.
#[kernel]
pub unsafe fn block_sum(input: &[f32], sums: *mut f32) {
    let partial = shared_array![f32; MAX_THREADS];
    let lane = thread::thread_idx_x() as usize;
    let i = thread::index_1d() as usize;
    *partial.add(lane) = if i < input.len() { input[i] } else { 0.0 };
    thread::sync_threads();

    let mut half = thread::block_dim_x() as usize / 2;
    while half > 0 {
        if lane < half {
            *partial.add(lane) += *partial.add(lane + half);
        }
        thread::sync_threads();
        half /= 2;
    }
    if lane == 0 {
        *sums.add(thread::block_idx_x() as usize) = *partial;
    }
}
