//! Bus bandwidth: copies the chunks of a scan to the devices and back, without scanning.

use crate::support::Outcome;
use ferrovox::device::{Buffer, Device, DeviceError, Stream};

/// Number of chunks in flight per device, as in the scan.
const SLOTS: usize = 4;

/// A stream with memory for a chunk.
struct Slot {
    stream: Stream,
    memory: Buffer<u32>,
}

/// Streams and memory for copying chunks to several devices; chunks are assigned round-robin.
pub struct Copies {
    device_slots: Vec<Vec<Slot>>,
    lengths: Vec<usize>,
}

impl Copies {
    /// Creates the streams and allocates the device memory, which all runs reuse. `lengths` are the
    /// numbers of elements of the chunks.
    pub fn new(devices: &[Device], lengths: &[usize]) -> Outcome<Self> {
        let capacity = lengths.iter().max().copied().unwrap_or(0);
        let slot = |device: &Device| {
            let stream = device.stream()?;
            let memory = stream.alloc(capacity)?;
            Ok::<_, DeviceError>(Slot { stream, memory })
        };
        let slots = |device| (0..SLOTS).map(|_| slot(device)).collect();
        Ok(Self {
            device_slots: devices
                .iter()
                .map(slots)
                .collect::<Result<_, DeviceError>>()?,
            lengths: lengths.to_vec(),
        })
    }

    /// Copies `input` to the devices and from there to `output`. A device's chunks use its streams
    /// in turn, so that uploads and downloads overlap.
    pub fn run(&mut self, mut input: &[u32], mut output: &mut [u32]) -> Outcome<()> {
        let count = self.device_slots.len();
        let mut chunks_by_device: Vec<Vec<_>> = (0..count).map(|_| Vec::new()).collect();
        for (number, &length) in self.lengths.iter().enumerate() {
            let (from, rest) = input.split_at(length);
            input = rest;
            let (to, rest) = output.split_at_mut(length);
            output = rest;
            chunks_by_device[number % count].push((from, to));
        }
        let mut device_slots = self.device_slots.iter_mut().zip(chunks_by_device);
        let first = device_slots.next();
        let results: Vec<Result<(), DeviceError>> = std::thread::scope(|scope| {
            let others: Vec<_> = device_slots
                .map(|(slots, chunks)| scope.spawn(move || copy(slots, chunks)))
                .collect();
            let first = first.map(|(slots, chunks)| copy(slots, chunks));
            let join = |thread: std::thread::ScopedJoinHandle<'_, _>| {
                thread.join().expect("a copy does not panic")
            };
            first
                .into_iter()
                .chain(others.into_iter().map(join))
                .collect()
        });
        for result in results {
            result?;
        }
        Ok(())
    }
}

/// Copies the chunks of a device, and waits for completion.
fn copy(slots: &mut [Slot], chunks: Vec<(&[u32], &mut [u32])>) -> Result<(), DeviceError> {
    let mut enqueued = Ok(());
    for (number, (from, to)) in chunks.into_iter().enumerate() {
        let Slot { stream, memory } = &mut slots[number % SLOTS];
        // SAFETY: `from` and `to` are borrowed until this function returns, and it waits for all
        // copies first, even if one fails.
        enqueued = unsafe {
            let written = stream.begin_write(memory, from);
            written.and_then(|()| stream.begin_read(memory, to))
        };
        if enqueued.is_err() {
            break;
        }
    }
    let waited: Vec<_> = slots.iter().map(|slot| slot.stream.synchronize()).collect();
    waited.into_iter().fold(enqueued, Result::and)
}
