//! Exclusive scans between the stages of the staged method.

use crate::{
    device::{Buffer, DeviceError, Element, Launch, Stream},
    scan,
};
use ferrovox_kernels::{
    sample::Count,
    scan::{Segments, reduce_segments, scan_segment_sums, scan_segments},
};

/// Scans of `N` inputs whose first two passes are enqueued, so that the totals are known before
/// outputs are allocated.
pub(super) struct PendingScans<'a, const N: usize> {
    inputs: [&'a Buffer<u8>; N],
    segments: [Segments; N],
    /// For each scan, the offset of each segment, followed by the total.
    offsets: Buffer<u64>,
}

impl<'a, const N: usize> PendingScans<'a, N> {
    /// Enqueues the passes that compute the offset of each segment.
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
            // SAFETY: `sums` has one element per segment and one more; the second pass has one
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

    /// Returns the total of each input. Synchronises with the enqueued passes.
    pub fn totals(&self, stream: &Stream) -> Result<[u64; N], DeviceError> {
        let offsets = stream.download(&self.offsets)?;
        Ok(std::array::from_fn(|which| {
            offsets[self.offsets_start(which) + offsets_len(self.segments[which]) - 1]
        }))
    }

    /// Enqueues the last pass of one scan. The caller has checked that its total fits `I`.
    pub fn finish<I: Count + Element>(
        &self,
        stream: &Stream,
        which: usize,
    ) -> Result<Buffer<I>, DeviceError> {
        let (input, segments) = (self.inputs[which], self.segments[which]);
        let start = self.offsets_start(which);
        let mut output = stream.alloc::<I>(input.len())?;
        // SAFETY: input and output have the same length, and there is one offset per segment.
        unsafe {
            let offsets = self.offsets.view().slice(start, offsets_len(segments));
            let args = (input.view(), segments, offsets, 0, 0, output.view_mut());
            let launch = Launch::pieces(segments.segments());
            stream.launch::<scan_segments<u8, I>>(launch, args)?;
        }
        Ok(output)
    }

    /// Returns the index in `offsets` of the first offset of a scan.
    fn offsets_start(&self, which: usize) -> usize {
        let before = &self.segments[..which];
        before.iter().map(|segments| offsets_len(*segments)).sum()
    }
}

/// Returns the number of offsets of a scan, including the total.
fn offsets_len(segments: Segments) -> usize {
    segments.segments() as usize + 1
}
