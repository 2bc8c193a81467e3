//! Sums that say where they no longer fit their type.

use super::{
    scheduler::{TileJob, TileScheduler},
    single_pass::scan_strided,
};
use crate::operator::{Lift, Sum};
use cuda_std::{KernelType, View, ViewMut, kernel};

/// An integer that a sum of 128 bits may or may not fit.
pub trait FromWide: Lift<i128> {
    /// The low bits of `wide`.
    fn from_wide(wide: i128) -> Self;

    /// Whether these are all of it.
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

/// Elements for each thread of the checked kernels.
pub const CHECKED_ITEMS: usize = 16;

/// The tile loop of the checked kernels: sums in 128 bits, which no input can exceed.
#[inline(always)]
fn sum_wide<I: Lift<i128>, V: FromWide>(
    input: View<I>,
    output: ViewMut<V>,
    initial: V,
    job: TileJob,
    states: ViewMut<u64>,
    total: ViewMut<V>,
    overflow: ViewMut<u64>,
) {
    let put = |at: usize, before: i128, through: i128| {
        if !V::fits(through) {
            overflow.atomic_min(0, at as u64);
        }
        let sum = if job.inclusive != 0 { through } else { before };
        V::from_wide(sum)
    };
    let put_total = |sum: i128| total.write(0, V::from_wide(sum));
    let tiles = TileScheduler::first(states, job);
    let initial = initial.lift();
    let lift = |item: I| item.lift();
    scan_strided::<I, i128, Sum, V>(input, initial, job, tiles, output, lift, put, put_total);
}

/// Sums unsigned integers and finds the first element whose inclusive sum does not fit the output's
/// type.
///
/// A thread adds up neighbouring elements, twice: to find the tile's sum, and to write. Per element
/// the input is read twice and the output written once. `overflow` gets the least such index, and
/// stays as it is if there is none.
///
/// # Safety
/// As [`sum_words`](super::sum_words), with four words for each tile; `overflow` has one element.
#[kernel(I = [u8, u16, u32], V = [u32, u64])]
pub unsafe fn sum_checked<I: Lift<i128> + KernelType, V: FromWide + KernelType>(
    input: View<I>,
    output: ViewMut<V>,
    initial: V,
    job: TileJob,
    states: ViewMut<u64>,
    total: ViewMut<V>,
    overflow: ViewMut<u64>,
) {
    sum_wide(input, output, initial, job, states, total, overflow);
}

/// [`sum_checked`] for the types that are summed into themselves.
///
/// # Safety
/// As [`sum_checked`].
#[kernel(V = [i32, u64, i64])]
pub unsafe fn sum_same_checked<V: FromWide + KernelType>(
    input: View<V>,
    output: ViewMut<V>,
    initial: V,
    job: TileJob,
    states: ViewMut<u64>,
    total: ViewMut<V>,
    overflow: ViewMut<u64>,
) {
    sum_wide(input, output, initial, job, states, total, overflow);
}
