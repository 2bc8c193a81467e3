//! How far work is.

use super::{Cancelled, Monitor};
use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// How far a stage is, by all devices together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The stage, such as `slabs` or `field`.
    pub stage: &'static str,
    /// Steps that are done.
    pub done: u64,
    /// All steps.
    pub all: u64,
    /// The time since the stage began.
    pub elapsed: Duration,
}

impl Progress {
    /// What part of the stage is done, from 0 to 1.
    pub fn fraction(&self) -> f64 {
        match self.all {
            0 => 1.0,
            all => self.done as f64 / all as f64,
        }
    }

    /// How long the rest will take, if it takes for each step what it took so far; None before
    /// anything is done.
    ///
    /// ```
    /// use ferrovox::monitor::Progress;
    /// use std::time::Duration;
    ///
    /// let elapsed = Duration::from_secs(3);
    /// let progress = Progress { stage: "field", done: 25, all: 100, elapsed };
    /// assert_eq!(progress.left(), Some(Duration::from_secs(9)));
    /// ```
    pub fn left(&self) -> Option<Duration> {
        let left = self.all.saturating_sub(self.done) as f64;
        (self.done > 0).then(|| self.elapsed.mul_f64(left / self.done as f64))
    }
}

/// The least time between two calls of a hook.
pub(crate) const PAUSE: Duration = Duration::from_millis(100);

/// Adds up what several threads have done of a stage, and calls the hook.
pub struct Counter<'a> {
    monitor: Monitor<'a>,
    stage: &'static str,
    all: u64,
    start: Instant,
    known: Mutex<Known>,
}

/// The state of a counter.
#[derive(Default)]
struct Known {
    done: u64,
    told: Option<Instant>,
}

impl<'a> Counter<'a> {
    pub(super) fn new(monitor: Monitor<'a>, stage: &'static str, all: u64) -> Self {
        Self {
            monitor,
            stage,
            all,
            start: Instant::now(),
            known: Mutex::default(),
        }
    }

    /// Counts steps that are done. The hook is called if they are the last, or if it has not been
    /// called for a while.
    ///
    /// # Errors
    /// [`Cancelled`] if the work is to stop.
    pub fn add(&self, steps: u64) -> Result<(), Cancelled> {
        if let Some(hook) = self.monitor.hook {
            let now = Instant::now();
            // locked during the call: what is reported only grows
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            known.done += steps;
            let is_late = known.told.is_none_or(|told| now - told >= PAUSE);
            if is_late || known.done >= self.all {
                known.told = Some(now);
                hook(Progress {
                    stage: self.stage,
                    done: known.done,
                    all: self.all,
                    elapsed: now - self.start,
                });
            }
        }
        self.check()
    }

    /// Fails if the work is to stop. Counts nothing and locks nothing.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn check(&self) -> Result<(), Cancelled> {
        self.monitor.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::monitor::CancelFlag;

    #[test]
    fn what_is_told_grows_to_all() {
        let told = Mutex::new(Vec::new());
        let hook = |progress: Progress| told.lock().unwrap().push(progress.done);
        let counter = Monitor::silent().on_progress(&hook).counter("steps", 100);
        for _ in 0..50 {
            counter.add(2).unwrap();
        }
        let told = told.into_inner().unwrap();
        assert_eq!((told[0], told[told.len() - 1]), (2, 100));
        assert!(told.len() < 10, "{told:?}");
    }

    #[test]
    fn a_flag_stops_all_who_count() {
        let flag = CancelFlag::new();
        let monitor = Monitor::silent().cancelled_by(&flag);
        let counter = monitor.counter("steps", 2);
        assert_eq!((counter.add(1), monitor.check()), (Ok(()), Ok(())));
        flag.clone().cancel();
        assert_eq!(
            (counter.add(1), monitor.check()),
            (Err(Cancelled), Err(Cancelled))
        );
    }
}
