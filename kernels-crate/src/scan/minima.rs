//! Entry points of single-pass minima and maxima.

use super::{
    kernels::{BlockShape, rows},
    scheduler::ScanJob,
    warp_specialised::scan_tiles_warp_specialised,
};
use crate::operator::{FloatOrder, IntegerOrder, Min, Operator, Order, Value};
use cuda_std::{View, ViewMut, kernel};

/// Shape of the kernel for minima of 32-bit keys.
pub const MIN_32: BlockShape = BlockShape::warp_specialised(896, 16);
/// Shape of the kernel for minima of 64-bit integers.
pub const MIN_64: BlockShape = BlockShape::warp_specialised(512, 18);
/// Shape of the kernel for minima of 64-bit floating-point numbers, whose keys need registers.
pub const MIN_F64: BlockShape = BlockShape::warp_specialised(512, 16);

/// Scans `job.count` 32-bit integers by minimum in the given order, in a single pass: see
/// [`scan_tiles_warp_specialised`]. The order defines the type of the values; a reversed order
/// yields the maximum.
///
/// **Mapping:** 4 vectors of 4 elements per thread, otherwise as
/// [`scan_sum_u32`](super::scan_sum_u32).
///
/// # Safety
/// As for [`scan_sum_u32`](super::scan_sum_u32).
#[kernel(baseline)]
pub unsafe fn scan_min_u32(
    input: View<u32>,
    output: ViewMut<u32>,
    initial: u32,
    job: ScanJob,
    states: ViewMut<u64>,
    total: ViewMut<u32>,
    order: IntegerOrder<u32>,
) {
    scan_min::<u32, _, 4, { rows(MIN_32, 4) }, 72>(
        input, output, initial, job, states, total, order,
    );
}

/// Works like [`scan_min_u32`] for floating-point numbers.
///
/// # Safety
/// As for [`scan_sum_u32`](super::scan_sum_u32).
#[kernel(baseline)]
pub unsafe fn scan_min_f32(
    input: View<u32>,
    output: ViewMut<u32>,
    initial: u32,
    job: ScanJob,
    states: ViewMut<u64>,
    total: ViewMut<u32>,
    order: FloatOrder<u32>,
) {
    scan_min::<u32, _, 4, { rows(MIN_32, 4) }, 72>(
        input, output, initial, job, states, total, order,
    );
}

/// Works like [`scan_min_u32`] for 64-bit integers, with 9 vectors of 2 elements per thread.
///
/// # Safety
/// As for [`scan_sum_u64`](super::scan_sum_u64).
#[kernel(baseline)]
pub unsafe fn scan_min_u64(
    input: View<u64>,
    output: ViewMut<u64>,
    initial: u64,
    job: ScanJob,
    states: ViewMut<u64>,
    total: ViewMut<u64>,
    order: IntegerOrder<u64>,
) {
    scan_min::<u64, _, 2, { rows(MIN_64, 2) }, 128>(
        input, output, initial, job, states, total, order,
    );
}

/// Works like [`scan_min_u64`] for floating-point numbers, with 8 vectors of 2 elements per thread.
///
/// # Safety
/// As for [`scan_sum_u64`](super::scan_sum_u64).
#[kernel(baseline)]
pub unsafe fn scan_min_f64(
    input: View<u64>,
    output: ViewMut<u64>,
    initial: u64,
    job: ScanJob,
    states: ViewMut<u64>,
    total: ViewMut<u64>,
    order: FloatOrder<u64>,
) {
    scan_min::<u64, _, 2, { rows(MIN_F64, 2) }, 128>(
        input, output, initial, job, states, total, order,
    );
}

#[inline(always)]
fn scan_min<
    Bits: Value,
    K: Order<Bits>,
    const N: usize,
    const ROWS: usize,
    const MAX_REGISTERS: u32,
>(
    input: View<Bits>,
    output: ViewMut<Bits>,
    initial: Bits,
    job: ScanJob,
    states: ViewMut<u64>,
    total: ViewMut<Bits>,
    order: K,
) where
    Min: Operator<Bits>,
{
    let inclusive = job.inclusive != 0;
    let lift = |bits: Bits| order.key(bits);
    let output_of =
        |before: Bits, through: Bits| order.bits(if inclusive { through } else { before });
    let write_total = |key: Bits| total.write(0, order.bits(key));
    let initial = lift(initial);
    scan_tiles_warp_specialised::<Bits, Min, N, ROWS, MAX_REGISTERS>(
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
