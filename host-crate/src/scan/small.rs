//! Scan of short lists.

use crate::device::{Buffer, DeviceError, Launch, Stream};
use cuda_std::ViewMut;
use ferrovox_kernels::scan::{GATHERED_LEN, SMALL_ITEMS, Segments, scan_small};

/// Minimum number of elements per segment: two iterations of the largest block. A list of one
/// segment needs one launch; a second launch would take as long as two further iterations.
const MIN_SEGMENT: u64 = 2 * 1024 * SMALL_ITEMS as u64;

/// Replaces a short list by its exclusive prefix sums without synchronisation, by a kernel that
/// drivers compile quickly. It reads every element twice and, per segment, the sums of all
/// preceding segments; use [`Scanner`](super::Scanner) for longer lists.
pub(crate) fn exclusive_small(stream: &Stream, data: &mut Buffer<u64>) -> Result<(), DeviceError> {
    let mut none = stream.alloc::<u64>(0)?;
    launch(stream, data.view_mut(), [0; GATHERED_LEN], none.view_mut())
}

/// As [`exclusive_small`], and also writes the scanned elements with the indices `at` to
/// `gathered`, so that one small transfer brings them to the host.
pub(crate) fn exclusive_small_and_gather(
    stream: &Stream,
    data: ViewMut<'_, u64>,
    at: [u64; GATHERED_LEN],
    gathered: ViewMut<'_, u64>,
) -> Result<(), DeviceError> {
    debug_assert!(at.iter().all(|&at| at < data.len() as u64));
    launch(stream, data, at, gathered)
}

fn launch(
    stream: &Stream,
    data: ViewMut<'_, u64>,
    at: [u64; GATHERED_LEN],
    gathered: ViewMut<'_, u64>,
) -> Result<(), DeviceError> {
    let count = data.len() as u64;
    // as many segments as the device processes concurrently
    let max_segments = 2 * u64::from(stream.device().limits().multiprocessors);
    let segments = Segments {
        count,
        length: count.div_ceil(max_segments).max(MIN_SEGMENT),
    };
    let pieces = segments.segments();
    let mut sums = stream.alloc::<u64>(pieces as usize)?;
    let mut launch = |scan: u32| {
        let args = (data, segments, sums.view_mut(), scan, at, gathered);
        // SAFETY: there is one sum per segment, and `gathered` has four elements or none.
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
    fn short_lists_of_any_length_are_scanned() {
        // blocks of several threads, which must all execute the same iterations
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
