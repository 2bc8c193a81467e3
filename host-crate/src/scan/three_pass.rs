//! Scan in three passes: reduce, scan of the sums, scan of the segments.

use super::ScanKind;
use crate::device::{DeviceError, Launch, Stream};
use cuda_std::{KernelType, View, ViewMut};
use ferrovox_kernels::{
    sample::Count,
    scan::{
        Segments, THREE_PASS_ITEMS, reduce_segments, scan_segment_sums, scan_segments, write_total,
    },
};

/// Number of segments per multiprocessor of a GPU, or per thread of the CPU.
const SEGMENTS_PER_MULTIPROCESSOR: u64 = 8;

/// Divides an input into segments for the device of a stream.
pub(crate) fn segments(stream: &Stream, len: usize) -> Segments {
    let limits = stream.device().limits();
    let max_segments = limits.multiprocessors as u64 * SEGMENTS_PER_MULTIPROCESSOR;
    let tile = (limits.threads_per_block as usize * THREE_PASS_ITEMS) as u64;
    let count = len as u64;
    let length = count
        .div_ceil(max_segments)
        .next_multiple_of(tile)
        .max(tile);
    Segments { count, length }
}

/// Enqueues the three passes, and a single-thread kernel that adds `initial` to the total.
///
/// # Safety
/// `input` and `output` have the same length and are identical or do not overlap; `total` has one
/// element; all belong to the stream's device.
pub(super) unsafe fn three_pass<T: Count, V: Count + KernelType>(
    stream: &Stream,
    input: View<'_, T>,
    initial: u64,
    kind: ScanKind,
    output: ViewMut<'_, V>,
    total: ViewMut<'_, V>,
) -> Result<(), DeviceError> {
    let segments = segments(stream, input.len());
    let pieces = segments.segments();
    let mut sums = stream.alloc::<u64>(pieces as usize + 1)?;
    let inclusive = (kind == ScanKind::Inclusive).into();
    // SAFETY: `sums` has one element per segment and one more; everything else is guaranteed by the
    // caller.
    unsafe {
        let launch = Launch::pieces(pieces);
        stream.launch::<reduce_segments<T>>(launch, (input, segments, sums.view_mut()))?;
        let args = (pieces, sums.view_mut());
        stream.launch::<scan_segment_sums>(Launch::one_block(), args)?;
        let args = (input, segments, sums.view(), initial, inclusive, output);
        stream.launch::<scan_segments<T, V>>(launch, args)?;
        let args = (initial, pieces, sums.view(), total);
        stream.launch::<write_total<V>>(Launch::one_block().max_useful_threads(1), args)
    }
}
