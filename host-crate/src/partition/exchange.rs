//! State that workers on several threads share, and how they wait for changes of it.
//!
//! What a device's worker waits for, when all devices do alike, comes within microseconds; to be
//! woken by the system takes tens of them. So a wait looks again and again for a while
//! ([`PATIENCE`]) before it sleeps, and nobody is woken who does not sleep.

use std::{
    hint::spin_loop,
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

/// How long a worker keeps its processor busy with waiting: a little more than it takes to sleep
/// and to be woken.
const PATIENCE: Duration = Duration::from_micros(80);
/// Looks between two looks at the clock.
const LOOKS: u32 = 64;

/// State that all workers share: how to change it, and how to wait for a change.
pub(crate) struct Exchange<T> {
    known: Mutex<Known<T>>,
    /// How often it changed.
    changes: AtomicUsize,
    changed: Condvar,
}

struct Known<T> {
    value: T,
    /// A worker stopped before it was done.
    given_up: bool,
    /// How many workers sleep.
    asleep: usize,
}

/// A worker stopped before it was done: what it would have published will not come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GivenUp;

impl<T> Exchange<T> {
    pub fn new(value: T) -> Self {
        Self {
            known: Mutex::new(Known {
                value,
                given_up: false,
                asleep: 0,
            }),
            changes: AtomicUsize::new(0),
            changed: Condvar::new(),
        }
    }

    /// Changes the state, and wakes the workers that wait.
    pub fn update<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        let mut known = self.lock();
        let result = change(&mut known.value);
        self.announce(known);
        result
    }

    /// What `look` finds. Waits until it finds something.
    ///
    /// # Errors
    /// [`GivenUp`] if a worker gave up.
    pub fn wait<R>(&self, mut look: impl FnMut(&T) -> Option<R>) -> Result<R, GivenUp> {
        let mut end = None;
        loop {
            let seen = self.changes.load(Ordering::Acquire);
            let known = self.lock();
            if let Some(found) = known.look(&mut look) {
                return found;
            }
            drop(known);
            let end = *end.get_or_insert_with(|| Instant::now() + PATIENCE);
            if !self.changes_before(end, seen) {
                return self.sleep_until(look);
            }
        }
    }

    /// Makes all waiting workers give up when the guard is dropped before it is done: by an error,
    /// or by a panic.
    pub fn guard(&self) -> Guard<'_, T> {
        Guard {
            exchange: self,
            done: false,
        }
    }

    /// What is known in the end.
    pub fn into_inner(self) -> T {
        let known = self.known.into_inner();
        known.unwrap_or_else(PoisonError::into_inner).value
    }

    /// Whether anything else than what was `seen` becomes known before `end`.
    fn changes_before(&self, end: Instant, seen: usize) -> bool {
        loop {
            for _ in 0..LOOKS {
                if self.changes.load(Ordering::Acquire) != seen {
                    return true;
                }
                spin_loop();
            }
            if Instant::now() >= end {
                return false;
            }
        }
    }

    fn sleep_until<R>(&self, mut look: impl FnMut(&T) -> Option<R>) -> Result<R, GivenUp> {
        let mut known = self.lock();
        loop {
            if let Some(found) = known.look(&mut look) {
                return found;
            }
            known.asleep += 1;
            let woken = self.changed.wait(known);
            known = woken.unwrap_or_else(PoisonError::into_inner);
            known.asleep -= 1;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Known<T>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn announce(&self, known: MutexGuard<'_, Known<T>>) {
        let asleep = known.asleep;
        self.changes.fetch_add(1, Ordering::Release);
        drop(known);
        // a wake-up without sleepers costs a system call
        if asleep > 0 {
            self.changed.notify_all();
        }
    }
}

impl<T> Known<T> {
    fn look<R>(&self, look: &mut impl FnMut(&T) -> Option<R>) -> Option<Result<R, GivenUp>> {
        if self.given_up {
            return Some(Err(GivenUp));
        }
        look(&self.value).map(Ok)
    }
}

/// See [`Exchange::guard`].
pub(crate) struct Guard<'a, T> {
    exchange: &'a Exchange<T>,
    done: bool,
}

impl<T> Guard<'_, T> {
    /// The worker is done, and has published everything.
    pub fn done(mut self) {
        self.done = true;
    }
}

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        if !self.done {
            let mut known = self.exchange.lock();
            known.given_up = true;
            self.exchange.announce(known);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partition::devices::each;
    use std::{panic, thread};

    /// Longer than [`PATIENCE`].
    const LONG: Duration = Duration::from_millis(5);

    #[test]
    fn what_is_told_is_known_to_all_at_once_or_late() {
        for pause in [Duration::ZERO, Duration::from_micros(20), LONG] {
            let exchange = Exchange::new(vec![None; 4]);
            let sums = each(0..4, |worker, job| {
                assert_eq!(worker, job);
                if worker == 2 {
                    thread::sleep(pause);
                }
                exchange.update(|told| told[worker] = Some(worker + 10));
                exchange.wait(|told| told.iter().copied().sum::<Option<usize>>())
            })
            .unwrap();
            assert_eq!(sums, [Ok(46); 4]);
            assert_eq!(exchange.into_inner(), [10, 11, 12, 13].map(Some));
        }
    }

    #[test]
    fn many_rounds_lose_no_change() {
        let exchange = Exchange::new([0usize; 3]);
        each(0..3, |worker, _| {
            for round in 1..=2000 {
                exchange.update(|told| told[worker] = round);
                let behind = |told: &[usize; 3]| told.iter().all(|&other| other >= round);
                exchange.wait(|told| behind(told).then_some(())).unwrap();
            }
        })
        .unwrap();
        assert_eq!(exchange.into_inner(), [2000; 3]);
    }

    #[test]
    fn who_leaves_early_is_not_waited_for() {
        for pause in [Duration::ZERO, LONG] {
            let exchange = Exchange::new(());
            let results = each(0..3, |worker, _| {
                let guard = exchange.guard();
                if worker == 1 {
                    thread::sleep(pause);
                    return Ok(());
                }
                let waited = exchange.wait(|()| None::<()>);
                guard.done();
                waited
            })
            .unwrap();
            assert_eq!(results, [Err(GivenUp), Ok(()), Err(GivenUp)]);
        }
    }

    #[test]
    fn a_panic_ends_all_and_goes_on() {
        for place in 0..3 {
            let exchange = Exchange::new(());
            let outcome = panic::catch_unwind(panic::AssertUnwindSafe(|| {
                each(0..3, |worker, _| {
                    let guard = exchange.guard();
                    assert!(worker != place, "worker {worker}");
                    let waited = exchange.wait(|()| None::<()>);
                    guard.done();
                    waited
                })
            }));
            assert!(outcome.is_err());
        }
    }
}
