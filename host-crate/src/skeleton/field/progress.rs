//! How far a force field is.

use crate::{
    device::{Event, Stream},
    skeleton::SkeletonError,
};
use ferrovox_kernels::skeleton::field::Portion;
use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// How far a force field is, by all devices together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Pairs of a source and a target that are done.
    pub done: u64,
    /// All such pairs.
    pub all: u64,
    /// The time since the work began.
    pub elapsed: Duration,
}

impl Progress {
    /// What part of the work is done, from 0 to 1.
    pub fn fraction(&self) -> f64 {
        match self.all {
            0 => 1.0,
            all => self.done as f64 / all as f64,
        }
    }

    /// How long the rest will take, if it takes for each pair what it took so far; None before anything is done.
    ///
    /// ```
    /// use ferrovox::skeleton::field::Progress;
    /// use std::time::Duration;
    ///
    /// let elapsed = Duration::from_secs(3);
    /// let progress = Progress { done: 25, all: 100, elapsed };
    /// assert_eq!(progress.left(), Some(Duration::from_secs(9)));
    /// ```
    pub fn left(&self) -> Option<Duration> {
        let left = self.all.saturating_sub(self.done) as f64;
        (self.done > 0).then(|| self.elapsed.mul_f64(left / self.done as f64))
    }
}

/// The time between two calls, and what a portion is to take.
const PAUSE: Duration = Duration::from_millis(100);

/// A portion is not more than so many times as large as the one before.
const GROWTH: u64 = 8;

/// Adds up what devices have done, and tells.
pub(super) struct Teller<'a> {
    hook: &'a (dyn Fn(Progress) + Sync),
    all: u64,
    start: Instant,
    known: Mutex<Known>,
}

/// What a teller knows.
struct Known {
    done: u64,
    told: Option<Instant>,
}

impl<'a> Teller<'a> {
    pub fn new(hook: &'a (dyn Fn(Progress) + Sync), all: u64) -> Self {
        Self {
            hook,
            all,
            start: Instant::now(),
            known: Mutex::new(Known {
                done: 0,
                told: None,
            }),
        }
    }

    /// So many more pairs are done. Told if it is the last, or if nothing has been told for a while.
    pub fn add(&self, pairs: u64) {
        let now = Instant::now();
        // kept while it tells: what is told only grows
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.done += pairs;
        let is_late = known.told.is_none_or(|told| now - told >= PAUSE);
        if is_late || known.done >= self.all {
            known.told = Some(now);
            (self.hook)(Progress {
                done: known.done,
                all: self.all,
                elapsed: now - self.start,
            });
        }
    }
}

/// Calls `launch` with portions of `all`, until all are launched, and `done` with how many more are done. Portions are whole multiples of a
/// `wave`, which a device does at a time. While one is waited for the next is under way. Waits for all.
pub(super) fn by_portions(
    stream: &Stream,
    all: Portion,
    wave: u64,
    mut launch: impl FnMut(Portion) -> Result<(), SkeletonError>,
    mut done: impl FnMut(u64),
) -> Result<(), SkeletonError> {
    let start = Instant::now();
    let (mut first, mut finished) = (all.first, 0);
    let mut size = wave.max(1);
    let mut under_way: Option<(Event, u64)> = None;
    while first < all.end || under_way.is_some() {
        let end = all.end.min(first + size);
        let next = match end > first {
            true => {
                launch(Portion { first, end })?;
                Some((stream.record()?, end - first))
            }
            false => None,
        };
        first = end;
        if let Some((event, items)) = std::mem::replace(&mut under_way, next) {
            event.synchronize()?;
            finished += items;
            done(items);
            size = next_size(size, wave.max(1), finished, start.elapsed());
        }
    }
    Ok(())
}

/// How large the next portion is, after so many in so long a time.
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
            let all = Portion {
                first: 5,
                end: 5 + count,
            };
            let launch = |portion: Portion| {
                assert!(portion.first == next && portion.end > next);
                next = portion.end;
                Ok(())
            };
            by_portions(&stream, all, 3, launch, |items| done += items).unwrap();
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

    #[test]
    fn what_is_told_grows_to_all() {
        let told = Mutex::new(Vec::new());
        let hook = |progress: Progress| told.lock().unwrap().push(progress.done);
        let teller = Teller::new(&hook, 100);
        for _ in 0..50 {
            teller.add(2);
        }
        let told = told.into_inner().unwrap();
        assert_eq!((told[0], told[told.len() - 1]), (2, 100));
        assert!(told.len() < 10, "{told:?}");
    }
}
