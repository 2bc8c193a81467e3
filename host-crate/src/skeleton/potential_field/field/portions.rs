//! A long launch in portions, so that its progress can be reported and it can be cancelled.

use crate::{
    device::{Event, Stream},
    skeleton::SkeletonError,
};
use ferrovox_kernels::skeleton::field::LaunchRange;
use std::time::{Duration, Instant};

/// What a portion is to take: about the time between two calls of a hook.
const PAUSE: Duration = Duration::from_millis(100);

/// A portion is at most this many times as large as the one before.
const GROWTH: u64 = 8;

/// Calls `launch` with portions of `all`, until all are launched, and `done` with how many more are
/// done; after an error of either no more are. Portions are whole multiples of a `wave`, which a
/// device does at a time. While the host waits for one, the next is running. Returns when all are
/// done.
pub(super) fn by_portions(
    stream: &Stream,
    all: LaunchRange,
    wave: u64,
    mut launch: impl FnMut(LaunchRange) -> Result<(), SkeletonError>,
    mut done: impl FnMut(u64) -> Result<(), SkeletonError>,
) -> Result<(), SkeletonError> {
    let start = Instant::now();
    let (mut first, mut finished) = (all.first, 0);
    let mut size = wave.max(1);
    let mut under_way: Option<(Event, u64)> = None;
    while first < all.end || under_way.is_some() {
        let end = all.end.min(first + size);
        let next = if end > first {
            launch(LaunchRange { first, end })?;
            Some((stream.record()?, end - first))
        } else {
            None
        };
        first = end;
        if let Some((event, items)) = std::mem::replace(&mut under_way, next) {
            event.synchronize()?;
            finished += items;
            done(items)?;
            size = next_size(size, wave.max(1), finished, start.elapsed());
        }
    }
    Ok(())
}

/// The size of the next portion, from what is finished after how long.
fn next_size(last: u64, wave: u64, finished: u64, elapsed: Duration) -> u64 {
    let rate = finished as f64 / elapsed.as_secs_f64().max(1e-9);
    let wanted = (rate * PAUSE.as_secs_f64()) as u64;
    let most = last.saturating_mul(GROWTH);
    wanted.min(most).div_ceil(wave).max(1).saturating_mul(wave)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;

    #[test]
    fn portions_are_everything_once() {
        let stream = Device::cpu().stream().unwrap();
        for count in [0, 1, 7, 1000] {
            let (mut next, mut done) = (5, 0);
            let all = LaunchRange {
                first: 5,
                end: 5 + count,
            };
            let launch = |portion: LaunchRange| {
                assert!(portion.first == next && portion.end > next);
                next = portion.end;
                Ok(())
            };
            let add = |items| {
                done += items;
                Ok(())
            };
            by_portions(&stream, all, 3, launch, add).unwrap();
            assert_eq!((next, done), (5 + count, count));
        }
    }

    #[test]
    fn portions_take_about_as_long_as_wanted() {
        let second = Duration::from_secs(1);
        assert_eq!(next_size(4, 4, 4, Duration::from_micros(1)), 32);
        assert_eq!(next_size(1000, 4, 5000, second), 500);
        assert_eq!(next_size(1000, 300, 5000, second), 600);
        assert_eq!(next_size(4, 4, 4, 100 * second), 4);
    }
}
