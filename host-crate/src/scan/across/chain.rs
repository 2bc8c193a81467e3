//! How a part learns what comes before it.

use crate::scan::{Operator, ScanError, ScanValue};
use std::{
    marker::PhantomData,
    sync::{Condvar, Mutex, PoisonError},
};

/// The totals of the parts, as they become known.
pub(super) struct Chain<V, O> {
    known: Mutex<Known<V>>,
    changed: Condvar,
    operator: PhantomData<fn() -> O>,
}

struct Known<V> {
    /// Each part's own total.
    totals: Vec<Option<V>>,
    /// What comes before each of the first parts; one more than there are parts in the end.
    before: Vec<V>,
    /// One of the devices failed.
    failed: bool,
}

impl<V: ScanValue, O: Operator<V>> Chain<V, O> {
    /// Of `parts` parts after `initial`.
    pub fn new(initial: V, parts: usize) -> Self {
        Self {
            known: Mutex::new(Known {
                totals: vec![None; parts],
                before: vec![initial],
                failed: false,
            }),
            changed: Condvar::new(),
            operator: PhantomData,
        }
    }

    /// Says what a part's own total is.
    pub fn tell(&self, part: usize, total: V) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.totals[part] = Some(total);
        while let Some(&Some(total)) = known.totals.get(known.before.len() - 1) {
            let last = known.before[known.before.len() - 1];
            known.before.push(O::combine(last, total));
        }
        self.changed.notify_all();
    }

    /// What comes before a part. Waits until it is known.
    ///
    /// # Errors
    /// [`ScanError::NoDevices`] if another device failed.
    pub fn before(&self, part: usize) -> Result<V, ScanError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if known.failed {
                return Err(ScanError::NoDevices);
            }
            if let Some(&value) = known.before.get(part) {
                return Ok(value);
            }
            known = self
                .changed
                .wait(known)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The total of all parts.
    ///
    /// # Errors
    /// As [`before`](Self::before).
    pub fn total(&self) -> Result<V, ScanError> {
        let parts = {
            let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            known.totals.len()
        };
        self.before(parts)
    }

    /// Lets all others give up when the guard is dropped before it is done.
    pub fn give_up_unless_done(&self) -> Guard<'_, V, O> {
        Guard {
            chain: self,
            done: false,
        }
    }
}

/// See [`Chain::give_up_unless_done`].
pub(super) struct Guard<'a, V, O> {
    chain: &'a Chain<V, O>,
    done: bool,
}

impl<V, O> Guard<'_, V, O> {
    /// All is well.
    pub fn done(mut self) {
        self.done = true;
    }
}

impl<V, O> Drop for Guard<'_, V, O> {
    fn drop(&mut self) {
        if !self.done {
            let mut known = self
                .chain
                .known
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            known.failed = true;
            self.chain.changed.notify_all();
        }
    }
}
