//! The entry points of the single-pass scan, and the shapes of their tiles.

use super::{
    dealing::{Dealt, TileJob},
    single_pass::{scan_stretches, scan_tiles},
};
use crate::operator::{Lift, Max, Min, Operator, Sum, Value};
use cuda_std::{KernelType, View, ViewMut, kernel, thread};

/// Elements for each thread of the kernels that sum into 32-bit values.
pub const WORD_ITEMS: usize = 32;
/// Elements for each thread of the kernels that sum into 64-bit values.
pub const LONG_ITEMS: usize = 12;
/// Elements for each thread of the kernels for extremes of 32-bit values.
pub const WORD_EXTREME_ITEMS: usize = 16;
/// Elements for each thread of the kernels for extremes of 64-bit values.
pub const LONG_EXTREME_ITEMS: usize = 8;

/// Sums `job.count` values of 32 bits in a single pass; see [`scan_tiles`].
///
/// A thread has 8 vectors of 4 elements. Per element 4 bytes are read and 4 written. `input` and `output` may be the same
/// memory.
///
/// # Safety
/// `input` and `output` have `job.count` elements, `states` a header and a word for each tile, `total` one element; each
/// thread has dynamic shared memory for its elements of a tile; `job` and `states` fit together, see
/// [`TileStates`](super::look_back::TileStates).
#[kernel(V = [u32, i32, f32])]
pub unsafe fn sum_words<V: Value + Lift<V> + KernelType>(
    input: View<V>,
    output: ViewMut<V>,
    initial: V,
    job: TileJob,
    states: ViewMut<u64>,
    total: ViewMut<V>,
) where
    Sum: Operator<V>,
{
    scan_tiles::<V, V, Sum, 4, { WORD_ITEMS / 4 }, 128>(input, output, initial, job, states, total);
}

/// Sums `job.count` values of 64 bits in a single pass; see [`scan_tiles`].
///
/// A thread has 6 vectors of 2 elements. Per element 8 bytes are read and 8 written. `input` and `output` may be the same
/// memory.
///
/// # Safety
/// As [`sum_words`], with two words for each tile.
#[kernel(V = [u64, i64, f64])]
pub unsafe fn sum_longs<V: Value + Lift<V> + KernelType>(
    input: View<V>,
    output: ViewMut<V>,
    initial: V,
    job: TileJob,
    states: ViewMut<u64>,
    total: ViewMut<V>,
) where
    Sum: Operator<V>,
{
    scan_tiles::<V, V, Sum, 2, { LONG_ITEMS / 2 }, 128>(input, output, initial, job, states, total);
}

/// Finds the least or the greatest so far of `job.count` values of 32 bits, in a single pass; see [`scan_tiles`].
///
/// A thread has 4 vectors of 4 elements; otherwise as [`sum_words`].
///
/// # Safety
/// As [`sum_words`].
#[kernel(V = [u32, i32, f32], O = [Min, Max])]
pub unsafe fn word_extremes<V: Value + Lift<V> + KernelType, O: Operator<V> + KernelType>(
    input: View<V>,
    output: ViewMut<V>,
    initial: V,
    job: TileJob,
    states: ViewMut<u64>,
    total: ViewMut<V>,
) {
    scan_tiles::<V, V, O, 4, { WORD_EXTREME_ITEMS / 4 }, 128>(
        input, output, initial, job, states, total,
    );
}

/// Finds the least or the greatest so far of `job.count` values of 64 bits, in a single pass; see [`scan_tiles`].
///
/// A thread has 4 vectors of 2 elements; otherwise as [`sum_longs`].
///
/// # Safety
/// As [`sum_longs`].
#[kernel(V = [u64, i64, f64], O = [Min, Max])]
pub unsafe fn long_extremes<V: Value + Lift<V> + KernelType, O: Operator<V> + KernelType>(
    input: View<V>,
    output: ViewMut<V>,
    initial: V,
    job: TileJob,
    states: ViewMut<u64>,
    total: ViewMut<V>,
) {
    scan_tiles::<V, V, O, 2, { LONG_EXTREME_ITEMS / 2 }, 128>(
        input, output, initial, job, states, total,
    );
}

