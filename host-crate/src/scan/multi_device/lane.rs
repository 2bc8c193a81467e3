//! What each device keeps from scan to scan: streams, with memory for a chunk.

use crate::{
    device::{Buffer, Device, HostBuffer, Stream},
    partition::devices::Stop,
    scan::{
        Operator, ScanError, ScanOf, ScanParams, ScanValue, Scanner, element::sealed::Sealed,
        kept::ScannerMemory,
    },
};
use cuda_std::{View, ViewMut};

/// Chunks whose upload is enqueued before the host synchronises with an earlier one's total.
pub(super) const AHEAD: usize = 2;
/// Chunks that a device has at a time: those ahead, one that is scanned from its offset, one that
/// is downloaded.
pub(super) const SLOTS: usize = AHEAD + 2;

/// Words of a total on the host, as many as a scanner's.
const TOTAL_WORDS: usize = 2;

/// A device, with a slot for each chunk that it has at a time.
pub(super) struct Lane {
    pub device: Device,
    slots: Vec<Slot>,
    /// Where the slots' totals go; pinned, so that the copies are enqueued behind the scans.
    totals: Option<HostBuffer<u64>>,
}

/// A stream with memory for a chunk, of elements of any sort.
struct Slot {
    stream: Stream,
    /// `None` before the first scan, and after one that failed.
    scanner: Option<ScannerMemory>,
    input: Buffer<u8>,
    output: Buffer<u8>,
}

/// A slot at work.
pub(super) struct Worker<'a> {
    stream: &'a Stream,
    scanner: Scanner<'a>,
    input: &'a mut Buffer<u8>,
    output: &'a mut Buffer<u8>,
    total: &'a mut [u64],
}

impl Lane {
    pub fn new(device: Device) -> Self {
        Self {
            device,
            slots: Vec::new(),
            totals: None,
        }
    }

    /// Lets `work` use `slots` slots, [`SLOTS`] at most, whose chunks have at most `input_bytes`
    /// and `output_bytes` bytes. Synchronises with all that it enqueued, also when it fails or
    /// panics.
    pub fn work(
        &mut self,
        slots: usize,
        input_bytes: usize,
        output_bytes: usize,
        work: impl FnOnce(&mut [Worker<'_>]) -> Result<(), Stop<ScanError>>,
    ) -> Result<(), Stop<ScanError>> {
        while self.slots.len() < slots {
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
        let mut waiting = WaitForAll {
            streams: Vec::with_capacity(slots),
        };
        let mut workers = Vec::with_capacity(slots);
        let mut keep = Vec::with_capacity(slots);
        for (slot, total) in self.slots[..slots]
            .iter_mut()
            .zip(totals.chunks_exact_mut(TOTAL_WORDS))
        {
            let stream = &slot.stream;
            grow(stream, &mut slot.input, input_bytes)?;
            grow(stream, &mut slot.output, output_bytes)?;
            waiting.streams.push(stream);
            workers.push(Worker {
                stream,
                scanner: match slot.scanner.take() {
                    Some(memory) => memory.on(stream),
                    None => Scanner::new(stream)?,
                },
                input: &mut slot.input,
                output: &mut slot.output,
                total,
            });
            keep.push(&mut slot.scanner);
        }
        work(&mut workers)?;
        for stream in &waiting.streams {
            stream.synchronize()?;
        }
        for (kept, worker) in keep.into_iter().zip(workers) {
            *kept = Some(worker.scanner.into());
        }
        Ok(())
    }
}

/// Grows a buffer to at least this many bytes. What it held is lost.
fn grow(stream: &Stream, buffer: &mut Buffer<u8>, bytes: usize) -> Result<(), ScanError> {
    if buffer.len() < bytes {
        // not both at a time
        *buffer = stream.alloc(0)?;
        *buffer = stream.alloc(bytes)?;
    }
    Ok(())
}

/// Waits for all copies before the memory that they use is given back.
struct WaitForAll<'a> {
    streams: Vec<&'a Stream>,
}

impl Drop for WaitForAll<'_> {
    fn drop(&mut self) {
        for stream in &self.streams {
            // an error has been reported by what failed
            let _ = stream.synchronize();
        }
    }
}

impl Worker<'_> {
    /// Enqueues a chunk's upload.
    ///
    /// # Safety
    /// Until [`Lane::work`] returns, the elements live and are not changed.
    pub unsafe fn begin_upload<I: crate::device::Element>(
        &mut self,
        elements: &[I],
    ) -> Result<(), ScanError> {
        let bytes = bytemuck::cast_slice(elements);
        // SAFETY: the caller's promise; the stream is synchronised before that.
        unsafe { self.stream.begin_write(self.input, bytes)? };
        Ok(())
    }

    /// Enqueues the scan of the uploaded chunk's `len` elements.
    pub fn scan<I, V, O>(&mut self, len: usize, params: &ScanParams<V>) -> Result<(), ScanError>
    where
        I: ScanOf<V, O>,
        V: ScanValue,
        O: Operator<V>,
    {
        assert!(len * size_of::<I>() <= self.input.len());
        // this many elements fit, any bytes are an element, and a buffer is aligned for all of them
        let input = View::for_launch(self.input.pointer().cast::<I>(), len);
        let output = output_of(self.output, len);
        // SAFETY: both are of the slot's device and have the same length.
        unsafe { self.scanner.scan_views::<I, V, O>(input, output, params)? };
        Ok(())
    }

    /// Enqueues the download of the last scan's total.
    pub fn begin_total(&mut self) -> Result<(), ScanError> {
        // SAFETY: the words outlive the work, and are read after it has been waited for.
        unsafe { self.stream.begin_read(&self.scanner.total, self.total)? };
        Ok(())
    }

    /// The total that comes. Synchronises the stream.
    pub fn total<V: ScanValue>(&mut self) -> Result<V, ScanError> {
        self.stream.synchronize()?;
        let bytes: &[u8] = bytemuck::cast_slice(self.total);
        Ok(bytemuck::pod_read_unaligned(&bytes[..size_of::<V>()]))
    }

    /// Enqueues that `offset` is combined with `len` results.
    pub fn add_offset<I, V, O>(&mut self, offset: V, len: usize) -> Result<(), ScanError>
    where
        I: ScanOf<V, O>,
        V: ScanValue,
        O: Operator<V>,
    {
        let output = output_of(self.output, len);
        // SAFETY: the output is the slot's own.
        unsafe { <I as Sealed<V, O>>::add_offset(self.stream, offset, output)? };
        Ok(())
    }

    /// Enqueues the download of as many results as there is room for.
    ///
    /// # Safety
    /// Until [`Lane::work`] returns, the results live and nothing else uses them.
    pub unsafe fn begin_download<V: ScanValue>(
        &mut self,
        results: &mut [V],
    ) -> Result<(), ScanError> {
        let bytes = bytemuck::cast_slice_mut(results);
        // SAFETY: the caller's promise; the stream is synchronised before that.
        unsafe { self.stream.begin_read(self.output, bytes)? };
        Ok(())
    }
}

/// The first `len` results.
fn output_of<V: ScanValue>(output: &mut Buffer<u8>, len: usize) -> ViewMut<'_, V> {
    assert!(len * size_of::<V>() <= output.len());
    // this many fit, any bytes are a value, and a buffer is aligned for all of them
    ViewMut::for_launch(output.pointer().cast::<V>(), len)
}
