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
    lanes: Vec<Vec<Slot>>,
    lengths: Vec<usize>,
}

impl Copies {
    /// Creates the streams and allocates the device memory, which all runs reuse. `lengths` are the
    /// numbers of elements of the chunks.
    pub fn new(devices: &[Device], lengths: &[usize]) -> Outcome<Self> {
        let room = lengths.iter().max().copied().unwrap_or(0);
        let slot = |device: &Device| {
            let stream = device.stream()?;
            let memory = stream.alloc(room)?;
            Ok::<_, DeviceError>(Slot { stream, memory })
        };
        let lane = |device| (0..SLOTS).map(|_| slot(device)).collect();
        Ok(Self {
            lanes: devices
                .iter()
                .map(lane)
                .collect::<Result<_, DeviceError>>()?,
            lengths: lengths.to_vec(),
        })
    }

    /// Copies `input` to the devices and from there to `output`. A device's chunks use its streams
    /// in turn, so that uploads and downloads overlap.
    pub fn run(&mut self, mut input: &[u32], mut output: &mut [u32]) -> Outcome<()> {
        let count = self.lanes.len();
        let mut dealt: Vec<Vec<_>> = (0..count).map(|_| Vec::new()).collect();
        for (number, &length) in self.lengths.iter().enumerate() {
            let (from, rest) = input.split_at(length);
            input = rest;
            let (to, rest) = output.split_at_mut(length);
            output = rest;
            dealt[number % count].push((from, to));
        }
        let mut lanes = self.lanes.iter_mut().zip(dealt);
        let first = lanes.next();
        let results: Vec<Result<(), DeviceError>> = std::thread::scope(|scope| {
            let others: Vec<_> = lanes
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
    let mut begun = Ok(());
    for (turn, (from, to)) in chunks.into_iter().enumerate() {
        let Slot { stream, memory } = &mut slots[turn % SLOTS];
        // SAFETY: `from` and `to` are borrowed until this function returns, and it waits for all
        // copies first, even if one fails.
        begun = unsafe {
            let begin = stream.begin_write(memory, from);
            begin.and_then(|()| stream.begin_read(memory, to))
        };
        if begun.is_err() {
            break;
        }
    }
    let waited: Vec<_> = slots.iter().map(|slot| slot.stream.synchronize()).collect();
    waited.into_iter().fold(begun, Result::and)
}
