//! The scan of a list that is too short for speed to matter.

use crate::device::{Buffer, DeviceError, Launch, Stream};
use cuda_std::ViewMut;
use ferrovox_kernels::scan::{PICKED, SMALL_ITEMS, Segments, scan_small};

/// Elements of a segment, at least: two rounds of the largest block. Two more take no longer than a
/// second launch.
const MIN_SEGMENT: u64 = 2 * 1024 * SMALL_ITEMS as u64;

/// Replaces a short list by its exclusive sums, with a kernel that takes a driver little time to
/// compile. Nothing is waited for. It reads every element twice, and for each segment the sums of
/// all before it: longer lists are for [`Scanner`](super::Scanner).
pub(crate) fn exclusive_small(stream: &Stream, data: &mut Buffer<u64>) -> Result<(), DeviceError> {
    let mut none = stream.alloc::<u64>(0)?;
    launch(stream, data.view_mut(), [0; PICKED], none.view_mut())
}

/// As [`exclusive_small`]; the sums with the numbers `at` are also written to `picked`, so that one
/// small transfer brings them to the host.
pub(crate) fn exclusive_small_and_pick(
    stream: &Stream,
    data: ViewMut<'_, u64>,
    at: [u64; PICKED],
    picked: ViewMut<'_, u64>,
) -> Result<(), DeviceError> {
    debug_assert!(at.iter().all(|&at| at < data.len() as u64));
    launch(stream, data, at, picked)
}

fn launch(
    stream: &Stream,
    data: ViewMut<'_, u64>,
    at: [u64; PICKED],
    picked: ViewMut<'_, u64>,
) -> Result<(), DeviceError> {
    let count = data.len() as u64;
    // as many segments as can be worked on at a time
    let most = 2 * u64::from(stream.device().limits().multiprocessors);
    let segments = Segments {
        count,
        length: count.div_ceil(most).max(MIN_SEGMENT),
    };
    let pieces = segments.segments();
    let mut sums = stream.alloc::<u64>(pieces as usize)?;
    let mut launch = |scan: u32| {
        let args = (data, segments, sums.view_mut(), scan, at, picked);
        // SAFETY: there is a sum for each segment, and room for four picked ones or none.
        unsafe { stream.launch::<scan_small>(Launch::pieces(pieces), args) }
    };
    if pieces > 1 {
        launch(0)?;
    }
    launch(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::{CpuOptions, Device};
    use simt::Mode;

    #[test]
    fn any_length() {
        // blocks of several threads, which must all go the same rounds
        let checked = CpuOptions {
            mode: Mode::Checked { seed: 7 },
            block: 64,
        };
        let more = [
            checked,
            CpuOptions {
                block: 96,
                ..Default::default()
            },
        ]
        .map(Device::cpu_with);
        for device in Device::all().into_iter().chain(more) {
            let stream = device.stream().unwrap();
            let segment = MIN_SEGMENT as usize;
            for len in [0, 1, 5, segment - 1, segment, segment + 1, 50_000, 100_003] {
                let values: Vec<u64> = (0..len as u64).map(|i| i * i % 1009).collect();
                let mut sums = stream.upload(&values).unwrap();
                exclusive_small(&stream, &mut sums).unwrap();
                let mut sum = 0;
                let expected: Vec<u64> = values
                    .iter()
                    .map(|value| {
                        let before = sum;
                        sum += value;
                        before
                    })
                    .collect();
                assert_eq!(stream.download(&sums).unwrap(), expected, "{device} {len}");
            }
        }
    }
}
