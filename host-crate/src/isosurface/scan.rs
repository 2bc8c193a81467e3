//! The exclusive scans between the stages.

use crate::{
    device::{Buffer, DeviceError, Element, Launch, Stream},
    scan,
};
use ferrovox_kernels::{
    sample::Count,
    scan::{Segments, reduce_segments, scan_segment_sums, scan_segments},
};

/// Scans of `N` inputs of which the first two passes are enqueued: their totals are known before
/// any output is allocated.
pub(super) struct PendingScans<'a, const N: usize> {
    inputs: [&'a Buffer<u8>; N],
    segments: [Segments; N],
    /// For each scan the offset of each segment, and the total after them.
    offsets: Buffer<u64>,
}

impl<'a, const N: usize> PendingScans<'a, N> {
    /// Enqueues the passes that find each segment's offset.
    pub fn start(stream: &Stream, inputs: [&'a Buffer<u8>; N]) -> Result<Self, DeviceError> {
        let segments = inputs.map(|input| scan::segments(stream, input.len()));
        let len = segments.iter().map(|segments| offsets_len(*segments)).sum();
        let mut scans = Self {
            inputs,
            segments,
            offsets: stream.alloc(len)?,
        };
        for which in 0..N {
            let (segments, start) = (segments[which], scans.offsets_start(which));
            let sums = scans.offsets.view_mut().slice(start, offsets_len(segments));
            // SAFETY: `sums` has an element for each segment and one more; the second pass has one
            // block.
            unsafe {
                let launch = Launch::pieces(segments.segments());
                let args = (inputs[which].view(), segments, sums);
                stream.launch::<reduce_segments<u8>>(launch, args)?;
                let args = (segments.segments(), sums);
                stream.launch::<scan_segment_sums>(Launch::one_block(), args)?;
            }
        }
        Ok(scans)
    }

    /// The sums of all elements of each input. Waits, once, for the passes that find them.
    pub fn totals(&self, stream: &Stream) -> Result<[u64; N], DeviceError> {
        let offsets = stream.download(&self.offsets)?;
        Ok(std::array::from_fn(|which| {
            offsets[self.offsets_start(which) + offsets_len(self.segments[which]) - 1]
        }))
    }

    /// Enqueues the last pass of one scan. The caller has made sure that its total fits `I`.
    pub fn finish<I: Count + Element>(
        &self,
        stream: &Stream,
        which: usize,
    ) -> Result<Buffer<I>, DeviceError> {
        let (input, segments) = (self.inputs[which], self.segments[which]);
        let start = self.offsets_start(which);
        let mut output = stream.alloc::<I>(input.len())?;
        // SAFETY: input and output have `count` elements, and there is an offset for each segment.
        unsafe {
            let offsets = self.offsets.view().slice(start, offsets_len(segments));
            let args = (input.view(), segments, offsets, 0, 0, output.view_mut());
            let launch = Launch::pieces(segments.segments());
            stream.launch::<scan_segments<u8, I>>(launch, args)?;
        }
        Ok(output)
    }

    /// Where the sums of one scan begin in `offsets`.
    fn offsets_start(&self, which: usize) -> usize {
        let before = &self.segments[..which];
        before.iter().map(|segments| offsets_len(*segments)).sum()
    }
}

/// A sum for each segment, and the total.
fn offsets_len(segments: Segments) -> usize {
    segments.segments() as usize + 1
}
