//! Sums that are an error when they do not fit their type.

use super::{
    ScanError, ScanKind, ScanParams, ScanValue, Scanner,
    scanner::{Tiling, check_lengths, last_name},
};
use crate::device::{Buffer, DeviceError, Element, Launch, LaunchPlan, Stream};
use cuda_std::{View, ViewMut};
use ferrovox_kernels::scan::{CHECKED_ITEMS, ScanJob, scan_sum_checked, scan_sum_same_checked};

/// An integer whose checked sums are of type `V`: `u8`, `u16` and `u32` into `u32` or `u64`; `i32`,
/// `u64` and `i64` into themselves.
pub trait CheckedSum<V: ScanValue>: Element + sealed::Sealed<V> {}

mod sealed {
    use super::*;

    /// The arguments of the kernel.
    pub type Args<'a, I, V> = (
        View<'a, I>,
        ViewMut<'a, V>,
        V,
        ScanJob,
        ViewMut<'a, u64>,
        ViewMut<'a, V>,
        ViewMut<'a, u64>,
    );

    /// The kernel behind a checked sum.
    pub trait Sealed<V>: Sized {
        fn plan(stream: &Stream) -> Result<LaunchPlan, DeviceError>;

        /// # Safety
        /// As the kernel's.
        unsafe fn launch(
            stream: &Stream,
            blocks: u32,
            args: Args<'_, Self, V>,
        ) -> Result<(), DeviceError>;
    }
}

macro_rules! checked_sums {
    ($($input:ident to $value:ident: $kernel:ty;)+) => {
        $(
            impl sealed::Sealed<$value> for $input {
                fn plan(stream: &Stream) -> Result<LaunchPlan, DeviceError> {
                    stream.plan::<$kernel>(Launch::pieces(1))
                }

                unsafe fn launch(
                    stream: &Stream,
                    blocks: u32,
                    args: sealed::Args<'_, Self, $value>,
                ) -> Result<(), DeviceError> {
                    // SAFETY: the caller's promise.
                    unsafe { stream.launch::<$kernel>(Launch::pieces(blocks.into()), args) }
                }
            }

            impl CheckedSum<$value> for $input {}
        )+
    };
}

checked_sums! {
    u8 to u32: scan_sum_checked<u8, u32>;
    u8 to u64: scan_sum_checked<u8, u64>;
    u16 to u32: scan_sum_checked<u16, u32>;
    u16 to u64: scan_sum_checked<u16, u64>;
    u32 to u32: scan_sum_checked<u32, u32>;
    u32 to u64: scan_sum_checked<u32, u64>;
    i32 to i32: scan_sum_same_checked<i32>;
    u64 to u64: scan_sum_same_checked<u64>;
    i64 to i64: scan_sum_same_checked<i64>;
}

/// Words that a tile's sum of 128 bits takes.
const PARTS: usize = 4;

impl Scanner<'_> {
    /// The sums of `input`, and their total, if all of them fit the output's type: also that of all
    /// elements, which the exclusive scan does not write. Works in 128 bits, in about twice the
    /// time of [`scan`](Self::scan), and waits for the result.
    ///
    /// # Errors
    /// [`ScanError::Overflow`], when `output` holds sums of which the first that do not fit have
    /// lost their high bits; else as [`scan`](Self::scan).
    pub fn checked_sum<I, V>(
        &mut self,
        input: &Buffer<I>,
        output: &mut Buffer<V>,
        params: &ScanParams<V>,
    ) -> Result<V, ScanError>
    where
        I: CheckedSum<V>,
        V: ScanValue,
    {
        check_lengths(input.len(), output.len())?;
        self.stream.check_device(input)?;
        self.stream.check_device(output)?;
        let plan = <I as sealed::Sealed<V>>::plan(self.stream)?;
        let tiling = Tiling::new(input.len(), plan, CHECKED_ITEMS as u32, 0)?;
        let job = self.begin(tiling, PARTS, params.kind)?;
        let mut overflow = self.stream.upload(&[u64::MAX])?;
        let args = (
            input.view(),
            output.view_mut(),
            params.initial.unwrap_or_else(V::zeroed),
            job,
            self.states.view_mut(),
            // the buffer has 16 bytes, and a `V` no more
            ViewMut::for_launch(self.total.pointer().cast(), 1),
            overflow.view_mut(),
        );
        // SAFETY: input and output have the same length and are of this device; the states have
        // four words for each tile.
        let launched =
            unsafe { <I as sealed::Sealed<V>>::launch(self.stream, tiling.blocks, args) };
        if let Err(error) = launched {
            self.epoch = 0;
            return Err(error.into());
        }
        match self.stream.download(&overflow)?[..] {
            [u64::MAX] => Ok(self.total().download()?),
            [index, ..] => Err(ScanError::Overflow {
                index,
                value: last_name::<V>(),
            }),
            [] => Ok(self.total().download()?),
        }
    }

    /// The exclusive [`checked_sum`](Self::checked_sum).
    ///
    /// # Errors
    /// As there.
    pub fn exclusive_checked<I, V>(
        &mut self,
        input: &Buffer<I>,
        output: &mut Buffer<V>,
    ) -> Result<V, ScanError>
    where
        I: CheckedSum<V>,
        V: ScanValue,
    {
        self.checked_sum(input, output, &ScanParams::default())
    }

    /// The inclusive [`checked_sum`](Self::checked_sum).
    ///
    /// # Errors
    /// As there.
    pub fn inclusive_checked<I, V>(
        &mut self,
        input: &Buffer<I>,
        output: &mut Buffer<V>,
    ) -> Result<V, ScanError>
    where
        I: CheckedSum<V>,
        V: ScanValue,
    {
        let params = ScanParams {
            kind: ScanKind::Inclusive,
            ..Default::default()
        };
        self.checked_sum(input, output, &params)
    }
}
