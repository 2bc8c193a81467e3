//! Scans that detect overflow of the output type.

use super::{
    scheduler::{ScanJob, TileScheduler},
    single_pass::scan_strided,
};
use crate::operator::{Lift, Sum};
use cuda_std::{KernelType, View, ViewMut, kernel};

/// An integer type to which 128-bit sums are narrowed.
pub trait FromWide: Lift<i128> {
    /// Returns the low bits of `wide`.
    fn from_wide(wide: i128) -> Self;

    /// Returns `true` if `wide` is representable in this type.
    #[inline(always)]
    fn fits(wide: i128) -> bool {
        Self::from_wide(wide).lift() == wide
    }
}

macro_rules! from_wide {
    ($($ty:ident)+) => {
        $(
            impl FromWide for $ty {
                #[inline(always)]
                fn from_wide(wide: i128) -> Self {
                    wide as $ty
                }
            }
        )+
    };
}

from_wide!(u32 i32 u64 i64);

/// Elements per thread of a tile of the checked kernels.
pub const CHECKED_ITEMS: usize = 16;

/// Runs the tile loop of the checked kernels, with sums in 128 bits, which cannot overflow.
#[cuda_std::inline_closures]
#[inline(always)]
fn sum_wide<I: Lift<i128>, V: FromWide>(
    input: View<I>,
    output: ViewMut<V>,
    initial: V,
    job: ScanJob,
    states: ViewMut<u64>,
    total: ViewMut<V>,
    overflow: ViewMut<u64>,
) {
    let output_of = |at: usize, before: i128, through: i128| {
        if !V::fits(through) {
            overflow.atomic_min(0, at as u64);
        }
        let sum = if job.inclusive != 0 { through } else { before };
        V::from_wide(sum)
    };
    let write_total = |sum: i128| total.write(0, V::from_wide(sum));
    let tiles = TileScheduler::start(states, job);
    let initial = initial.lift();
    let lift = |item: I| item.lift();
    scan_strided::<I, i128, Sum, V>(
        input,
        initial,
        job,
        tiles,
        output,
        lift,
        output_of,
        write_total,
    );
}

/// Scans integers by addition and finds the first element whose inclusive sum overflows the output
/// type.
///
/// `overflow[0]` is lowered to the index of that element, and left unchanged if there is none.
///
/// **Mapping:** consecutive elements of a tile per thread, read twice: once to sum the tile, once
/// to write. **Traffic** per element: two reads, one write.
///
/// # Safety
/// As for [`scan_sum_u32`](super::scan_sum_u32), with four words per tile in `states`; `overflow`
/// has one element.
#[kernel(I = [u8, u16, u32], V = [u32, u64], baseline)]
pub unsafe fn scan_sum_checked<I: Lift<i128> + KernelType, V: FromWide + KernelType>(
    input: View<I>,
    output: ViewMut<V>,
    initial: V,
    job: ScanJob,
    states: ViewMut<u64>,
    total: ViewMut<V>,
    overflow: ViewMut<u64>,
) {
    sum_wide(input, output, initial, job, states, total, overflow);
}

/// Works like [`scan_sum_checked`] for sums of the same type as the elements.
///
/// # Safety
/// As for [`scan_sum_checked`].
#[kernel(V = [i32, u64, i64], baseline)]
pub unsafe fn scan_sum_same_checked<V: FromWide + KernelType>(
    input: View<V>,
    output: ViewMut<V>,
    initial: V,
    job: ScanJob,
    states: ViewMut<u64>,
    total: ViewMut<V>,
    overflow: ViewMut<u64>,
) {
    sum_wide(input, output, initial, job, states, total, overflow);
}
