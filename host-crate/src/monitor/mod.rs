//! Progress, cancellation and timings of long work.
//!
//! A [`Monitor`] goes with a call that may take long. It has a hook for [`Progress`] and a
//! [`CancelFlag`] that stops the work; [`Monitor::silent`] has neither. Everything that is cut in
//! parts (slabs, pieces, portions, rounds) checks it between two of them.
//!
//! ```
//! use ferrovox::monitor::{CancelFlag, Monitor, Progress};
//!
//! let cancel = CancelFlag::new();
//! let tell = |progress: Progress| eprintln!("{}: {:.0} %", progress.stage, 100.0 * progress.fraction());
//! let monitor = Monitor::silent().on_progress(&tell).cancelled_by(&cancel);
//! let counter = monitor.counter("slabs", 2);
//! counter.add(1)?;
//! cancel.cancel();
//! assert!(counter.add(1).is_err());
//! # Ok::<(), ferrovox::monitor::Cancelled>(())
//! ```

mod cancel;
mod progress;
mod times;

pub use cancel::{CancelFlag, Cancelled};
pub use progress::{Counter, Progress};
pub(crate) use times::add_times;
pub use times::{StageTime, Stopwatch};

use std::fmt;

/// A function that is called with progress.
type Hook<'a> = &'a (dyn Fn(Progress) + Sync);

/// Where progress is reported, and what cancels the work.
#[derive(Clone, Copy, Default)]
pub struct Monitor<'a> {
    hook: Option<Hook<'a>>,
    cancel: Option<&'a CancelFlag>,
}

impl fmt::Debug for Monitor<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Monitor")
            .field("is_watched", &self.hook.is_some())
            .field("cancel", &self.cancel)
            .finish()
    }
}

impl<'a> Monitor<'a> {
    /// Reports nothing, and nothing cancels the work.
    pub fn silent() -> Self {
        Self::default()
    }

    /// `hook` is called about ten times a second at most, by any thread.
    #[must_use]
    pub fn on_progress(self, hook: &'a (dyn Fn(Progress) + Sync)) -> Self {
        Self {
            hook: Some(hook),
            ..self
        }
    }

    /// The work stops with an error soon after the flag is set: when the part that is under way is
    /// done.
    #[must_use]
    pub fn cancelled_by(self, flag: &'a CancelFlag) -> Self {
        Self {
            cancel: Some(flag),
            ..self
        }
    }

    /// Whether nothing is reported, and nothing can cancel the work.
    pub fn is_silent(&self) -> bool {
        self.hook.is_none() && self.cancel.is_none()
    }

    /// Fails if the work is to stop.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn check(&self) -> Result<(), Cancelled> {
        match self.cancel {
            Some(flag) if flag.is_cancelled() => Err(Cancelled),
            _ => Ok(()),
        }
    }

    /// Counts a stage of `all` steps, by any number of threads together.
    pub fn counter(&self, stage: &'static str, all: u64) -> Counter<'a> {
        Counter::new(*self, stage, all)
    }
}
