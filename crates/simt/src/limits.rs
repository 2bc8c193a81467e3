//! What ends a launch in checked mode that would not end by itself.

use std::cell::Cell;
use std::time::Duration;

/// Limits of launches in checked mode.
///
/// A step of a thread is an access that is seen, a barrier, a warp operation, or a turn of a loop
/// in an instrumented kernel. Where a thread makes no step at all, nothing can end it: then a
/// monitoring thread says so and aborts the process.
///
/// ```
/// use simt::{LaunchError, LaunchShape, Limits, Mode, sync};
///
/// let limits = Limits { steps: Some(1000), ..Limits::default() };
/// let result = limits.apply(|| {
///     simt::launch("endless", LaunchShape::new(1, 32), Mode::Checked { seed: 1 }, || loop {
///         sync::barrier();
///     })
/// });
/// assert!(matches!(result, Err(LaunchError::StepLimit { steps: 1000, .. })));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Coroutine that a thread may make: 2^28 unless set. More are
    /// [`LaunchError::StepLimit`](crate::LaunchError::StepLimit).
    pub steps: Option<u64>,
    /// How long a launch may take: as long as it likes unless set. What takes longer is
    /// [`LaunchError::TimeLimit`](crate::LaunchError::TimeLimit). It is looked at when a thread
    /// makes a step.
    pub time: Option<Duration>,
    /// How long the CPU may work on one thread without a step: 120 s unless set. After that the
    /// process is **aborted**, with a message that names kernel, block and thread. The time that a
    /// debugger holds the program does not count.
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

/// Sets a thread's limits back, also where what ran under them panicked.
struct Restore(Option<Limits>);

impl Drop for Restore {
    fn drop(&mut self) {
        let _ = LIMITS.try_with(|limits| limits.set(self.0));
    }
}

impl Limits {
    /// No limits.
    pub const NONE: Limits = Limits {
        steps: None,
        time: None,
        watchdog: None,
    };

    /// Runs `work`; the checked launches that it makes on this thread have these limits.
    pub fn apply<R>(self, work: impl FnOnce() -> R) -> R {
        let _restore = Restore(LIMITS.replace(Some(self)));
        work()
    }

    /// Those of the launches that this thread makes now.
    pub(crate) fn current() -> Limits {
        LIMITS.get().unwrap_or_default()
    }
}
