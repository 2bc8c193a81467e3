//! State of a thread that applies to its loops on all threads: caught panics, and cancellation.

use crate::monitor::{CancelFlag, Cancelled};
use std::{
    cell::{Cell, RefCell},
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
};

thread_local! {
    /// `true` while the thread works for a caller that catches panics.
    static IS_PANIC_CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Returns `true` if a panic of the calling thread is caught by the caller of
/// [`with_caught_panics`], on this thread or as one of its loops.
pub(crate) fn is_panic_caught() -> bool {
    IS_PANIC_CAUGHT.get()
}

/// Calls `act`, whose panics the caller catches if `is_caught`. Loops pass that on to the threads
/// that run them.
pub(crate) fn with_caught_panics<R>(is_caught: bool, act: impl FnOnce() -> R) -> R {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            IS_PANIC_CAUGHT.set(self.0);
        }
    }
    let _restore = Restore(IS_PANIC_CAUGHT.replace(is_caught));
    act()
}

thread_local! {
    /// Flag that ends the loops of the thread.
    static CANCEL: RefCell<Option<CancelFlag>> = const { RefCell::new(None) };
}

/// Calls `work`, whose loops end soon after the flag is set: at the next item they unwind the stack
/// up to this function, as a failed allocation does, without a panic message. This covers the
/// calling thread and the threads that run its loops.
///
/// # Errors
/// [`Cancelled`] if a loop ended early; the errors of `work`.
pub(crate) fn catch_cancelled<T, E: From<Cancelled>>(
    flag: Option<&CancelFlag>,
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    let work = || with_cancel_flag(flag.cloned(), work);
    // unwind safety: partial results are dropped
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result,
        Err(panic) if panic.is::<Cancelled>() => Err(Cancelled.into()),
        Err(panic) => resume_unwind(panic),
    }
}

/// Calls `act` with a flag that ends its loops.
fn with_cancel_flag<R>(flag: Option<CancelFlag>, act: impl FnOnce() -> R) -> R {
    struct Restore(Option<CancelFlag>);
    impl Drop for Restore {
        fn drop(&mut self) {
            CANCEL.set(self.0.take());
        }
    }
    let _restore = Restore(CANCEL.replace(flag));
    act()
}

/// Unwinds the stack up to [`catch_cancelled`] if the flag of the thread is set. Long loops of one
/// thread call this once per about a thousand items.
pub(crate) fn unwind_if_cancelled() {
    let is_cancelled =
        |flag: &Option<CancelFlag>| flag.as_ref().is_some_and(CancelFlag::is_cancelled);
    if CANCEL.with_borrow(is_cancelled) {
        resume_unwind(Box::new(Cancelled));
    }
}

/// Runs a job that is independent of the loops that the calling thread may be waiting for.
pub(crate) fn run_job<R>(job: impl FnOnce() -> R) -> R {
    Inherited::default().apply(job)
}

/// State of the calling thread that applies to its loops on other threads, too.
#[derive(Default)]
pub(super) struct Inherited {
    is_panic_caught: bool,
    cancel: Option<CancelFlag>,
}

impl Inherited {
    pub fn from_current_thread() -> Self {
        Self {
            is_panic_caught: is_panic_caught(),
            cancel: CANCEL.with_borrow(Clone::clone),
        }
    }

    /// Calls `act` with this state, unless it is cancelled.
    pub fn apply<R>(&self, act: impl FnOnce() -> R) -> R {
        with_caught_panics(self.is_panic_caught, || {
            with_cancel_flag(self.cancel.clone(), || {
                unwind_if_cancelled();
                act()
            })
        })
    }
}
