//! Prefix sums that fail on overflow.

use super::{
    ScanError, ScanKind, ScanParams, ScanValue, Scanner,
    scanner::{check_lengths, short_type_name},
    tiling::Tiling,
};
use crate::device::{Buffer, DeviceError, Element, Launch, LaunchPlan, Stream};
use cuda_std::{View, ViewMut};
use ferrovox_kernels::scan::{CHECKED_ITEMS, ScanJob, scan_sum_checked, scan_sum_same_checked};

/// An integer type whose checked sums have type `V`: `u8`, `u16` and `u32` into `u32` or `u64`;
/// `i32`, `u64` and `i64` into themselves.
pub trait CheckedSum<V: ScanValue>: Element + sealed::Sealed<V> {}

mod sealed {
    use super::*;

    /// Arguments of the kernel.
    pub type Args<'a, I, V> = (
        View<'a, I>,
        ViewMut<'a, V>,
        V,
        ScanJob,
        ViewMut<'a, u64>,
        ViewMut<'a, V>,
        ViewMut<'a, u64>,
    );

    /// Kernel of a checked sum.
    pub trait Sealed<V>: Sized {
        fn plan(stream: &Stream) -> Result<LaunchPlan, DeviceError>;

        /// # Safety
        /// As for the kernel.
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
                    // SAFETY: guaranteed by the caller.
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

/// Number of words of a tile's 128-bit sum.
const WORDS: usize = 4;

impl Scanner<'_> {
    /// Computes the prefix sums of `input` and returns the total, if all of them fit the output
    /// type, including the total of an exclusive scan. Computes in 128 bits, takes about twice the
    /// time of [`scan`](Self::scan), and waits for the result.
    ///
    /// # Errors
    /// [`ScanError::Overflow`]; `output` then holds sums, whose high bits are lost from the
    /// reported element on. Otherwise as [`scan`](Self::scan).
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
        let job = self.begin(tiling, WORDS, params.kind)?;
        let stream = self.stream;
        let mut overflow = stream.upload(&[u64::MAX])?;
        let (total, states) = self.total_and_states();
        let args = (
            input.view(),
            output.view_mut(),
            params.initial.unwrap_or_else(V::zeroed),
            job,
            states,
            total,
            overflow.view_mut(),
        );
        // SAFETY: input and output have the same length and belong to this device; the states have
        // four words per tile.
        let launched = unsafe { <I as sealed::Sealed<V>>::launch(stream, tiling.blocks, args) };
        if let Err(error) = launched {
            self.epoch = 0;
            return Err(error.into());
        }
        match stream.download(&overflow)?[..] {
            [u64::MAX] => Ok(self.total().download()?),
            [index, ..] => Err(ScanError::Overflow {
                index,
                value: short_type_name::<V>(),
            }),
            [] => Ok(self.total().download()?),
        }
    }

    /// Computes the exclusive [`checked_sum`](Self::checked_sum).
    ///
    /// # Errors
    /// As for [`checked_sum`](Self::checked_sum).
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

    /// Computes the inclusive [`checked_sum`](Self::checked_sum).
    ///
    /// # Errors
    /// As for [`checked_sum`](Self::checked_sum).
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
