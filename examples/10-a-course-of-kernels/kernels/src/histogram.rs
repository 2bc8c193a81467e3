//! Lesson 1: atomics, and shared memory whose size the launch chooses.

use cuda_std::{prelude::*, shared::dynamic_shared_mem};

/// Counts how often each value comes. A block counts in its own memory, where only its threads
/// meet, and adds what it has at the end. The launch gives each block 4 bytes of dynamic shared
/// memory for each bin.
#[kernel]
pub unsafe fn count(values: View<u32>, counts: ViewMut<u32>) {
    let bins = counts.len();
    // SAFETY: the launch gives a block that much, and nothing else in this kernel uses it.
    let own = unsafe { SharedView::from_raw_parts(dynamic_shared_mem::<u32>(), bins) };
    let (thread, threads) = (
        thread::thread_idx_x() as usize,
        thread::block_dim_x() as usize,
    );
    let mut bin = thread;
    while bin < bins {
        own.write(bin, 0);
        bin += threads;
    }
    thread::sync_threads();
    // any number of blocks does: each thread takes every so many values
    let mut i = thread::index_1d() as usize;
    while i < values.len() {
        let bin = values.read(i) as usize;
        if bin < bins {
            own.atomic_add(bin, 1);
        }
        i += threads * thread::grid_dim_x() as usize;
    }
    thread::sync_threads();
    let mut bin = thread;
    while bin < bins {
        counts.atomic_add(bin, own.read(bin));
        bin += threads;
    }
}
