//! Supported combinations of element type, value type and operator, and their kernels.

use super::{ScanParams, three_pass::three_pass};
use crate::device::{DeviceError, Element, Launch, LaunchPlan, Stream};
use cuda_std::{View, ViewMut};
use ferrovox_kernels::{
    operator::{FloatOrder, IntegerOrder, Max, Min, Operator, Sum, Value},
    scan::{
        BlockShape, MIN_32, MIN_64, SUM_32, SUM_64, SUM_F32, SUM_INTO_32, SUM_INTO_64, ScanJob,
        add_offset, scan_min_f32, scan_min_f64, scan_min_resident_f32, scan_min_resident_f64,
        scan_min_resident_u32, scan_min_resident_u64, scan_min_u32, scan_min_u64, scan_sum_f32,
        scan_sum_f64, scan_sum_into_32, scan_sum_into_64, scan_sum_resident, scan_sum_u32,
        scan_sum_u64,
    },
};

/// A value type of scans: `u32`, `i32`, `u64`, `i64`, `f32` or `f64`.
pub trait ScanValue: Element + Value + PartialEq {}

impl ScanValue for u32 {}
impl ScanValue for i32 {}
impl ScanValue for u64 {}
impl ScanValue for i64 {}
impl ScanValue for f32 {}
impl ScanValue for f64 {}

/// Arguments of a scan kernel.
#[doc(hidden)]
pub struct TileArgs<'a, I, V> {
    pub input: View<'a, I>,
    pub output: ViewMut<'a, V>,
    pub initial: V,
    pub job: ScanJob,
    pub states: ViewMut<'a, u64>,
    pub total: ViewMut<'a, V>,
}

/// An element type that can be scanned into `V` by the operator `O`.
///
/// | element | value | operators |
/// | --- | --- | --- |
/// | `u32`, `i32`, `u64`, `i64`, `f32`, `f64` | the same | [`Sum`], [`Min`], [`Max`] |
/// | `u8`, `u16` | `u32`, `u64` | [`Sum`] |
/// | `u32` | `u64` | [`Sum`] |
pub trait Scannable<V: ScanValue, O: Operator<V>>: Element + sealed::Sealed<V, O> {}

pub(super) mod sealed {
    use super::*;

    /// Kernels of a scan.
    pub trait Sealed<V, O>: Sized {
        /// Block shape that the kernel is compiled for.
        const SHAPE: BlockShape;

        fn initial() -> V;

        /// Plans a launch of the kernel for inputs that fit in shared memory, or returns `None` if
        /// there is none for this scan.
        fn plan_resident(
            _stream: &Stream,
            _launch: Launch,
        ) -> Option<Result<LaunchPlan, DeviceError>> {
            None
        }

        /// Launches the kernel for inputs that fit in shared memory.
        ///
        /// # Safety
        /// As for the kernel, which [`plan_resident`](Self::plan_resident) must have found.
        unsafe fn launch_resident(
            stream: &Stream,
            launch: Launch,
            args: TileArgs<'_, Self, V>,
        ) -> Result<(), DeviceError> {
            // SAFETY: the other kernel accepts all tiles.
            unsafe { Self::launch(stream, launch, args) }
        }

        fn plan(stream: &Stream, launch: Launch) -> Result<LaunchPlan, DeviceError>;

        /// # Safety
        /// As for the kernel.
        unsafe fn launch(
            stream: &Stream,
            launch: Launch,
            args: TileArgs<'_, Self, V>,
        ) -> Result<(), DeviceError>;

        /// Replaces each element of `data` by `offset` combined with it.
        ///
        /// # Safety
        /// No other code accesses `data` concurrently.
        unsafe fn add_offset(
            stream: &Stream,
            offset: V,
            data: ViewMut<'_, V>,
        ) -> Result<(), DeviceError>;

