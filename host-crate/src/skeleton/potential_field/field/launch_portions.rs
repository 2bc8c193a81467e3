//! Launches divided into portions, for progress reports and cancellation.

use crate::{
    device::{Event, Stream},
    skeleton::SkeletonError,
};
use ferrovox_kernels::skeleton::field::LaunchRange;
use std::time::{Duration, Instant};

/// Target duration of a portion, about the interval between two calls of a progress hook.
const TARGET_DURATION: Duration = Duration::from_millis(100);

/// Maximum growth of a portion relative to the previous one.
const MAX_GROWTH: u64 = 8;

/// Calls `launch` with consecutive portions of `range`, and `done` with the size of each finished
/// portion; stops at the first error of either. Portions are multiples of `wave`, the number of
/// items that a device processes concurrently. While the host waits for a portion, the next one is
/// already running. Returns when all portions are finished. The functions are trait objects because
/// callers have one for each of their many kernels.
pub(super) fn launch_in_portions(
    stream: &Stream,
    range: LaunchRange,
    wave: u64,
    launch: &mut dyn FnMut(LaunchRange) -> Result<(), SkeletonError>,
    done: &mut dyn FnMut(u64) -> Result<(), SkeletonError>,
) -> Result<(), SkeletonError> {
    let start = Instant::now();
    let (mut first, mut finished) = (range.first, 0);
    let mut size = wave.max(1);
    let mut in_flight: Option<(Event, u64)> = None;
    while first < range.end || in_flight.is_some() {
        let end = range.end.min(first + size);
        let next = if end > first {
            launch(LaunchRange { first, end })?;
            Some((stream.record()?, end - first))
        } else {
            None
        };
        first = end;
        if let Some((event, items)) = std::mem::replace(&mut in_flight, next) {
            event.synchronize()?;
            finished += items;
            done(items)?;
            size = next_size(size, wave.max(1), finished, start.elapsed());
        }
    }
    Ok(())
}

/// Returns the size of the next portion, from the number of items finished and the time elapsed.
fn next_size(last: u64, wave: u64, finished: u64, elapsed: Duration) -> u64 {
    let rate = finished as f64 / elapsed.as_secs_f64().max(1e-9);
    let target = (rate * TARGET_DURATION.as_secs_f64()) as u64;
    let max = last.saturating_mul(MAX_GROWTH);
    target.min(max).div_ceil(wave).max(1).saturating_mul(wave)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;

    #[test]
    fn portions_cover_the_range_once() {
        let stream = Device::cpu().stream().unwrap();
        for count in [0, 1, 7, 1000] {
            let (mut next, mut done) = (5, 0);
            let range = LaunchRange {
                first: 5,
                end: 5 + count,
            };
            let mut launch = |portion: LaunchRange| {
                assert!(portion.first == next && portion.end > next);
                next = portion.end;
                Ok(())
            };
            let mut add = |items| {
                done += items;
                Ok(())
            };
            launch_in_portions(&stream, range, 3, &mut launch, &mut add).unwrap();
            assert_eq!((next, done), (5 + count, count));
        }
    }

    #[test]
    fn portion_size_follows_the_target_duration() {
        let second = Duration::from_secs(1);
        assert_eq!(next_size(4, 4, 4, Duration::from_micros(1)), 32);
        assert_eq!(next_size(1000, 4, 5000, second), 500);
        assert_eq!(next_size(1000, 300, 5000, second), 600);
        assert_eq!(next_size(4, 4, 4, 100 * second), 4);
    }
}
