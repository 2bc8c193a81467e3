//! Progress, cancellation and timings of long-running work.
//!
//! A [`Monitor`] is passed to functions that may take long. It has an optional callback for
//! [`Progress`] and an optional [`CancelFlag`]; [`Monitor::new`] has neither. Work that is
//! divided into parts (slabs, pieces, chunks, passes) checks the flag between two parts.
//!
//! ```
//! use ferrovox::monitor::{CancelFlag, Monitor, Progress};
//!
//! let cancel = CancelFlag::new();
//! let report = |progress: Progress| {
//!     eprintln!("{}: {:.0} %", progress.stage, 100.0 * progress.fraction());
//! };
//! let monitor = Monitor::new().on_progress(&report).cancelled_by(&cancel);
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

/// Callback for progress.
type Hook<'a> = &'a (dyn Fn(Progress) + Sync);

/// Progress callback and cancel flag of a call.
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
    /// Creates a monitor that reports no progress and cannot be cancelled, until a callback or a
    /// flag is set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the progress callback, which is called at most about ten times per second, on any
    /// thread.
    #[must_use]
    pub fn on_progress(self, hook: &'a (dyn Fn(Progress) + Sync)) -> Self {
        Self {
            hook: Some(hook),
            ..self
        }
    }

    /// Sets the cancel flag. The work ends with an error soon after the flag is set, when the
    /// current part is finished.
    #[must_use]
    pub fn cancelled_by(self, flag: &'a CancelFlag) -> Self {
        Self {
            cancel: Some(flag),
            ..self
        }
    }

    /// Returns `true` if the monitor has neither a callback nor a flag.
    pub fn is_unobserved(&self) -> bool {
        self.hook.is_none() && self.cancel.is_none()
    }

    /// Returns the cancel flag.
    pub(crate) fn cancel_flag(&self) -> Option<&'a CancelFlag> {
        self.cancel
    }

    /// Checks the cancel flag.
    ///
    /// # Errors
    /// [`Cancelled`] if the flag is set.
    pub fn check(&self) -> Result<(), Cancelled> {
        match self.cancel {
            Some(flag) if flag.is_cancelled() => Err(Cancelled),
            _ => Ok(()),
        }
    }

    /// Creates a counter for a stage of `total` steps, which several threads can share.
    pub fn counter(&self, stage: &'static str, total: u64) -> Counter<'a> {
        Counter::new(*self, stage, total)
    }
}
