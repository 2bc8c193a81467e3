//! Which elements can be scanned into which values by which operators, and the kernels that do it.

use super::{ScanParams, three_pass::three_pass};
use crate::device::{DeviceError, Element, Launch, LaunchPlan, Stream};
use cuda_std::{View, ViewMut};
use ferrovox_kernels::{
    operator::{Max, Min, Operator, Sum, Value},
    scan::{
        LONG_ITEMS, TileJob, WORD_ITEMS, add_offset, scan_longs, scan_words, sum_into_longs,
        sum_into_words,
    },
};

/// What a scan computes: `u32`, `i32`, `u64`, `i64`, `f32` or `f64`.
pub trait ScanValue: Element + Value + PartialEq {}

impl ScanValue for u32 {}
impl ScanValue for i32 {}
impl ScanValue for u64 {}
impl ScanValue for i64 {}
impl ScanValue for f32 {}
impl ScanValue for f64 {}

/// Memory and numbers of a launch.
#[doc(hidden)]
pub struct TileArgs<'a, I, V> {
    pub input: View<'a, I>,
    pub output: ViewMut<'a, V>,
    pub initial: V,
    pub job: TileJob,
    pub states: ViewMut<'a, u64>,
    pub total: ViewMut<'a, V>,
}

/// An element that can be scanned into `V` by the operator `O`.
///
/// | element | value | operators |
/// | --- | --- | --- |
/// | `u32`, `i32`, `u64`, `i64`, `f32`, `f64` | the same | [`Sum`], [`Min`], [`Max`] |
/// | `u8`, `u16` | `u32`, `u64` | [`Sum`] |
/// | `u32` | `u64` | [`Sum`] |
pub trait ScanOf<V: ScanValue, O: Operator<V>>: Element + sealed::Sealed<V, O> {}

pub(super) mod sealed {
    use super::*;

    /// The kernel behind a scan.
    pub trait Sealed<V, O>: Sized {
        /// Elements of a whole tile for each thread.
        const ITEMS: u64;

        fn initial() -> V;

        fn plan(stream: &Stream, launch: Launch) -> Result<LaunchPlan, DeviceError>;

        /// # Safety
        /// As the kernel's.
        unsafe fn launch(
            stream: &Stream,
            launch: Launch,
            args: TileArgs<'_, Self, V>,
        ) -> Result<(), DeviceError>;

        /// Combines `offset` with all of `data`, which comes after it.
        ///
        /// # Safety
        /// Nothing else uses `data`.
        unsafe fn add_offset(
            stream: &Stream,
            offset: V,
            data: ViewMut<'_, V>,
        ) -> Result<(), DeviceError>;

        /// Enqueues the scan in three passes, if there are kernels for it.
        ///
        /// # Safety
        /// As the kernels'.
        unsafe fn three_pass(
            _stream: &Stream,
            _input: View<'_, Self>,
            _params: &ScanParams<V>,
            _output: ViewMut<'_, V>,
            _total: ViewMut<'_, V>,
        ) -> Option<Result<(), DeviceError>> {
            None
        }
    }
}

macro_rules! scans {
    ($($input:ident to $value:ident by $operator:ident: $kernel:ty, $items:ident, $initial:expr $(, $bits:ident in three passes as $words:ident)?;)+) => {
        $(
            impl sealed::Sealed<$value, $operator> for $input {
                const ITEMS: u64 = $items as u64;

                fn initial() -> $value {
                    $initial
                }

                fn plan(stream: &Stream, launch: Launch) -> Result<LaunchPlan, DeviceError> {
                    stream.plan::<$kernel>(launch)
                }

                unsafe fn launch(
                    stream: &Stream,
                    launch: Launch,
                    args: TileArgs<'_, Self, $value>,
                ) -> Result<(), DeviceError> {
                    let TileArgs { input, output, initial, job, states, total } = args;
                    // SAFETY: the caller's promise.
                    unsafe {
                        stream.launch::<$kernel>(launch, (input, output, initial, job, states, total))
                    }
                }

                unsafe fn add_offset(
                    stream: &Stream,
                    offset: $value,
                    data: ViewMut<'_, $value>,
                ) -> Result<(), DeviceError> {
                    let launch = Launch::pieces((data.len() as u64).div_ceil(OFFSET_PIECE));
                    // SAFETY: the caller's promise.
                    unsafe {
                        stream.launch::<add_offset<$value, $operator>>(launch, (offset, data))
                    }
                }

                $(
                    unsafe fn three_pass(
                        stream: &Stream,
                        input: View<'_, Self>,
                        params: &ScanParams<$value>,
                        output: ViewMut<'_, $value>,
                        total: ViewMut<'_, $value>,
                    ) -> Option<Result<(), DeviceError>> {
                        let initial = params.initial.unwrap_or(0) as u64;
                        // SAFETY: the caller's promise. The types are of one size, and sums that wrap around have the same bits
                        // whether they are signed or not.
                        Some(unsafe {
                            three_pass::<$bits, $words>(
                                stream,
                                View::from_raw_parts(input.as_ptr().cast(), input.len()),
                                initial,
                                params.kind,
                                ViewMut::from_raw_parts(output.as_mut_ptr().cast(), output.len()),
                                ViewMut::from_raw_parts(total.as_mut_ptr().cast(), 1),
                            )
                        })
                    }
                )?
            }

            impl ScanOf<$value, $operator> for $input {}
        )+
    };
}

macro_rules! same_type {
    ($($value:ident $kernel:ident $items:ident;)+) => {
        scans! {
            $(
                $value to $value by Min: $kernel<$value, Min>, $items, Min::identity();
                $value to $value by Max: $kernel<$value, Max>, $items, Max::identity();
            )+
        }
    };
}

same_type! {
    u32 scan_words WORD_ITEMS;
    i32 scan_words WORD_ITEMS;
    f32 scan_words WORD_ITEMS;
    u64 scan_longs LONG_ITEMS;
    i64 scan_longs LONG_ITEMS;
    f64 scan_longs LONG_ITEMS;
}

scans! {
    u32 to u32 by Sum: scan_words<u32, Sum>, WORD_ITEMS, 0, u32 in three passes as u32;
    i32 to i32 by Sum: scan_words<i32, Sum>, WORD_ITEMS, 0, u32 in three passes as u32;
    f32 to f32 by Sum: scan_words<f32, Sum>, WORD_ITEMS, 0.0;
    u64 to u64 by Sum: scan_longs<u64, Sum>, LONG_ITEMS, 0, u64 in three passes as u64;
    i64 to i64 by Sum: scan_longs<i64, Sum>, LONG_ITEMS, 0, u64 in three passes as u64;
    f64 to f64 by Sum: scan_longs<f64, Sum>, LONG_ITEMS, 0.0;
    u8 to u32 by Sum: sum_into_words<u8>, WORD_ITEMS, 0, u8 in three passes as u32;
    u16 to u32 by Sum: sum_into_words<u16>, WORD_ITEMS, 0, u16 in three passes as u32;
    u8 to u64 by Sum: sum_into_longs<u8>, LONG_ITEMS, 0, u8 in three passes as u64;
    u16 to u64 by Sum: sum_into_longs<u16>, LONG_ITEMS, 0, u16 in three passes as u64;
    u32 to u64 by Sum: sum_into_longs<u32>, LONG_ITEMS, 0, u32 in three passes as u64;
}

/// Elements that a block of [`add_offset`] has at least.
const OFFSET_PIECE: u64 = 1 << 12;
