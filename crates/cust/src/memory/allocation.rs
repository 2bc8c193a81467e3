//! Liveness tracking of buffers: slices have no lifetime and can outlive their buffer.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::error::{CudaError, CudaResult};

/// Record of whether an allocation is alive, reused by later allocations. Never freed, so that
/// slices, which are `Copy`, can query it at any time.
#[derive(Debug, Default)]
struct Slot {
    /// Number of allocations that have used this slot and ended.
    ended: AtomicU64,
    /// Number of calls in progress that use the present allocation.
    uses: AtomicU64,
}

/// Unused slots. The number of slots is the maximum number of simultaneous buffers so far.
static FREE: Mutex<Vec<&'static Slot>> = Mutex::new(Vec::new());

/// Allocation owned by a buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allocation {
    slot: &'static Slot,
    /// Value of the slot's `ended` while this allocation is alive.
    number: u64,
}

impl Allocation {
    /// Starts tracking a new allocation.
    pub(crate) fn begin() -> Self {
        let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = free.pop().unwrap_or_else(|| Box::leak(Box::default()));
        Allocation {
            slot,
            number: slot.ended.load(Ordering::SeqCst),
        }
    }

    /// Keeps the allocation alive until the guard is dropped.
    ///
    /// # Errors
    /// [`CudaError::BufferDropped`]
    pub(crate) fn enter(self) -> CudaResult<UseGuard> {
        // Increments the counter before checking `ended`; `end` does it in the opposite order, so
        // that at least one of them observes the other.
        self.slot.uses.fetch_add(1, Ordering::SeqCst);
        let in_use = UseGuard { slot: self.slot };
        if self.slot.ended.load(Ordering::SeqCst) == self.number {
            Ok(in_use)
        } else {
            Err(CudaError::BufferDropped)
        }
    }

    /// Ends the allocation, after waiting for calls that use it. Called once, by the owner.
    pub(crate) fn end(self) {
        self.slot.ended.fetch_add(1, Ordering::SeqCst);
        while self.slot.uses.load(Ordering::SeqCst) > 0 {
            std::thread::yield_now();
        }
        let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
        free.push(self.slot);
    }
}

/// Guard of a call that uses an allocation.
#[derive(Debug)]
pub(crate) struct UseGuard {
    slot: &'static Slot,
}

impl Drop for UseGuard {
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
    fn an_allocation_ends_after_its_last_use() {
        let allocation = Allocation::begin();
        let alive = AtomicBool::new(true);
        std::thread::scope(|scope| {
            let in_use = allocation.enter().unwrap();
            let owner = scope.spawn(|| {
                allocation.end();
                alive.store(false, Ordering::SeqCst);
            });
            std::thread::sleep(Duration::from_millis(20));
            assert!(alive.load(Ordering::SeqCst));
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
