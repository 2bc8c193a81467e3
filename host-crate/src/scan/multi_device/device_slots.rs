//! Streams and memory of one device, kept between scans.

use crate::{
    device::{Buffer, Device, HostBuffer, Stream},
    partition::devices::Stop,
    scan::{
        Operator, ScanError, ScanParams, ScanValue, Scannable, Scanner, element::sealed::Sealed,
        memory::ScannerMemory, total::TOTAL_WORDS,
    },
};
use cuda_std::{View, ViewMut};

/// Number of chunks whose upload is enqueued before the host waits for the total of an earlier one.
pub(super) const PREFETCH: usize = 2;
/// Maximum number of chunks in the memory of a device: [`PREFETCH`] being uploaded, one being
/// scanned from its offset, one being downloaded.
pub(super) const SLOTS: usize = PREFETCH + 2;

/// A device with its streams and buffers: one slot per chunk in flight.
pub(super) struct DeviceSlots {
    device: Device,
    slots: Vec<Slot>,
    /// Host copies of the slots' totals; pinned, so that the copies are enqueued behind the scans.
    totals: Option<HostBuffer<u64>>,
}

/// A stream with memory for a chunk of elements of any type.
struct Slot {
    stream: Stream,
    /// `None` before the first scan, and after one that failed.
    scanner: Option<ScannerMemory>,
    input: Buffer<u8>,
    output: Buffer<u8>,
}

/// A slot that is lent to one scan.
pub(super) struct ScanSlot<'a> {
    stream: &'a Stream,
    scanner: Scanner<'a>,
    input: &'a mut Buffer<u8>,
    output: &'a mut Buffer<u8>,
    total: &'a mut [u64],
}

impl DeviceSlots {
    pub fn new(device: Device) -> Self {
        Self {
            device,
            slots: Vec::new(),
            totals: None,
        }
    }

    /// Calls `work` with `count` slots, at most [`SLOTS`], for chunks of at most `input_bytes` and
    /// `output_bytes` bytes. Synchronises with all enqueued work, even if `work` fails or panics.
    pub fn with_slots(
        &mut self,
        count: usize,
        input_bytes: usize,
        output_bytes: usize,
        work: impl FnOnce(&mut [ScanSlot<'_>]) -> Result<(), Stop<ScanError>>,
    ) -> Result<(), Stop<ScanError>> {
        while self.slots.len() < count {
            let stream = self.device.stream()?;
            self.slots.push(Slot {
                scanner: None,
                input: stream.alloc(0)?,
                output: stream.alloc(0)?,
                stream,
            });
        }
        let totals = match self.totals.take() {
            Some(totals) => totals,
            None => self.device.pinned(SLOTS * TOTAL_WORDS)?,
        };
        let totals = self.totals.insert(totals);
        let mut pending = WaitForAll {
            streams: Vec::with_capacity(count),
        };
        let mut scan_slots = Vec::with_capacity(count);
        let mut keep = Vec::with_capacity(count);
        for (slot, total) in self.slots[..count]
            .iter_mut()
            .zip(totals.chunks_exact_mut(TOTAL_WORDS))
        {
            let stream = &slot.stream;
            grow(stream, &mut slot.input, input_bytes)?;
            grow(stream, &mut slot.output, output_bytes)?;
            pending.streams.push(stream);
            scan_slots.push(ScanSlot {
                stream,
                scanner: match slot.scanner.take() {
                    Some(memory) => memory.attach(stream),
                    None => Scanner::new(stream)?,
                },
                input: &mut slot.input,
                output: &mut slot.output,
                total,
            });
            keep.push(&mut slot.scanner);
        }
        work(&mut scan_slots)?;
        for stream in &pending.streams {
            stream.synchronize()?;
        }
        for (kept, slot) in keep.into_iter().zip(scan_slots) {
            *kept = Some(slot.scanner.into());
        }
        Ok(())
    }
}

/// Grows a buffer to at least this many bytes. Its contents are lost.
fn grow(stream: &Stream, buffer: &mut Buffer<u8>, bytes: usize) -> Result<(), ScanError> {
    if buffer.len() < bytes {
        // frees the old buffer before the new one is allocated
        *buffer = stream.alloc(0)?;
        *buffer = stream.alloc(bytes)?;
    }
    Ok(())
}

/// Waits for all copies before the host memory that they access is released.
struct WaitForAll<'a> {
    streams: Vec<&'a Stream>,
}

impl Drop for WaitForAll<'_> {
    fn drop(&mut self) {
        for stream in &self.streams {
            // the error has been reported by the operation that failed
            let _ = stream.synchronize();
        }
    }
}

