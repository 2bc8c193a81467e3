//! Lesson 2: warp operations.

use cuda_std::{prelude::*, shared_view, warp};

/// Mask of all 32 lanes.
const WARP: u32 = 0xffff_ffff;

/// Sums the elements that a block's threads read from `values` into `sums`, one sum per block.
/// Blocks consist of whole warps, at most 32.
#[kernel]
pub unsafe fn sum(values: View<f32>, sums: ViewMut<f32>) {
    let of_warps = shared_view![f32; 32];
    let mut own = 0.0;
    let mut i = thread::index_1d() as usize;
    while i < values.len() {
        own += values.read(i);
        i += (thread::block_dim_x() * thread::grid_dim_x()) as usize;
    }
    own = add_lanes(own);
    let (lane, warp) = (warp::lane_id(), thread::thread_idx_x() / 32);
    if lane == 0 {
        of_warps.write(warp as usize, own);
    }
    thread::sync_threads();
    // the first warp sums the warps' results
    if warp == 0 {
        let is_there = lane < thread::block_dim_x() / 32;
        let total = add_lanes(if is_there {
            of_warps.read(lane as usize)
        } else {
            0.0
        });
        if lane == 0 {
            sums.write(thread::block_idx_x() as usize, total);
        }
    }
}

/// Returns the sum over a warp, in its lane 0: in each of five steps each lane adds another lane's
/// value, without memory.
#[inline(always)]
fn add_lanes(mut value: f32) -> f32 {
    let mut distance = 16;
    while distance > 0 {
        // SAFETY: whole warps make this call.
        let (other, _) = unsafe { warp::warp_shuffle_down(WARP, value, distance, 32) };
        value += other;
        distance /= 2;
    }
    value
}
