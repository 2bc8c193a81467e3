//! Reusable scanner for one stream.

use super::{
    ScanError, ScanKind, ScanMethod, ScanParams, ScanValue, Scannable,
    element::{TileArgs, sealed::Sealed},
    tiling::{resident_tiles, tiles},
    total::Total,
};
use crate::device::{Buffer, DeviceError, Stream};
use cuda_std::{View, ViewMut};
use ferrovox_kernels::operator::Operator;
use std::cmp::Ordering;

/// Scans on one stream, one scan at a time. Keeps the memory of the tile states (8 bytes per tile,
/// 16 for 64-bit values), so that later scans allocate nothing and launch one kernel.
pub struct Scanner<'s> {
    pub(super) stream: &'s Stream,
    /// Total of the last scan, then the tile counter and the published tile states. Empty before
    /// the first scan.
    pub(super) memory: Buffer<u64>,
    /// Number of the last scan; 0 if the states must be cleared first.
    pub(super) epoch: u32,
    /// Value of the tile counter after the last scan.
    pub(super) next_number: u32,
}

impl<'s> Scanner<'s> {
    /// Creates a scanner on `stream`. Its first scan allocates the memory.
    ///
    /// # Errors
    /// [`DeviceError::Cuda`] if the driver refuses.
    pub fn new(stream: &'s Stream) -> Result<Self, DeviceError> {
        Ok(Self {
            stream,
            memory: stream.alloc(0)?,
            epoch: 0,
            next_number: 0,
        })
    }

    /// Computes the exclusive scan of `input`.
    ///
    /// # Errors
    /// As [`scan`](Self::scan).
    pub fn exclusive<I, V, O>(
        &mut self,
        operator: O,
        input: &Buffer<I>,
        output: &mut Buffer<V>,
    ) -> Result<Total<'_, V>, ScanError>
    where
        I: Scannable<V, O>,
        V: ScanValue,
        O: Operator<V>,
    {
        self.scan(operator, input, output, &ScanParams::default())
    }

    /// Computes the inclusive scan of `input`.
    ///
    /// # Errors
    /// As [`scan`](Self::scan).
    pub fn inclusive<I, V, O>(
        &mut self,
        operator: O,
        input: &Buffer<I>,
        output: &mut Buffer<V>,
    ) -> Result<Total<'_, V>, ScanError>
    where
        I: Scannable<V, O>,
        V: ScanValue,
        O: Operator<V>,
    {
        let params = ScanParams {
            kind: ScanKind::Inclusive,
            ..Default::default()
        };
        self.scan(operator, input, output, &params)
    }

    /// Replaces `data` by its exclusive scan.
    ///
    /// # Errors
    /// As [`scan`](Self::scan).
    pub fn exclusive_in_place<V, O>(
        &mut self,
        operator: O,
        data: &mut Buffer<V>,
    ) -> Result<Total<'_, V>, ScanError>
    where
        V: Scannable<V, O> + ScanValue,
        O: Operator<V>,
    {
        self.scan_in_place(operator, data, &ScanParams::default())
    }

    /// Replaces `data` by its inclusive scan.
    ///
    /// # Errors
    /// As [`scan`](Self::scan).
    pub fn inclusive_in_place<V, O>(
        &mut self,
        operator: O,
        data: &mut Buffer<V>,
    ) -> Result<Total<'_, V>, ScanError>
    where
        V: Scannable<V, O> + ScanValue,
        O: Operator<V>,
    {
        let params = ScanParams {
            kind: ScanKind::Inclusive,
            ..Default::default()
        };
        self.scan_in_place(operator, data, &params)
    }

    /// Enqueues the scan of `input`, in time linear in its length. Only [`Total::download`]
    /// synchronises.
    ///
    /// # Errors
    /// [`ScanError::OutputTooSmall`], [`ScanError::LengthsDiffer`], [`ScanError::NoSuchScan`], and
    /// [`ScanError::Device`] if a buffer belongs to another device, memory is insufficient, or the
    /// device fails.
    pub fn scan<I, V, O>(
        &mut self,
        _operator: O,
        input: &Buffer<I>,
        output: &mut Buffer<V>,
        params: &ScanParams<V>,
    ) -> Result<Total<'_, V>, ScanError>
    where
        I: Scannable<V, O>,
        V: ScanValue,
        O: Operator<V>,
    {
        check_lengths(input.len(), output.len())?;
        self.stream.check_device(input)?;
        self.stream.check_device(output)?;
        // SAFETY: both have the same length and are of this device.
        unsafe { self.scan_views::<I, V, O>(input.view(), output.view_mut(), params) }
    }