impl ScanSlot<'_> {
    /// Enqueues the upload of a chunk.
    ///
    /// # Safety
    /// Until [`DeviceSlots::with_slots`] returns, the elements must stay alive and unchanged.
    pub unsafe fn begin_upload<I: crate::device::Element>(
        &mut self,
        elements: &[I],
    ) -> Result<(), ScanError> {
        let bytes = bytemuck::cast_slice(elements);
        // SAFETY: guaranteed by the caller; the stream is synchronised before that.
        unsafe { self.stream.begin_write(self.input, bytes)? };
        Ok(())
    }

    /// Enqueues the scan of the uploaded chunk's `len` elements.
    pub fn scan<I, V, O>(&mut self, len: usize, params: &ScanParams<V>) -> Result<(), ScanError>
    where
        I: Scannable<V, O>,
        V: ScanValue,
        O: Operator<V>,
    {
        assert!(len * size_of::<I>() <= self.input.len());
        // this many elements fit, every bit pattern is valid, and a buffer is sufficiently aligned
        let input = View::for_launch(self.input.pointer().cast::<I>(), len);
        let output = result_view(self.output, len);
        // SAFETY: both belong to the slot's device and have the same length.
        unsafe { self.scanner.scan_views::<I, V, O>(input, output, params)? };
        Ok(())
    }

    /// Enqueues the download of the last scan's total.
    pub fn begin_total(&mut self) -> Result<(), ScanError> {
        // SAFETY: the words outlive the work, and are read after synchronisation.
        unsafe { self.stream.begin_read(&self.scanner.memory, self.total)? };
        Ok(())
    }

    /// Returns the downloaded total. Synchronises the stream.
    pub fn total<V: ScanValue>(&mut self) -> Result<V, ScanError> {
        self.stream.synchronize()?;
        let bytes: &[u8] = bytemuck::cast_slice(self.total);
        Ok(bytemuck::pod_read_unaligned(&bytes[..size_of::<V>()]))
    }

    /// Enqueues the combination of `offset` with `len` results.
    pub fn add_offset<I, V, O>(&mut self, offset: V, len: usize) -> Result<(), ScanError>
    where
        I: Scannable<V, O>,
        V: ScanValue,
        O: Operator<V>,
    {
        let output = result_view(self.output, len);
        // SAFETY: the output belongs to the slot.
        unsafe { <I as Sealed<V, O>>::add_offset(self.stream, offset, output)? };
        Ok(())
    }

    /// Enqueues the download of the first `results.len()` results.
    ///
    /// # Safety
    /// Until [`DeviceSlots::with_slots`] returns, the results must stay alive, and no other code
    /// may access them.
    pub unsafe fn begin_download<V: ScanValue>(
        &mut self,
        results: &mut [V],
    ) -> Result<(), ScanError> {
        let bytes = bytemuck::cast_slice_mut(results);
        // SAFETY: guaranteed by the caller; the stream is synchronised before that.
        unsafe { self.stream.begin_read(self.output, bytes)? };
        Ok(())
    }
}

/// Returns a view of the first `len` results.
fn result_view<V: ScanValue>(output: &mut Buffer<u8>, len: usize) -> ViewMut<'_, V> {
    assert!(len * size_of::<V>() <= output.len());
    // this many values fit, every bit pattern is valid, and a buffer is sufficiently aligned
    ViewMut::for_launch(output.pointer().cast::<V>(), len)
}
