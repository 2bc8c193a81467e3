//! Barrier reductions, fences, and polling.

use core::sync::atomic::Ordering;
use cuda_std::atomic::mid;
use cuda_std::prelude::*;
use cuda_std::shared_array;

/// Stores three words per block: the number of even elements, and whether all and any are even (0
/// or 1).
#[kernel]
pub unsafe fn count_even(input: &[u32], results: *mut u32) {
    let i = thread::index_1d() as usize;
    let even = (i < input.len() && input[i] & 1 == 0) as u32;
    let count = thread::sync_threads_count(even);
    let all = thread::sync_threads_and(even);
    let any = thread::sync_threads_or(even);
    if thread::thread_idx_x() == 0 {
        let of_block = results.add(3 * thread::block_idx_x() as usize);
        *of_block = count;
        *of_block.add(1) = (all != 0) as u32;
        *of_block.add(2) = (any != 0) as u32;
    }
}

/// Sums one element per block into `partial`; the last block to finish adds up the partial sums, so
/// that one launch suffices. `finished` is a word that is zero initially.
#[kernel]
pub unsafe fn sum_in_one_launch(
    input: &[u32],
    partial: *mut u32,
    finished: *mut u32,
    total: *mut u32,
) {
    let is_last = shared_array![u32; 1];
    let block = thread::block_idx_x() as usize;
    if thread::thread_idx_x() == 0 {
        let threads = thread::block_dim_x() as usize;
        let mut sum = 0;
        let mut i = block * threads;
        while i < input.len() && i < (block + 1) * threads {
            sum += input[i];
            i += 1;
        }
        mid::atomic_store_32_device(partial.add(block), Ordering::Relaxed, sum);
        thread::device_fence();
        let before = mid::atomic_fetch_add_u32_device(finished, Ordering::AcqRel, 1);
        *is_last = (before + 1 == thread::grid_dim_x()) as u32;
    }
    thread::sync_threads();
    if *is_last == 1 && thread::thread_idx_x() == 0 {
        let mut sum = 0;
        for block in 0..thread::grid_dim_x() {
            sum += mid::atomic_load_32_device(partial.add(block as usize), Ordering::Acquire);
        }
        thread::grid_fence();
        *total = sum;
        thread::system_fence();
    }
}

/// The last thread of each block passes a value to the first one through `mailbox`, one word per
/// block that is zero initially, and the first thread polls it. On devices without independent
/// thread scheduling the threads must belong to different warps.
#[kernel]
pub unsafe fn hand_over(mailbox: *mut u32, received: *mut u32) {
    let block = thread::block_idx_x() as usize;
    let mailbox = mailbox.add(block);
    let lane = thread::thread_idx_x();
    if lane == 0 {
        let mut value = 0;
        while value == 0 {
            value = mid::atomic_load_32_device(mailbox, Ordering::Acquire);
            thread::nanosleep(10);
        }
        *received.add(block) = value;
    }
    if lane == thread::block_dim_x() - 1 {
        mid::atomic_store_32_device(mailbox, Ordering::Release, 100 + block as u32);
    }
}
