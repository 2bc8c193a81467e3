//! Lesson 1: atomics, and shared memory whose size is chosen at launch.

use cuda_std::{prelude::*, shared::dynamic_shared_mem};

/// Counts the occurrences of each value. A block counts in shared memory, where only its own
/// threads contend, and finally adds its counts to the result. The launch provides each block with
/// 4 bytes of dynamic shared memory per bin.
#[kernel]
pub unsafe fn count(values: View<u32>, counts: ViewMut<u32>) {
    let bins = counts.len();
    // SAFETY: the launch provides this size, and nothing else in this kernel uses it.
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
    // grid-stride loop: works with any number of blocks
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