    /// Replaces `data` by its scan.
    ///
    /// # Errors
    /// As [`scan`](Self::scan).
    pub fn scan_in_place<V, O>(
        &mut self,
        _operator: O,
        data: &mut Buffer<V>,
        params: &ScanParams<V>,
    ) -> Result<Total<'_, V>, ScanError>
    where
        V: Scannable<V, O> + ScanValue,
        O: Operator<V>,
    {
        self.stream.check_device(data)?;
        let (pointer, len) = (data.pointer(), data.len());
        // SAFETY: the same elements are read and written, each by one thread that reads it before
        // it writes it; the borrow is exclusive.
        unsafe {
            let input = View::for_launch(pointer.cast_const(), len);
            self.scan_views::<V, V, O>(input, ViewMut::for_launch(pointer, len), params)
        }
    }

    /// Enqueues the scan of a view.
    ///
    /// # Safety
    /// Both views have the same length and belong to this stream's device. They are identical or do
    /// not overlap, and no other code accesses the output.
    pub(super) unsafe fn scan_views<I, V, O>(
        &mut self,
        input: View<'_, I>,
        output: ViewMut<'_, V>,
        params: &ScanParams<V>,
    ) -> Result<Total<'_, V>, ScanError>
    where
        I: Scannable<V, O>,
        V: ScanValue,
        O: Operator<V>,
    {
        if params.method == ScanMethod::ThreePass {
            let (stream, total) = (self.stream, self.total_for_launch()?);
            // SAFETY: guaranteed by the caller.
            let done =
                unsafe { <I as Sealed<V, O>>::three_pass(stream, input, params, output, total) };
            done.ok_or_else(|| ScanError::NoSuchScan {
                method: params.method.name(),
                element: short_type_name::<I>(),
                operator: short_type_name::<O>(),
            })??;
            return Ok(self.total());
        }
        let initial = params.initial.unwrap_or_else(<I as Sealed<V, O>>::initial);
        let (launch, tiling, resident) =
            match resident_tiles::<I, V, O>(self.stream, input, output)? {
                Some((launch, tiling)) => (launch, tiling, true),
                None => {
                    let (launch, tiling) = tiles::<I, V, O>(self.stream, input.len())?;
                    (launch, tiling, false)
                }
            };
        let (stream, job) = (self.stream, self.begin(tiling, V::WORDS, params.kind)?);
        let (total, states) = self.total_and_states();
        let args = TileArgs {
            input,
            output,
            initial,
            job,
            states,
            total,
        };
        // SAFETY: guaranteed by the caller; the states have one element per tile and no tag of this
        // scan, and the counter has the value in `job`.
        let launched = unsafe {
            if resident {
                <I as Sealed<V, O>>::launch_resident(stream, launch, args)
            } else {
                <I as Sealed<V, O>>::launch(stream, launch, args)
            }
        };
        if let Err(error) = launched {
            // the number of tiles drawn is unknown
            self.epoch = 0;
            return Err(error.into());
        }
        Ok(self.total())
    }
}

/// Checks that an output has as many elements as its input.
pub(super) fn check_lengths(input: usize, output: usize) -> Result<(), ScanError> {
    match output.cmp(&input) {
        Ordering::Less => Err(ScanError::OutputTooSmall { input, output }),
        Ordering::Equal => Ok(()),
        Ordering::Greater => Err(ScanError::LengthsDiffer { input, output }),
    }
}

/// Returns the name of a type without its path.
pub(super) fn short_type_name<T>() -> &'static str {
    let name = std::any::type_name::<T>();
    name.rsplit("::").next().unwrap_or(name)
}
