//! The entry points of the single-pass scan, and the shapes of their tiles.

use super::{
    scheduler::TileJob,
    single_pass::scan_tiles,
    specialised::{LOOK_BACK_THREADS, SLOTS, scan_tiles_specialised},
};
use crate::operator::{Keyed, Lift, Max, Min, Operator, Order, Sum, Value};
use cuda_std::{KernelType, View, ViewMut, kernel, thread};

/// What a block of a single-pass kernel is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockShape {
    /// Threads at most. More warps wait longer for one another, fewer publish too many tiles.
    pub max_threads: u32,
    /// Threads that hold no elements.
    pub look_back_threads: u32,
    /// Elements of a whole tile for each other thread.
    pub items: u32,
    /// Tiles that dynamic shared memory has room for.
    pub slots: u32,
}

impl BlockShape {
    /// Of [`scan_tiles`], whose tiles are in registers, but for the one on its way.
    const fn in_registers(items: u32) -> Self {
        Self {
            max_threads: 512,
            look_back_threads: 0,
            items,
            slots: 1,
        }
    }

    /// Of [`scan_tiles_specialised`], whose tiles are in shared memory.
    const fn specialised(max_threads: u32, items: u32) -> Self {
        Self {
            max_threads,
            look_back_threads: LOOK_BACK_THREADS,
            items,
            slots: SLOTS as u32,
        }
    }
}

/// For the kernels that sum 32-bit values.
pub const WORDS: BlockShape = BlockShape::in_registers(32);
/// For the kernels that sum flags or counts into 32-bit values.
pub const INTO_WORDS: BlockShape = BlockShape::in_registers(28);
/// For the kernel that sums 64-bit integers.
pub const LONGS: BlockShape = BlockShape::specialised(512, 18);
/// For the kernel that sums 64-bit floating-point numbers.
pub const DOUBLES: BlockShape = BlockShape::specialised(512, 16);
/// For the kernels that sum flags or counts into 64-bit values.
pub const INTO_LONGS: BlockShape = BlockShape::in_registers(12);
/// For the kernels for extremes of 32-bit values.
pub const WORD_EXTREMES: BlockShape = BlockShape::specialised(896, 16);
/// For the kernels for extremes of 64-bit values.
pub const LONG_EXTREMES: BlockShape = BlockShape::specialised(512, 16);

/// Vectors of `vector` elements of a thread.
const fn rows(shape: BlockShape, vector: usize) -> usize {
    shape.items as usize / vector
}

/// Sums `job.count` values of 32 bits in a single pass; see [`scan_tiles`]. Sums of integers that
/// wrap around have the same bits with and without a sign.
///
/// A thread has 8 vectors of 4 elements. Per element 4 bytes are read and 4 written. `input` and
/// `output` may be the same memory.
///
/// # Safety
/// `input` and `output` have `job.count` elements, `states` a header and a word for each tile,
/// `total` one element; each thread has dynamic shared memory for its elements of a tile; `job` and
/// `states` fit together, see [`TileStates`](super::look_back::TileStates).
#[kernel(V = [u32, f32])]
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
    sums::<V, V, 4, { rows(WORDS, 4) }>(input, output, initial, job, states, total);
}

/// Sums `job.count` integers of 64 bits in a single pass; see [`scan_tiles_specialised`] and
/// [`sum_words`].
///
/// A thread has 9 vectors of 2 elements. Per element 8 bytes are read and 8 written. `input` and
/// `output` may be the same memory.
///
/// # Safety
/// As [`sum_words`], with two words for each tile.
#[kernel]
pub unsafe fn sum_longs(
    input: View<u64>,
    output: ViewMut<u64>,
    initial: u64,
    job: TileJob,
    states: ViewMut<u64>,
    total: ViewMut<u64>,
) {
    long_sums::<u64, { rows(LONGS, 2) }>(input, output, initial, job, states, total);
}

/// [`sum_longs`] of floating-point numbers; a thread has 8 vectors of 2 elements, as many as fit in
/// its registers beside what adds up in one order.
///
/// # Safety
/// As [`sum_longs`].
#[kernel]
pub unsafe fn sum_doubles(
    input: View<f64>,
    output: ViewMut<f64>,
    initial: f64,
    job: TileJob,
    states: ViewMut<u64>,
    total: ViewMut<f64>,
) {
    long_sums::<f64, { rows(DOUBLES, 2) }>(input, output, initial, job, states, total);
}

