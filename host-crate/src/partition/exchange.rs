//! State shared by workers on several threads, and waiting for its changes.
//!
//! Devices that run the same work usually publish within microseconds of each other, whereas
//! waking a sleeping thread takes tens of microseconds. A wait therefore spins for
//! [`SPIN_TIME`] before it sleeps, and an update wakes threads only if some are asleep.

use std::{
    hint::spin_loop,
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

/// Time that a wait spins before it sleeps: slightly more than sleeping and waking up take.
const SPIN_TIME: Duration = Duration::from_micros(80);
/// Number of polls between two readings of the clock.
const POLLS: u32 = 64;

/// State shared by workers, with updates and blocking waits.
pub(crate) struct Exchange<T> {
    guarded: Mutex<Guarded<T>>,
    /// Number of updates.
    changes: AtomicUsize,
    changed: Condvar,
}

struct Guarded<T> {
    value: T,
    /// `true` after a worker stopped early.
    has_failed: bool,
    /// Number of sleeping workers.
    asleep: usize,
}

/// A worker stopped early, so that a value will never be published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WorkerFailed;

impl<T> Exchange<T> {
    pub fn new(value: T) -> Self {
        Self {
            guarded: Mutex::new(Guarded {
                value,
                has_failed: false,
                asleep: 0,
            }),
            changes: AtomicUsize::new(0),
            changed: Condvar::new(),
        }
    }

    /// Updates the state, and wakes waiting workers.
    pub fn update<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        let mut guarded = self.lock();
        let result = change(&mut guarded.value);
        self.notify(guarded);
        result
    }

    /// Blocks until `poll` returns a value for the state, and returns that value.
    ///
    /// # Errors
    /// [`WorkerFailed`] if a worker stopped early.
    pub fn wait<R>(&self, mut poll: impl FnMut(&T) -> Option<R>) -> Result<R, WorkerFailed> {
        let mut end = None;
        loop {
            let version = self.changes.load(Ordering::Acquire);
            let guarded = self.lock();
            if let Some(result) = guarded.poll(&mut poll) {
                return result;
            }
            drop(guarded);
            let end = *end.get_or_insert_with(|| Instant::now() + SPIN_TIME);
            if !self.changes_before(end, version) {
                return self.sleep_until(poll);
            }
        }
    }

    /// Returns a guard that makes all waits fail if it is dropped before [`Guard::done`] is called,
    /// by an error or by a panic.
    pub fn guard(&self) -> Guard<'_, T> {
        Guard {
            exchange: self,
            done: false,
        }
    }

    /// Returns the final state.
    pub fn into_inner(self) -> T {
        let guarded = self.guarded.into_inner();
        guarded.unwrap_or_else(PoisonError::into_inner).value
    }

    /// Spins until the state has another version than `version` or until `end`; returns `true` in
    /// the former case.
    fn changes_before(&self, end: Instant, version: usize) -> bool {
        loop {
            for _ in 0..POLLS {
                if self.changes.load(Ordering::Acquire) != version {
                    return true;
                }
                spin_loop();
            }
            if Instant::now() >= end {
                return false;
            }
        }
    }

    fn sleep_until<R>(&self, mut poll: impl FnMut(&T) -> Option<R>) -> Result<R, WorkerFailed> {
        let mut guarded = self.lock();
        loop {
            if let Some(result) = guarded.poll(&mut poll) {
                return result;
            }
            guarded.asleep += 1;
            let woken = self.changed.wait(guarded);
            guarded = woken.unwrap_or_else(PoisonError::into_inner);
            guarded.asleep -= 1;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Guarded<T>> {
        self.guarded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn notify(&self, guarded: MutexGuard<'_, Guarded<T>>) {
        let asleep = guarded.asleep;
        self.changes.fetch_add(1, Ordering::Release);
        drop(guarded);
        // notifying costs a system call even if no thread sleeps
        if asleep > 0 {
            self.changed.notify_all();
        }
    }
}

impl<T> Guarded<T> {
    fn poll<R>(&self, poll: &mut impl FnMut(&T) -> Option<R>) -> Option<Result<R, WorkerFailed>> {
        if self.has_failed {
            return Some(Err(WorkerFailed));
        }
        poll(&self.value).map(Ok)
    }
}

/// Guard of a worker; see [`Exchange::guard`].
pub(crate) struct Guard<'a, T> {
    exchange: &'a Exchange<T>,
    done: bool,
}

impl<T> Guard<'_, T> {
    /// Marks the worker as finished: it has published all of its values.
    pub fn done(mut self) {
        self.done = true;
    }
}

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        if !self.done {
            let mut guarded = self.exchange.lock();
            guarded.has_failed = true;
            self.exchange.notify(guarded);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partition::devices::run_workers;
    use std::{panic, thread};

    /// A pause longer than [`SPIN_TIME`].
    const LONG: Duration = Duration::from_millis(5);

    #[test]
    fn published_values_reach_all_workers_while_spinning_and_asleep() {
        for pause in [Duration::ZERO, Duration::from_micros(20), LONG] {
            let exchange = Exchange::new(vec![None; 4]);
            let sums = run_workers(0..4, |worker, job| {
                assert_eq!(worker, job);
                if worker == 2 {
                    thread::sleep(pause);
                }
                exchange.update(|values| values[worker] = Some(worker + 10));
                exchange.wait(|values| values.iter().copied().sum::<Option<usize>>())
            })
            .unwrap();
            assert_eq!(sums, [Ok(46); 4]);
            assert_eq!(exchange.into_inner(), [10, 11, 12, 13].map(Some));
        }
    }

    #[test]
    fn many_updates_are_all_seen() {
        let exchange = Exchange::new([0usize; 3]);
        run_workers(0..3, |worker, _| {
            for round in 1..=2000 {
                exchange.update(|values| values[worker] = round);
                let reached = |values: &[usize; 3]| values.iter().all(|&other| other >= round);
                exchange
                    .wait(|values| reached(values).then_some(()))
                    .unwrap();
            }
        })
        .unwrap();
        assert_eq!(exchange.into_inner(), [2000; 3]);
    }

    #[test]
    fn waits_fail_if_a_worker_leaves_early() {
        for pause in [Duration::ZERO, LONG] {
            let exchange = Exchange::new(());
            let results = run_workers(0..3, |worker, _| {
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
            assert_eq!(results, [Err(WorkerFailed), Ok(()), Err(WorkerFailed)]);
        }
    }

    #[test]
    fn panic_of_a_worker_ends_all_and_propagates() {
        for panicking in 0..3 {
            let exchange = Exchange::new(());
            let outcome = panic::catch_unwind(panic::AssertUnwindSafe(|| {
                run_workers(0..3, |worker, _| {
                    let guard = exchange.guard();
                    assert!(worker != panicking, "worker {worker}");
                    let waited = exchange.wait(|()| None::<()>);
                    guard.done();
                    waited
                })
            }));
            assert!(outcome.is_err());
        }
    }
}
