//! Reusable scanner for one stream.

use super::{
    ScanError, ScanKind, ScanMethod, ScanParams, ScanValue, Scannable,
    element::{TileArgs, sealed::Sealed},
    tiling::{Tiling, resident_tiles, tiles},
    total::Total,
};
use crate::device::{Buffer, DeviceError, Stream};
use cuda_std::{View, ViewMut};
use ferrovox_kernels::{
    operator::Operator,
    scan::{ScanJob, look_back::HEADER},
};
use std::cmp::Ordering;

/// Last scan number that fits in the tags of the tile states.
const LAST_EPOCH: u32 = (1 << 30) - 1;

/// Scans on one stream, one scan at a time. Keeps the memory of the tile states (8 bytes per tile,
/// 16 for 64-bit values), so that later scans allocate nothing and launch one kernel.
pub struct Scanner<'s> {
    pub(super) stream: &'s Stream,
    /// Tile counter and published tile states.
    pub(super) states: Buffer<u64>,
    /// Total of the last scan.
    pub(super) total: Buffer<u64>,
    /// Number of the last scan; 0 if the states must be cleared first.
    pub(super) epoch: u32,
    /// Value of the tile counter after the last scan.
    pub(super) next_number: u32,
}

impl<'s> Scanner<'s> {
    /// Creates a scanner on `stream`.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`].
    pub fn new(stream: &'s Stream) -> Result<Self, DeviceError> {
        Ok(Self {
            stream,
            states: stream.alloc(0)?,
            total: stream.zeros(2)?,
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
        // the buffer has 16 bytes, at least the size of a `V`
        let total = ViewMut::for_launch(self.total.pointer().cast(), 1);
        if params.method == ScanMethod::ThreePass {
            // SAFETY: guaranteed by the caller.
            let done = unsafe {
                <I as Sealed<V, O>>::three_pass(self.stream, input, params, output, total)
            };
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
        let job = self.begin(tiling, V::WORDS, params.kind)?;
        let args = TileArgs {
            input,
            output,
            initial,
            job,
            states: self.states.view_mut(),
            total,
        };
        // SAFETY: guaranteed by the caller; the states have one element per tile and no tag of this
        // scan, and the counter has the value in `job`.
        let launched = unsafe {
            if resident {
                <I as Sealed<V, O>>::launch_resident(self.stream, launch, args)
            } else {
                <I as Sealed<V, O>>::launch(self.stream, launch, args)
            }
        };
        if let Err(error) = launched {
            // the number of tiles drawn is unknown
            self.epoch = 0;
            return Err(error.into());
        }
        Ok(self.total())
    }

    pub(super) fn total<V>(&self) -> Total<'_, V> {
        Total::new(self.stream, &self.total)
    }

    /// Starts the next scan: assigns a new epoch, and the value at which the last scan left the
    /// counter, so that nothing needs to be cleared between scans.
    pub(super) fn begin(
        &mut self,
        tiling: Tiling,
        words_per_value: usize,
        kind: ScanKind,
    ) -> Result<ScanJob, DeviceError> {
        let words = HEADER + tiling.tiles as usize * words_per_value;
        if self.states.len() < words {
            // avoids an allocation per scan for a sequence of growing inputs
            let words = words.max(self.states.len() * 3 / 2);
            self.states = self.stream.zeros(words)?;
            (self.epoch, self.next_number) = (0, 0);
        } else if self.epoch == 0 || self.epoch == LAST_EPOCH {
            self.stream.fill_with_zero(&mut self.states)?;
            (self.epoch, self.next_number) = (0, 0);
        }
        self.epoch += 1;
        let counter_start = self.next_number;
        self.next_number = counter_start.wrapping_add(tiling.numbers());
        Ok(ScanJob {
            count: tiling.count,
            tile: tiling.tile,
            tiles: tiling.tiles,
            counter_start,
            epoch: self.epoch,
            inclusive: (kind == ScanKind::Inclusive).into(),
            one_tile_per_block: tiling.one_tile_per_block().into(),
        })
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
