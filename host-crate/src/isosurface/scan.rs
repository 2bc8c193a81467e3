//! The exclusive scan between the stages.

use crate::device::{Buffer, DeviceError, Element, Launch, Stream};
use ferrovox_kernels::{
    sample::Count,
    scan::{ITEMS, Segments, reduce_segments, scan_segment_sums, scan_segments},
};

/// A scan of which the first two passes are enqueued: the total is known before the output is allocated.
pub(super) struct PendingScan<'a, T> {
    input: &'a Buffer<T>,
    segments: Segments,
    /// The offset of each segment, and the total after them.
    offsets: Buffer<u64>,
}

/// Segments per multiprocessor of a GPU, or per thread of the CPU.
const SEGMENTS_PER_MULTIPROCESSOR: u64 = 8;

impl<'a, T: Count + Element> PendingScan<'a, T> {
    /// Enqueues the passes that find each segment's offset.
    pub fn start(stream: &Stream, input: &'a Buffer<T>) -> Result<Self, DeviceError> {
        let limits = stream.device().limits();
        let most = limits.multiprocessors as u64 * SEGMENTS_PER_MULTIPROCESSOR;
        let count = input.len() as u64;
        let tile = (limits.threads_per_block as usize * ITEMS) as u64;
        let length = count.div_ceil(most).next_multiple_of(tile).max(tile);
        let segments = Segments { count, length };
        let mut offsets = stream.alloc::<u64>(segments.segments() as usize + 1)?;
        // SAFETY: `offsets` has an element for each segment and one more; the second pass has one block.
        unsafe {
            let launch = Launch::pieces(segments.segments());
            stream.launch::<reduce_segments<T>>(
                launch,
                (input.view(), segments, offsets.view_mut()),
            )?;
            let args = (segments.segments(), offsets.view_mut());
            stream.launch::<scan_segment_sums>(Launch::one_block(), args)?;
        }
        Ok(Self {
            input,
            segments,
            offsets,
        })
    }

    /// The sum of all elements. Waits for the passes that find it.
    pub fn total(&self, stream: &Stream) -> Result<u64, DeviceError> {
        let offsets = stream.download(&self.offsets)?;
        Ok(offsets[offsets.len() - 1])
    }

    /// Enqueues the last pass. The caller has made sure that the total fits `I`.
    pub fn finish<I: Count + Element>(self, stream: &Stream) -> Result<Buffer<I>, DeviceError> {
        let mut output = stream.alloc::<I>(self.input.len())?;
        // SAFETY: input and output have `count` elements, and there is an offset for each segment.
        unsafe {
            let launch = Launch::pieces(self.segments.segments());
            let args = (
                self.input.view(),
                self.segments,
                self.offsets.view(),
                output.view_mut(),
            );
            stream.launch::<scan_segments<T, I>>(launch, args)?;
        }
        Ok(output)
    }
}
