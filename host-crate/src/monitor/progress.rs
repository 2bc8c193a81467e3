//! Progress of a stage.

use super::{Cancelled, Monitor};
use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// Progress of a stage, over all devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Name of the stage, such as `slabs` or `field`.
    pub stage: &'static str,
    /// Number of finished steps.
    pub done: u64,
    /// Total number of steps.
    pub total: u64,
    /// Time since the start of the stage.
    pub elapsed: Duration,
}

impl Progress {
    /// Returns the finished fraction of the stage, from 0 to 1.
    pub fn fraction(&self) -> f64 {
        match self.total {
            0 => 1.0,
            total => self.done as f64 / total as f64,
        }
    }

    /// Estimates the remaining time from the average time per step so far; `None` before the first
    /// step is finished.
    ///
    /// ```
    /// use ferrovox::monitor::Progress;
    /// use std::time::Duration;
    ///
    /// let elapsed = Duration::from_secs(3);
    /// let progress = Progress { stage: "field", done: 25, total: 100, elapsed };
    /// assert_eq!(progress.remaining(), Some(Duration::from_secs(9)));
    /// ```
    pub fn remaining(&self) -> Option<Duration> {
        let remaining = self.total.saturating_sub(self.done) as f64;
        (self.done > 0).then(|| self.elapsed.mul_f64(remaining / self.done as f64))
    }
}

/// Minimum time between two calls of the callback.
pub(crate) const MIN_INTERVAL: Duration = Duration::from_millis(100);

/// Counts the finished steps of several threads, and calls the progress callback.
pub struct Counter<'a> {
    monitor: Monitor<'a>,
    stage: &'static str,
    total: u64,
    start: Instant,
    state: Mutex<CounterState>,
}

/// State of a counter.
#[derive(Default)]
struct CounterState {
    done: u64,
    /// Time of the last call of the callback.
    last_report: Option<Instant>,
}

impl<'a> Counter<'a> {
    pub(super) fn new(monitor: Monitor<'a>, stage: &'static str, total: u64) -> Self {
        Self {
            monitor,
            stage,
            total,
            start: Instant::now(),
            state: Mutex::default(),
        }
    }

    /// Adds finished steps. Calls the callback after the last step, or if enough time has passed
    /// since its last call.
    ///
    /// # Errors
    /// [`Cancelled`] if the work is cancelled.
    pub fn add(&self, steps: u64) -> Result<(), Cancelled> {
        if let Some(hook) = self.monitor.hook {
            let now = Instant::now();
            // locked during the call, so that reported numbers never decrease
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.done += steps;
            let is_due = state
                .last_report
                .is_none_or(|last| now - last >= MIN_INTERVAL);
            if is_due || state.done >= self.total {
                state.last_report = Some(now);
                hook(Progress {
                    stage: self.stage,
                    done: state.done,
                    total: self.total,
                    elapsed: now - self.start,
                });
            }
        }
        self.check()
    }

    /// Checks the cancel flag, without counting or locking.
    ///
    /// # Errors
    /// [`Cancelled`] if the work is cancelled.
    pub fn check(&self) -> Result<(), Cancelled> {
        self.monitor.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::monitor::CancelFlag;

    #[test]
    fn reported_steps_increase_to_the_total() {
        let reported = Mutex::new(Vec::new());
        let hook = |progress: Progress| reported.lock().unwrap().push(progress.done);
        let counter = Monitor::new().on_progress(&hook).counter("steps", 100);
        for _ in 0..50 {
            counter.add(2).unwrap();
        }
        let reported = reported.into_inner().unwrap();
        assert_eq!((reported[0], reported[reported.len() - 1]), (2, 100));
        assert!(reported.len() < 10, "{reported:?}");
    }

    #[test]
    fn cancel_flag_stops_all_counting_threads() {
        let flag = CancelFlag::new();
        let monitor = Monitor::new().cancelled_by(&flag);
        let counter = monitor.counter("steps", 2);
        assert_eq!((counter.add(1), monitor.check()), (Ok(()), Ok(())));
        flag.clone().cancel();
        assert_eq!(
            (counter.add(1), monitor.check()),
            (Err(Cancelled), Err(Cancelled))
        );
    }
}
