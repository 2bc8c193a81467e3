//! Limits that end a runaway launch in checked mode.

use std::cell::Cell;
use std::time::Duration;

/// Limits of launches in checked mode.
///
/// A step of a thread is a tracked access, a barrier, a warp operation, or an iteration of a loop
/// in an instrumented kernel. A thread that makes no steps cannot be ended; the watchdog then
/// prints a message and aborts the process.
///
/// ```
/// use simt::{LaunchError, LaunchShape, Limits, Mode, sync};
///
/// let limits = Limits { steps: Some(1000), ..Limits::default() };
/// let body = || loop {
///     sync::barrier();
/// };
/// // SAFETY: the threads wait only in `body`, not in an initialiser of a thread-local variable.
/// let result = limits.apply(|| unsafe {
///     simt::launch("endless", LaunchShape::new(1, 32), Mode::Checked { seed: 1 }, body)
/// });
/// assert!(matches!(result, Err(LaunchError::StepLimit { steps: 1000, .. })));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of steps per thread (default: 2^28). Exceeding it is
    /// [`LaunchError::StepLimit`](crate::LaunchError::StepLimit).
    pub steps: Option<u64>,
    /// Maximum duration of a launch (default: unlimited), checked when a thread makes a step.
    /// Exceeding it is [`LaunchError::TimeLimit`](crate::LaunchError::TimeLimit).
    pub time: Option<Duration>,
    /// Maximum CPU time that a thread may use without making a step (default: 120 s). After that
    /// the process is **aborted** with a message that names kernel, block and thread. Time during
    /// which a debugger has stopped the program does not count.
    pub watchdog: Option<Duration>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            steps: Some(1 << 28),
            time: None,
            watchdog: Some(Duration::from_secs(120)),
        }
    }
}

thread_local! {
    static LIMITS: Cell<Option<Limits>> = const { Cell::new(None) };
}

/// Restores a thread's previous limits when dropped, also after a panic.
struct Restore(Option<Limits>);

impl Drop for Restore {
    fn drop(&mut self) {
        let _ = LIMITS.try_with(|limits| limits.set(self.0));
    }
}

impl Limits {
    /// No limits at all.
    pub const NONE: Limits = Limits {
        steps: None,
        time: None,
        watchdog: None,
    };

    /// Runs `work` with these limits for the checked launches that it makes on this thread.
    pub fn apply<R>(self, work: impl FnOnce() -> R) -> R {
        let _restore = Restore(LIMITS.replace(Some(self)));
        work()
    }

    /// Returns the limits for launches of this thread.
    pub(crate) fn current() -> Limits {
        LIMITS.get().unwrap_or_default()
    }
}
