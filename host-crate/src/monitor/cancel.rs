//! Cancellation of work.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// A flag that any thread, or a signal handler, can set to cancel work. Clones share one flag.
#[derive(Clone, Debug, Default)]
pub struct CancelFlag(Arc<AtomicBool>);

impl CancelFlag {
    /// Creates a flag that is not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the flag.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns the flag for code that reads it without this type.
    pub(crate) fn as_atomic(&self) -> &AtomicBool {
        &self.0
    }

    /// Returns `true` if the flag is set.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The error of work that its caller cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;
