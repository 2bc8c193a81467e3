//! Chunks, each scanned from its offset on.

use super::{AcrossParams, Chain, Part};
use crate::{
    device::{Buffer, Device, Stream},
    scan::{Operator, ScanError, ScanOf, ScanParams, ScanValue, Scanner},
};

/// Chunks that a device has at a time: one comes, one is worked on, one goes.
const SLOTS: usize = 3;

/// A stream with memory for a chunk.
struct Slot<'s, I, V> {
    stream: &'s Stream,
    scanner: Scanner<'s>,
    input: Buffer<I>,
    output: Buffer<V>,
}

/// Scans a device's chunks, none longer than `chunk`.
pub(super) fn scan<I, V, O>(
    device: &Device,
    operator: O,
    mut parts: Vec<Part<'_, I, V>>,
    params: &AcrossParams<V>,
    chunk: usize,
    chain: &Chain<V, O>,
) -> Result<(), ScanError>
where
    I: ScanOf<V, O>,
    V: ScanValue,
    O: Operator<V> + Copy,
{
    let longest = parts.iter().map(|part| part.input.len()).max();
    let room = longest.unwrap_or(0).min(chunk);
    let mut streams = Vec::new();
    for _ in 0..SLOTS.min(parts.len()) {
        streams.push(device.stream()?);
    }
    let waiting = WaitForAll { streams: &streams };
    let mut slots = Vec::new();
    for stream in &streams {
        slots.push(Slot::<I, V> {
            stream,
            scanner: Scanner::new(stream)?,
            input: stream.alloc(room)?,
            output: stream.alloc(room)?,
        });
    }
    // each chunk's upload and first scan are under way before the one before it is waited for
    for turn in 0..=parts.len() {
        if let Some(part) = parts.get(turn) {
            slots[turn % SLOTS].begin(operator, part)?;
        }
        if let Some(part) = turn.checked_sub(1).and_then(|last| parts.get_mut(last)) {
            slots[(turn - 1) % SLOTS].finish(operator, part, params, chain)?;
        }
    }
    drop(slots);
    for stream in waiting.streams {
        stream.synchronize()?;
    }
    Ok(())
}

/// Waits for all copies before the memory that they use is given back, also after an error.
struct WaitForAll<'s> {
    streams: &'s [Stream],
}

impl Drop for WaitForAll<'_> {
    fn drop(&mut self) {
        for stream in self.streams {
            // an error has been or will be reported by what failed
            let _ = stream.synchronize();
        }
    }
}

impl<I, V> Slot<'_, I, V>
where
    V: ScanValue,
{
    /// Enqueues a chunk's upload, and the scan that finds its total.
    fn begin<O>(&mut self, operator: O, part: &Part<'_, I, V>) -> Result<(), ScanError>
    where
        I: ScanOf<V, O>,
        O: Operator<V> + Copy,
    {
        // SAFETY: the part is borrowed until the device's chunks are done, and they are waited for in any case.
        unsafe { self.stream.begin_write(&mut self.input, part.input)? };
        let params = ScanParams {
            initial: Some(O::identity()),
            ..Default::default()
        };
        self.scan(operator, part.input.len(), &params)
    }

    /// Learns a chunk's total, waits for what comes before it, and enqueues its scan and its download.
    fn finish<O>(
        &mut self,
        operator: O,
        part: &mut Part<'_, I, V>,
        params: &AcrossParams<V>,
        chain: &Chain<V, O>,
    ) -> Result<(), ScanError>
    where
        I: ScanOf<V, O>,
        O: Operator<V> + Copy,
    {
        chain.tell(part.number, self.scanner.total::<V>().download()?);
        let params = ScanParams {
            kind: params.kind,
            initial: Some(chain.before(part.number)?),
            ..Default::default()
        };
        self.scan(operator, part.input.len(), &params)?;
        // SAFETY: as for the upload; nothing else uses the part's output.
        unsafe { self.stream.begin_read(&self.output, part.output)? };
        Ok(())
    }

    fn scan<O>(&mut self, _operator: O, len: usize, params: &ScanParams<V>) -> Result<(), ScanError>
    where
        I: ScanOf<V, O>,
        O: Operator<V> + Copy,
    {
        let input = self.input.view().slice(0, len);
        let output = self.output.view_mut().slice(0, len);
        // SAFETY: both are of the slot's device and have the same length.
        unsafe { self.scanner.scan_views::<I, V, O>(input, output, params)? };
        Ok(())
    }
}
