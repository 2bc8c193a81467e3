//! Entry points of the single-pass sums, and the shapes of blocks.

use super::{
    scheduler::ScanJob,
    single_pass::scan_tiles,
    warp_specialised::{LOOK_BACK_THREADS, SLOTS, scan_tiles_warp_specialised},
};
use crate::operator::{Lift, Max, Min, Operator, Sum, Value};
use cuda_std::{KernelType, View, ViewMut, kernel, thread};

/// Launch parameters that a single-pass kernel is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockShape {
    /// Maximum number of threads. With more, warps wait longer for each other; with fewer, too many
    /// tiles are published.
    pub max_threads: u32,
    /// Threads that hold no elements but look back.
    pub look_back_threads: u32,
    /// Elements per tile and working thread.
    pub items: u32,
    /// Number of tiles that fit in dynamic shared memory.
    pub slots: u32,
}

impl BlockShape {
    /// Returns the shape for [`scan_tiles`], which keeps tiles in registers, except for the one
    /// being copied.
    const fn in_registers(items: u32) -> Self {
        Self {
            max_threads: 512,
            look_back_threads: 0,
            items,
            slots: 1,
        }
    }

    /// Returns the shape for [`scan_tiles_warp_specialised`], which keeps tiles in shared memory.
    pub(super) const fn warp_specialised(max_threads: u32, items: u32) -> Self {
        Self {
            max_threads,
            look_back_threads: LOOK_BACK_THREADS,
            items,
            slots: SLOTS as u32,
        }
    }
}

/// Shape of the kernel that sums 32-bit integers.
pub const SUM_32: BlockShape = BlockShape::in_registers(32);
/// Shape of the kernel that sums 32-bit floating-point numbers.
pub const SUM_F32: BlockShape = BlockShape::in_registers(32);
/// Shape of the kernels that sum flags or counts into 32-bit values.
pub const SUM_INTO_32: BlockShape = BlockShape::in_registers(28);
/// Shape of the kernels that sum 64-bit values. Two blocks fit on a multiprocessor, so that one of
/// them copies while the other scans.
pub const SUM_64: BlockShape = BlockShape::warp_specialised(256, 18);
/// Shape of the kernels that sum flags or counts into 64-bit values.
pub const SUM_INTO_64: BlockShape = BlockShape::in_registers(12);
/// Returns the number of vectors of `vector` elements per thread.
pub(super) const fn rows(shape: BlockShape, vector: usize) -> usize {
    shape.items as usize / vector
}

/// Scans `job.count` 32-bit integers by addition, in a single pass: see [`scan_tiles`]. Wrapping
/// sums of signed and unsigned integers have the same bits.
///
/// **Mapping:** 8 vectors of 4 elements per thread. **Traffic** per element: 4 bytes read, 4
/// written. `input` and `output` may be the same memory.
///
/// # Safety
/// `input` and `output` have `job.count` elements, `states` a header and one word per tile, `total`
/// one element; each thread has dynamic shared memory for its elements of a tile; `job` and
/// `states` match, see [`TileStates`](super::look_back::TileStates).
#[kernel(baseline)]
pub unsafe fn scan_sum_u32(
    input: View<u32>,
    output: ViewMut<u32>,
    initial: u32,
    job: ScanJob,
    states: ViewMut<u64>,
    total: ViewMut<u32>,
) {
    scan_sum::<u32, u32, 4, { rows(SUM_32, 4) }>(input, output, initial, job, states, total);
}

/// Works like [`scan_sum_u32`] for floating-point numbers, with 7 vectors of 4 elements per thread:
/// more do not fit in registers next to the summation in a fixed order.
///
/// # Safety
/// As for [`scan_sum_u32`].
#[kernel(baseline)]
pub unsafe fn scan_sum_f32(
    input: View<f32>,
    output: ViewMut<f32>,
    initial: f32,
    job: ScanJob,
    states: ViewMut<u64>,
    total: ViewMut<f32>,
) {
    scan_sum::<f32, f32, 4, { rows(SUM_F32, 4) }>(input, output, initial, job, states, total);
}

/// Scans 64-bit integers by addition, in a single pass: see [`scan_tiles_warp_specialised`] and
/// [`scan_sum_u32`].
///
/// **Mapping:** 9 vectors of 2 elements per thread. **Traffic** per element: 8 bytes read, 8
/// written. `input` and `output` may be the same memory.
///
/// # Safety
/// As for [`scan_sum_u32`], with two words per tile.
#[kernel(baseline)]
pub unsafe fn scan_sum_u64(
    input: View<u64>,
    output: ViewMut<u64>,
    initial: u64,
    job: ScanJob,
    states: ViewMut<u64>,
    total: ViewMut<u64>,
) {
    scan_sum_64::<u64>(input, output, initial, job, states, total);
}

