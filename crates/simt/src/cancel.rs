//! Cancellation of the launches of a thread.

use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    /// Flag of the innermost [`with_cancel_flag`] on this thread, or null.
    static FLAG: Cell<*const AtomicBool> = const { Cell::new(ptr::null()) };
}

/// Restores the flag of the enclosing call.
struct RestoreGuard(*const AtomicBool);

impl Drop for RestoreGuard {
    fn drop(&mut self) {
        FLAG.set(self.0);
    }
}

/// Calls `f`, whose launches in [`Mode::Fast`](crate::Mode::Fast) on this thread end early with
/// [`LaunchError::Cancelled`](crate::LaunchError::Cancelled) soon after `flag` is set: their CPU
/// threads check it between two chunks of blocks.
///
/// ```
/// use simt::{LaunchError, LaunchShape, Mode, launch, with_cancel_flag};
/// use std::sync::atomic::{AtomicBool, Ordering};
///
/// let flag = AtomicBool::new(false);
/// let body = || flag.store(true, Ordering::Relaxed);
/// // SAFETY: the threads do not wait.
/// let run = || unsafe { launch("cancel", LaunchShape::new(1 << 20, 1), Mode::Fast, body) };
/// assert!(matches!(with_cancel_flag(&flag, run), Err(LaunchError::Cancelled { .. })));
/// assert!(run().is_ok());
/// ```
pub fn with_cancel_flag<R>(flag: &AtomicBool, f: impl FnOnce() -> R) -> R {
    let _restore = RestoreGuard(FLAG.replace(ptr::from_ref(flag)));
    f()
}

/// Cancel flag that a launch took from its calling thread.
pub(crate) struct CancelCheck(*const AtomicBool);

// SAFETY: the flag is only read, atomically, and lives until the launch returns to its caller.
unsafe impl Sync for CancelCheck {}

impl CancelCheck {
    /// Takes the flag of the calling thread, for a launch that returns within [`with_cancel_flag`].
    pub(crate) fn from_thread() -> Self {
        Self(FLAG.get())
    }

    /// Returns `true` if the flag is set.
    #[inline]
    pub(crate) fn is_cancelled(&self) -> bool {
        // SAFETY: the borrow in `with_cancel_flag` outlives the launch.
        unsafe { self.0.as_ref() }.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}
