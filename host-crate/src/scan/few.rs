//! The scan of a list that is too short for speed to matter.

use crate::device::{Buffer, DeviceError, Launch, Stream};
use ferrovox_kernels::scan::{FEW, Segments, sum_few_longs};

/// Elements of a segment, at least: two rounds of the largest block. Two more take no longer than a second launch.
const LEAST_SEGMENT: u64 = 2 * 1024 * FEW as u64;

/// Replaces a short list by its exclusive sums, with a kernel that takes a driver little time to compile. Nothing is waited
/// for. It reads every element twice, and for each segment the sums of all before it: longer lists are for
/// [`Scanner`](super::Scanner).
pub(crate) fn exclusive_of_few(stream: &Stream, data: &mut Buffer<u64>) -> Result<(), DeviceError> {
    let count = data.len() as u64;
    // as many segments as can be worked on at a time
    let most = 2 * u64::from(stream.device().limits().multiprocessors);
    let segments = Segments {
        count,
        length: count.div_ceil(most).max(LEAST_SEGMENT),
    };
    let pieces = segments.segments();
    let mut sums = stream.alloc::<u64>(pieces as usize)?;
    let mut launch = |scan: u32| {
        let args = (data.view_mut(), segments, sums.view_mut(), scan);
        // SAFETY: there is a sum for each segment.
        unsafe { stream.launch::<sum_few_longs>(Launch::pieces(pieces), args) }
    };
    if pieces > 1 {
        launch(0)?;
    }
    launch(1)
}