/// Works like [`scan_sum_u64`] for floating-point numbers.
///
/// # Safety
/// As for [`scan_sum_u64`].
#[kernel(baseline)]
pub unsafe fn scan_sum_f64(
    input: View<f64>,
    output: ViewMut<f64>,
    initial: f64,
    job: ScanJob,
    states: ViewMut<u64>,
    total: ViewMut<f64>,
) {
    scan_sum_64::<f64>(input, output, initial, job, states, total);
}

#[cuda_std::inline_closures]
#[inline(always)]
fn scan_sum_64<V: Value>(
    input: View<V>,
    output: ViewMut<V>,
    initial: V,
    job: ScanJob,
    states: ViewMut<u64>,
    total: ViewMut<V>,
) where
    Sum: Operator<V>,
{
    let inclusive = job.inclusive != 0;
    let lift = |item: V| item;
    let output_of = |before: V, through: V| if inclusive { through } else { before };
    let write_total = |sum: V| total.write(0, sum);
    scan_tiles_warp_specialised::<V, Sum, 2, { rows(SUM_64, 2) }, 128>(
        input,
        output,
        initial,
        job,
        states,
        lift,
        output_of,
        write_total,
    );
}

/// Scans elements by addition, in their own type or a wider one.
#[cuda_std::inline_closures]
#[inline(always)]
fn scan_sum<I: Lift<V>, V: Value, const N: usize, const ROWS: usize>(
    input: View<I>,
    output: ViewMut<V>,
    initial: V,
    job: ScanJob,
    states: ViewMut<u64>,
    total: ViewMut<V>,
) where
    Sum: Operator<V>,
{
    let inclusive = job.inclusive != 0;
    let lift = |item: I| item.lift();
    let output_of = |before: V, through: V| if inclusive { through } else { before };
    let write_total = |sum: V| total.write(0, sum);
    scan_tiles::<I, V, Sum, V, N, ROWS, 128>(
        input,
        output,
        initial,
        job,
        states,
        lift,
        output_of,
        write_total,
    );
}

/// Scans `job.count` flags or counts by addition into 32 bits, in a single pass: see
/// [`scan_tiles`].
///
/// **Mapping:** 7 vectors of 4 elements per thread. **Traffic** per element: 1 or 2 bytes read, 4
/// written.
///
/// # Safety
/// As for [`scan_sum_u32`].
#[kernel(I = [u8, u16], baseline)]
pub unsafe fn scan_sum_into_32<I: Lift<u32> + KernelType>(
    input: View<I>,
    output: ViewMut<u32>,
    initial: u32,
    job: ScanJob,
    states: ViewMut<u64>,
    total: ViewMut<u32>,
) {
    scan_sum::<I, u32, 4, { rows(SUM_INTO_32, 4) }>(input, output, initial, job, states, total);
}

/// Scans `job.count` flags or counts by addition into 64 bits, in a single pass: see
/// [`scan_tiles`].
///
/// **Mapping:** 6 vectors of 2 elements per thread. **Traffic** per element: 1, 2 or 4 bytes read,
/// 8 written.
///
/// # Safety
/// As for [`scan_sum_u32`], with two words per tile.
#[kernel(I = [u8, u16, u32], baseline)]
pub unsafe fn scan_sum_into_64<I: Lift<u64> + KernelType>(
    input: View<I>,
    output: ViewMut<u64>,
    initial: u64,
    job: ScanJob,
    states: ViewMut<u64>,
    total: ViewMut<u64>,
) {
    scan_sum::<I, u64, 2, { rows(SUM_INTO_64, 2) }>(input, output, initial, job, states, total);
}

/// Replaces each element of `data` by the combination of `offset` and the element: the last step of
/// a scan of several parts.
///
/// **Mapping:** grid-stride loop over groups of 4 elements per thread, one block width apart.
/// **Traffic** per element: one read, one write.
///
/// # Safety
/// No other code accesses `data` concurrently.
#[kernel(V = [u32, i32, u64, i64, f32, f64], O = [Sum, Min, Max], baseline)]
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

/// Elements per thread and iteration of [`add_offset`].
pub const OFFSET_ITEMS: u64 = 4;