/// Sums `job.count` flags or counts into 32 bits in a single pass; see [`scan_tiles`].
///
/// A thread has 8 vectors of 4 elements. Per element 1 or 2 bytes are read and 4 written.
///
/// # Safety
/// As [`sum_words`].
#[kernel(I = [u8, u16])]
pub unsafe fn sum_into_words<I: Lift<u32> + KernelType>(
    input: View<I>,
    output: ViewMut<u32>,
    initial: u32,
    job: TileJob,
    states: ViewMut<u64>,
    total: ViewMut<u32>,
) {
    scan_tiles::<I, u32, Sum, 4, { WORD_ITEMS / 4 }, 128>(
        input, output, initial, job, states, total,
    );
}

/// Sums `job.count` flags or counts into 64 bits in a single pass; see [`scan_tiles`].
///
/// A thread has 6 vectors of 2 elements. Per element 1, 2 or 4 bytes are read and 8 written.
///
/// # Safety
/// As [`sum_words`], with two words for each tile.
#[kernel(I = [u8, u16, u32])]
pub unsafe fn sum_into_longs<I: Lift<u64> + KernelType>(
    input: View<I>,
    output: ViewMut<u64>,
    initial: u64,
    job: TileJob,
    states: ViewMut<u64>,
    total: ViewMut<u64>,
) {
    scan_tiles::<I, u64, Sum, 2, { LONG_ITEMS / 2 }, 128>(
        input, output, initial, job, states, total,
    );
}

/// Elements for each thread of [`sum_few_longs`].
pub const FEW_ITEMS: usize = 8;

/// The exclusive sums of `job.count` values of 64 bits, in place, for inputs that are too short for speed to matter: a kernel that a
/// driver compiles in a third of the time of [`sum_longs`].
///
/// A thread has neighbouring elements, which it reads twice and writes once.
///
/// # Safety
/// `data` has `job.count` elements; otherwise as [`sum_longs`], without dynamic shared memory.
#[kernel]
pub unsafe fn sum_few_longs(
    data: ViewMut<u64>,
    job: TileJob,
    states: ViewMut<u64>,
    total: ViewMut<u64>,
) {
    let dealt = Dealt::first(states, job);
    let put = |_, before: u64, _| before;
    let put_total = |sum| total.write(0, sum);
    scan_stretches::<u64, u64, Sum, u64>(data.as_view(), 0, job, dealt, data, put, put_total);
}

/// Combines `offset` with what is in `data`, which comes after it: the last step of a scan in parts.
///
/// Blocks stride over groups of 4 elements for each thread, a block's width apart. Each element is read and written once.
///
/// # Safety
/// Nothing else uses `data`.
#[kernel(V = [u32, i32, u64, i64, f32, f64], O = [Sum, Min, Max])]
pub unsafe fn add_offset<V: Value + KernelType, O: Operator<V> + KernelType>(
    offset: V,
    data: ViewMut<V>,
) {
    let threads = thread::block_dim_x() as u64;
    let mut start = thread::block_idx_x() as u64 * threads * OFFSET_ITEMS;
    while start < data.len() as u64 {
        let mut item = 0;
        while item < OFFSET_ITEMS {
            let at = (start + item * threads + thread::thread_idx_x() as u64) as usize;
            if at < data.len() {
                data.write(at, O::combine(offset, data.read(at)));
            }
            item += 1;
        }
        start += thread::grid_dim_x() as u64 * threads * OFFSET_ITEMS;
    }
}

/// Elements for each thread of [`add_offset`] at a time.
pub const OFFSET_ITEMS: u64 = 4;