#[inline(always)]
fn long_sums<V: Value, const ROWS: usize>(
    input: View<V>,
    output: ViewMut<V>,
    initial: V,
    job: TileJob,
    states: ViewMut<u64>,
    total: ViewMut<V>,
) where
    Sum: Operator<V>,
{
    let inclusive = job.inclusive != 0;
    let lift = |item: V| item;
    let put = |before: V, through: V| if inclusive { through } else { before };
    let put_total = |sum: V| total.write(0, sum);
    scan_tiles_specialised::<V, V, Sum, V, 2, ROWS, 128>(
        input, output, initial, job, states, lift, put, put_total,
    );
}

/// The least so far, in an order of 32-bit values, of `job.count` elements, in a single pass; see
/// [`scan_tiles_specialised`]. The order says what the bits are, and may be reversed: then it is
/// the greatest.
///
/// A thread has 4 vectors of 4 elements; otherwise as [`sum_words`].
///
/// # Safety
/// As [`sum_words`].
#[kernel]
pub unsafe fn word_extremes(
    input: View<u32>,
    output: ViewMut<u32>,
    initial: u32,
    job: TileJob,
    states: ViewMut<u64>,
    total: ViewMut<u32>,
    order: Order<u32>,
) {
    extremes::<u32, 4, { rows(WORD_EXTREMES, 4) }, 72>(
        input, output, initial, job, states, total, order,
    );
}

/// [`word_extremes`] of 64-bit values; a thread has 8 vectors of 2 elements.
///
/// # Safety
/// As [`sum_longs`].
#[kernel]
pub unsafe fn long_extremes(
    input: View<u64>,
    output: ViewMut<u64>,
    initial: u64,
    job: TileJob,
    states: ViewMut<u64>,
    total: ViewMut<u64>,
    order: Order<u64>,
) {
    extremes::<u64, 2, { rows(LONG_EXTREMES, 2) }, 128>(
        input, output, initial, job, states, total, order,
    );
}

#[inline(always)]
fn extremes<Bits: Value + Keyed, const N: usize, const ROWS: usize, const MOST_REGISTERS: u32>(
    input: View<Bits>,
    output: ViewMut<Bits>,
    initial: Bits,
    job: TileJob,
    states: ViewMut<u64>,
    total: ViewMut<Bits>,
    order: Order<Bits>,
) where
    Min: Operator<Bits>,
{
    let inclusive = job.inclusive != 0;
    let lift = |bits: Bits| bits.key(&order);
    let put = |before: Bits, through: Bits| {
        Bits::of_key(if inclusive { through } else { before }, &order)
    };
    let put_total = |key: Bits| total.write(0, Bits::of_key(key, &order));
    let initial = lift(initial);
    scan_tiles_specialised::<Bits, Bits, Min, Bits, N, ROWS, MOST_REGISTERS>(
        input, output, initial, job, states, lift, put, put_total,
    );
}

/// The sums of elements of a type in their own or another.
#[inline(always)]
fn sums<I: Lift<V>, V: Value, const N: usize, const ROWS: usize>(
    input: View<I>,
    output: ViewMut<V>,
    initial: V,
    job: TileJob,
    states: ViewMut<u64>,
    total: ViewMut<V>,
) where
    Sum: Operator<V>,
{
    let inclusive = job.inclusive != 0;
    let lift = |item: I| item.lift();
    let put = |before: V, through: V| if inclusive { through } else { before };
    let put_total = |sum: V| total.write(0, sum);
    scan_tiles::<I, V, Sum, V, N, ROWS, 128>(
        input, output, initial, job, states, lift, put, put_total,
    );
}

/// Sums `job.count` flags or counts into 32 bits in a single pass; see [`scan_tiles`].
///
/// A thread has 7 vectors of 4 elements. Per element 1 or 2 bytes are read and 4 written.
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
    sums::<I, u32, 4, { rows(INTO_WORDS, 4) }>(input, output, initial, job, states, total);
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
    sums::<I, u64, 2, { rows(INTO_LONGS, 2) }>(input, output, initial, job, states, total);
}

/// Combines `offset` with what is in `data`, which comes after it: the last step of a scan in
/// parts.
///
/// Blocks stride over groups of 4 elements for each thread, a block's width apart. Each element is
/// read and written once.
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
