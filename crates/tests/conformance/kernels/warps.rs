//! Lanes of a warp.

use cuda_std::prelude::*;
use cuda_std::shared_array;
use cuda_std::warp;

/// Stores each thread's lane.
#[kernel]
pub unsafe fn lanes(output: *mut u32) {
    *output.add(thread::index_1d() as usize) = warp::lane_id();
}

/// Rotates the elements of every warp by one lane. Blocks must be whole warps, at most 512 threads.
#[kernel]
pub unsafe fn rotate_warps(data: *mut u32) {
    let values = shared_array![u32; 512];
    let thread = thread::thread_idx_x() as usize;
    let i = thread::index_1d() as usize;
    let lane = warp::lane_id() as usize;
    *values.add(thread) = *data.add(i);
    warp::sync_warp(u32::MAX);
    *data.add(i) = *values.add(thread - lane + (lane + 1) % thread::warp_size() as usize);
}
