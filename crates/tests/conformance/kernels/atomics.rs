//! Atomics: the types, the mid-level functions and the intrinsics.

use core::sync::atomic::Ordering;
use cuda_std::atomic::{intrinsics, mid, AtomicF32, AtomicF64, BlockAtomicF32, SystemAtomicF32};
use cuda_std::prelude::*;
use cuda_std::shared_array;

/// Bins of the histograms.
pub const BINS: usize = 16;

/// Counts values into `bins`, which must be zero initially.
#[kernel]
pub unsafe fn histogram(input: &[u8], bins: *mut u32) {
    let i = thread::index_1d() as usize;
    if i < input.len() {
        let bin = bins.add(input[i] as usize % BINS);
        mid::atomic_fetch_add_u32_device(bin, Ordering::Relaxed, 1);
    }
}

/// Counts in shared memory first, then adds the block's counts to `bins`.
#[kernel]
pub unsafe fn histogram_by_blocks(input: &[u8], bins: *mut u32) {
    let local = shared_array![u32; BINS];
    let mut bin = thread::thread_idx_x() as usize;
    while bin < BINS {
        intrinsics::atomic_store_relaxed_32_block(local.add(bin), 0);
        bin += thread::block_dim_x() as usize;
    }
    thread::sync_threads();
    let i = thread::index_1d() as usize;
    if i < input.len() {
        let bin = local.add(input[i] as usize % BINS);
        intrinsics::atomic_fetch_add_relaxed_u32_block(bin, 1);
    }
    thread::sync_threads();
    let mut bin = thread::thread_idx_x() as usize;
    while bin < BINS {
        let count = intrinsics::atomic_load_relaxed_32_block(local.add(bin));
        intrinsics::atomic_fetch_add_relaxed_u32_device(bins.add(bin), count);
        bin += thread::block_dim_x() as usize;
    }
}

/// Sums with the float types: `f32[0]` at device scope, `f32[1]` at system scope, `f32[2]` per
/// block, and `f64[0]`.
#[kernel]
pub unsafe fn float_sums(input: &[f32], sums: *mut f32, sum64: *mut f64) {
    let of_block = shared_array![f32; 1];
    let of_block = &*(of_block as *const BlockAtomicF32);
    if thread::thread_idx_x() == 0 {
        of_block.store(0.0, Ordering::Relaxed);
    }
    thread::sync_threads();
    let i = thread::index_1d() as usize;
    let device = &*(sums as *const AtomicF32);
    if i < input.len() {
        let system = &*(sums.add(1) as *const SystemAtomicF32);
        let wide = &*(sum64 as *const AtomicF64);
        device.fetch_add(input[i], Ordering::Relaxed);
        system.fetch_sub(-input[i], Ordering::SeqCst);
        wide.fetch_add(input[i] as f64, Ordering::AcqRel);
        of_block.fetch_add(input[i], Ordering::Relaxed);
    }
    thread::sync_threads();
    if thread::thread_idx_x() == 0 {
        let all = &*(sums.add(2) as *const AtomicF32);
        all.fetch_add(of_block.load(Ordering::Acquire), Ordering::Release);
    }
}

/// Initial values for [`extremes`]: and, or, xor, min, max, sub, and the last value exchanged.
pub const EXTREMES_START: [i32; 7] = [-1, 0, 0, i32::MAX, i32::MIN, 0, -1];

/// Performs the other operations, each on its own word; at device scope, except for one at system
/// scope.
#[kernel]
pub unsafe fn extremes(input: &[i32], words: *mut i32) {
    let i = thread::index_1d() as usize;
    if i < input.len() {
        let x = input[i];
        mid::atomic_fetch_and_i32_device(words, Ordering::Relaxed, x);
        mid::atomic_fetch_or_i32_device(words.add(1), Ordering::Acquire, x);
        mid::atomic_fetch_xor_i32_device(words.add(2), Ordering::Release, x);
        mid::atomic_fetch_min_i32_device(words.add(3), Ordering::AcqRel, x);
        mid::atomic_fetch_max_i32_system(words.add(4), Ordering::SeqCst, x);
        mid::atomic_fetch_sub_i32_device(words.add(5), Ordering::Relaxed, x);
        mid::atomic_fetch_exch_i32_device(words.add(6), Ordering::Relaxed, x);
    }
}

/// Adds one to `count` under a lock in `lock`, a word that is zero initially, once per block.
#[kernel]
pub unsafe fn locked_count(lock: *mut u32, count: *mut u32) {
    if thread::thread_idx_x() == 0 {
        while intrinsics::atomic_fetch_cas_acquire_u32_device(lock, 0, 1) != 0 {
            thread::nanosleep(20);
        }
        *count += thread::block_dim_x();
        mid::atomic_store_32_device(lock, Ordering::Release, 0);
    }
}
