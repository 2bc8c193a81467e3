//! Shared memory as statics and as the launch's dynamic allocation, and constant memory.

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use cuda_std::address_space;
use cuda_std::mem::dynamic_smem_size;
use cuda_std::prelude::*;
use cuda_std::shared::dynamic_shared_mem;

/// Number of elements of the shared statics, and maximum number of threads per block.
pub const STATIC_LEN: usize = 256;

#[address_space(shared)]
static mut REVERSED: [i32; STATIC_LEN] = [0; STATIC_LEN];

/// Reverses the elements of each block, which must be whole.
#[kernel]
pub unsafe fn reverse_blocks(data: *mut i32) {
    let lane = thread::thread_idx_x() as usize;
    let threads = thread::block_dim_x() as usize;
    let i = thread::index_1d() as usize;
    REVERSED[threads - 1 - lane] = *data.add(i);
    thread::sync_threads();
    *data.add(i) = REVERSED[lane];
}

struct Neighbours(UnsafeCell<MaybeUninit<[f32; STATIC_LEN]>>);

// Shared memory belongs to one block, and the kernel below separates its accesses by barriers.
unsafe impl Sync for Neighbours {}

#[address_space(shared)]
static NEIGHBOURS: Neighbours = Neighbours(UnsafeCell::new(MaybeUninit::uninit()));

/// Computes the mean of each element and its two neighbours within the block, wrapping around.
#[kernel]
pub unsafe fn smooth_blocks(input: &[f32], output: *mut f32) {
    let values = NEIGHBOURS.0.get() as *mut f32;
    let lane = thread::thread_idx_x() as usize;
    let threads = thread::block_dim_x() as usize;
    let i = thread::index_1d() as usize;
    *values.add(lane) = if i < input.len() { input[i] } else { 0.0 };
    thread::sync_threads();
    if i < input.len() {
        let before = *values.add((lane + threads - 1) % threads);
        let after = *values.add((lane + 1) % threads);
        *output.add(i) = (before + *values.add(lane) + after) / 3.0;
    }
}

/// Computes an inclusive scan of each block in dynamic shared memory, with two buffers of one `u64`
/// per thread. A launch that allocates less does nothing.
#[kernel]
pub unsafe fn scan_blocks(input: &[u64], output: *mut u64) {
    let threads = thread::block_dim_x() as usize;
    if (dynamic_smem_size() as usize) < 2 * threads * core::mem::size_of::<u64>() {
        return;
    }
    let mut from = dynamic_shared_mem::<u64>();
    let mut to = from.add(threads);
    let lane = thread::thread_idx_x() as usize;
    let i = thread::index_1d() as usize;
    *from.add(lane) = if i < input.len() { input[i] } else { 0 };
    thread::sync_threads();
    let mut distance = 1;
    while distance < threads {
        let mut sum = *from.add(lane);
        if lane >= distance {
            sum += *from.add(lane - distance);
        }
        *to.add(lane) = sum;
        thread::sync_threads();
        core::mem::swap(&mut from, &mut to);
        distance *= 2;
    }
    if i < input.len() {
        *output.add(i) = *from.add(lane);
    }
}

/// Binomial weights, which the host may replace.
#[address_space(constant)]
pub static WEIGHTS: [f32; 5] = [0.0625, 0.25, 0.375, 0.25, 0.0625];

/// Convolves with `WEIGHTS`, treating the input beyond its ends as zero.
#[kernel]
pub unsafe fn convolve(input: &[f32], output: *mut f32) {
    let i = thread::index_1d() as usize;
    if i < input.len() {
        let mut sum = 0.0;
        for (k, weight) in WEIGHTS.iter().enumerate() {
            let j = i + k;
            if j >= 2 && j - 2 < input.len() {
                sum += weight * input[j - 2];
            }
        }
        *output.add(i) = sum;
    }
}
