//! Whether a buffer is still there: slices have no lifetime, and may outlive it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::error::{CudaError, CudaResult};

/// What says of one allocation after the other whether it is there. It lives for ever, so that a
/// slice, which is `Copy`, can ask.
#[derive(Debug, Default)]
struct Slot {
    /// How many allocations have had the slot, and been given back.
    ended: AtomicU64,
    /// Calls under way that use the present one.
    uses: AtomicU64,
}

/// Slots without an allocation: as many as there once were buffers at the same time.
static FREE: Mutex<Vec<&'static Slot>> = Mutex::new(Vec::new());

/// An allocation that a buffer owns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allocation {
    slot: &'static Slot,
    /// The slot's `ended` while this is there.
    number: u64,
}

impl Allocation {
    /// One that begins now.
    pub(crate) fn begin() -> Self {
        let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = free.pop().unwrap_or_else(|| Box::leak(Box::default()));
        Allocation {
            slot,
            number: slot.ended.load(Ordering::SeqCst),
        }
    }

    /// Keeps it from ending until the guard is dropped.
    ///
    /// # Errors
    /// [`CudaError::BufferDropped`]
    pub(crate) fn enter(self) -> CudaResult<InUse> {
        // First counted, then asked: `end` does it the other way round, so one of the two sees the
        // other.
        self.slot.uses.fetch_add(1, Ordering::SeqCst);
        let in_use = InUse { slot: self.slot };
        if self.slot.ended.load(Ordering::SeqCst) == self.number {
            Ok(in_use)
        } else {
            Err(CudaError::BufferDropped)
        }
    }

    /// Ends it, and waits for the calls that use it. For its one owner, once.
    pub(crate) fn end(self) {
        self.slot.ended.fetch_add(1, Ordering::SeqCst);
        while self.slot.uses.load(Ordering::SeqCst) > 0 {
            std::thread::yield_now();
        }
        let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
        free.push(self.slot);
    }
}

/// A call that uses an allocation is under way.
#[derive(Debug)]
pub(crate) struct InUse {
    slot: &'static Slot,
}

impl Drop for InUse {
    fn drop(&mut self) {
        self.slot.uses.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    #[test]
    fn it_ends_when_nobody_uses_it() {
        let allocation = Allocation::begin();
        let there = AtomicBool::new(true);
        std::thread::scope(|scope| {
            let in_use = allocation.enter().unwrap();
            let owner = scope.spawn(|| {
                allocation.end();
                there.store(false, Ordering::SeqCst);
            });
            std::thread::sleep(Duration::from_millis(20));
            assert!(there.load(Ordering::SeqCst));
            drop(in_use);
            owner.join().unwrap();
        });
        assert_eq!(allocation.enter().err(), Some(CudaError::BufferDropped));
        let next = Allocation::begin();
        assert!(next.enter().is_ok());
        assert_eq!(allocation.enter().err(), Some(CudaError::BufferDropped));
        next.end();
    }
}