        /// Enqueues the scan in three passes, or returns `None` if there are no kernels for it.
        ///
        /// # Safety
        /// As for the kernels.
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

// Launches a kernel with the bits of the arguments. The types have the same size, and every bit
// pattern is valid for both.
macro_rules! launch_tiles {
    ($kernel:ty, $stream:ident, $launch:ident, $args:ident, $value:ident, $bits:ident, $words:ident $(, $order:expr)?) => {{
        let TileArgs { input, output, initial, job, states, total } = $args;
        let input = View::<$bits>::from_raw_parts(input.as_ptr().cast(), input.len());
        let args = (
            input,
            ViewMut::<$words>::from_raw_parts(output.as_mut_ptr().cast(), output.len()),
            bytemuck::cast::<$value, $words>(initial),
            job,
            states,
            ViewMut::<$words>::from_raw_parts(total.as_mut_ptr().cast(), 1),
            $($order,)?
        );
        $stream.launch::<$kernel>($launch, args)
    }};
}

// `$bits` and `$words` are the types that the kernel is instantiated for, with the sizes of element
// and value.
macro_rules! scans {
    ($($input:ident to $value:ident by $operator:ident: $kernel:ty, $shape:ident, $initial:expr, as $bits:ident to $words:ident $(in $order:expr)? $(, and $three_pass:ident)? $(, or $resident:ty $(=> $resident_order:expr)?)?;)+) => {
        $(
            impl sealed::Sealed<$value, $operator> for $input {
                const SHAPE: BlockShape = $shape;

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
                    // SAFETY: guaranteed by the caller.
                    unsafe {
                        launch_tiles!($kernel, stream, launch, args, $value, $bits, $words $(, $order)?)
                    }
                }

                $(
                    fn plan_resident(
                        stream: &Stream,
                        launch: Launch,
                    ) -> Option<Result<LaunchPlan, DeviceError>> {
                        Some(stream.plan::<$resident>(launch))
                    }

                    unsafe fn launch_resident(
                        stream: &Stream,
                        launch: Launch,
                        args: TileArgs<'_, Self, $value>,
                    ) -> Result<(), DeviceError> {
                        // SAFETY: guaranteed by the caller.
                        unsafe {
                            launch_tiles!($resident, stream, launch, args, $value, $bits, $words $(, $resident_order)?)
                        }
                    }
                )?

                unsafe fn add_offset(
                    stream: &Stream,
                    offset: $value,
                    data: ViewMut<'_, $value>,
                ) -> Result<(), DeviceError> {
                    let launch = Launch::pieces((data.len() as u64).div_ceil(MIN_OFFSET_ELEMENTS));
                    // SAFETY: guaranteed by the caller.
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
                        // SAFETY: guaranteed by the caller. The types have the same size, and
                        // wrapping sums of signed and unsigned integers have the same bits.
                        Some(unsafe {
                            $three_pass::<$bits, $words>(
                                stream,
                                View::for_launch(input.as_ptr().cast(), input.len()),
                                initial,
                                params.kind,
                                ViewMut::for_launch(output.as_mut_ptr().cast(), output.len()),
                                ViewMut::for_launch(total.as_mut_ptr().cast(), 1),
                            )
                        })
                    }
                )?
            }

            impl Scannable<$value, $operator> for $input {}
        )+
    };
}

scans! {
    u32 to u32 by Sum: scan_sum_u32, SUM_32, 0, as u32 to u32, and three_pass;
    i32 to i32 by Sum: scan_sum_u32, SUM_32, 0, as u32 to u32, and three_pass;
    f32 to f32 by Sum: scan_sum_f32, SUM_F32, 0.0, as f32 to f32;
    u64 to u64 by Sum: scan_sum_u64, SUM_64, 0, as u64 to u64, and three_pass, or scan_sum_resident<u64>;
    i64 to i64 by Sum: scan_sum_u64, SUM_64, 0, as u64 to u64, and three_pass, or scan_sum_resident<u64>;
    f64 to f64 by Sum: scan_sum_f64, SUM_64, 0.0, as f64 to f64, or scan_sum_resident<f64>;
    u8 to u32 by Sum: scan_sum_into_32<u8>, SUM_INTO_32, 0, as u8 to u32, and three_pass;
    u16 to u32 by Sum: scan_sum_into_32<u16>, SUM_INTO_32, 0, as u16 to u32, and three_pass;
    u8 to u64 by Sum: scan_sum_into_64<u8>, SUM_INTO_64, 0, as u8 to u64, and three_pass;
    u16 to u64 by Sum: scan_sum_into_64<u16>, SUM_INTO_64, 0, as u16 to u64, and three_pass;
    u32 to u64 by Sum: scan_sum_into_64<u32>, SUM_INTO_64, 0, as u32 to u64, and three_pass;
}

macro_rules! minima_and_maxima {
    ($($value:ident $kernel:ident $shape:ident $bits:ident $kind:ident $order:ident $(, $resident:ident)?;)+) => {
        scans! {
            $(
                $value to $value by Min: $kernel, $shape, Min::identity(), as $bits to $bits in $kind::<$bits>::$order(false) $(, or $resident => $kind::<$bits>::$order(false))?;
                $value to $value by Max: $kernel, $shape, Max::identity(), as $bits to $bits in $kind::<$bits>::$order(true) $(, or $resident => $kind::<$bits>::$order(true))?;
            )+
        }
    };
}

minima_and_maxima! {
    u32 scan_min_u32 MIN_32 u32 IntegerOrder unsigned, scan_min_resident_u32;
    i32 scan_min_u32 MIN_32 u32 IntegerOrder signed, scan_min_resident_u32;
    f32 scan_min_f32 MIN_32 u32 FloatOrder float, scan_min_resident_f32;
    u64 scan_min_u64 MIN_64 u64 IntegerOrder unsigned, scan_min_resident_u64;
    i64 scan_min_u64 MIN_64 u64 IntegerOrder signed, scan_min_resident_u64;
    f64 scan_min_f64 MIN_64 u64 FloatOrder float, scan_min_resident_f64;
}

/// Minimum number of elements per block of [`add_offset`].
const MIN_OFFSET_ELEMENTS: u64 = 1 << 12;
