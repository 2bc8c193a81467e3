//! Liveness of buffers and access to their values: slices have no lifetime, can outlive their
//! buffer, and can be used by several threads at a time.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::error::{CudaError, CudaResult};

/// Record of whether an allocation is alive, reused by later allocations. Never freed, so that
/// slices, which are `Copy`, can query it at any time.
#[derive(Debug, Default)]
struct Slot {
    /// Number of allocations that have used this slot and ended.
    ended: AtomicU64,
    /// Number of calls in progress that use the present allocation.
    uses: AtomicU64,
    /// Lock on the values, so that no call reads a value that another has half written.
    values: RwLock<()>,
}

/// Kind of access to the values of an allocation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Access {
    Read,
    Write,
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

    /// Returns `true` if both values refer to the same allocation.
    pub(crate) fn is_same(self, other: Allocation) -> bool {
        std::ptr::eq(self.slot, other.slot) && self.number == other.number
    }

    /// Keeps the allocation alive and its values locked for `access` until the guard is dropped.
    ///
    /// # Errors
    /// [`CudaError::BufferDropped`]
    pub(crate) fn enter(self, access: Access) -> CudaResult<UseGuard> {
        // Increments the counter before checking `ended`; `end` does it in the opposite order, so
        // that at least one of them observes the other.
        self.slot.uses.fetch_add(1, Ordering::SeqCst);
        let use_count = UseCount { slot: self.slot };
        if self.slot.ended.load(Ordering::SeqCst) != self.number {
            return Err(CudaError::BufferDropped);
        }
        let values = &self.slot.values;
        let lock = match access {
            Access::Read => ValuesLock::Read {
                _lock: values.read().unwrap_or_else(PoisonError::into_inner),
            },
            Access::Write => ValuesLock::Write {
                _lock: values.write().unwrap_or_else(PoisonError::into_inner),
            },
        };
        Ok(UseGuard {
            _lock: lock,
            _use_count: use_count,
        })
    }

    /// Keeps two allocations alive, the first locked for writing and the second for reading, until
    /// the guards are dropped.
    ///
    /// # Errors
    /// [`CudaError::BufferDropped`]
    pub(crate) fn enter_copy(
        target: Option<Allocation>,
        source: Option<Allocation>,
    ) -> CudaResult<[Option<UseGuard>; 2]> {
        let (Some(target), Some(source)) = (target, source) else {
            let target = target.map(|target| target.enter(Access::Write));
            let source = source.map(|source| source.enter(Access::Read));
            return Ok([target.transpose()?, source.transpose()?]);
        };
        if target.is_same(source) {
            return Ok([Some(target.enter(Access::Write)?), None]);
        }
        // One order for all calls, so that two copies in opposite directions cannot wait for each
        // other.
        if std::ptr::from_ref(target.slot) < std::ptr::from_ref(source.slot) {
            let target = target.enter(Access::Write)?;
            Ok([Some(target), Some(source.enter(Access::Read)?)])
        } else {
            let source = source.enter(Access::Read)?;
            Ok([Some(target.enter(Access::Write)?), Some(source)])
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

/// Guard of a call that uses an allocation. The lock is released first.
#[derive(Debug)]
pub(crate) struct UseGuard {
    _lock: ValuesLock,
    _use_count: UseCount,
}

/// Lock on the values of an allocation.
#[derive(Debug)]
enum ValuesLock {
    Read {
        _lock: RwLockReadGuard<'static, ()>,
    },
    Write {
        _lock: RwLockWriteGuard<'static, ()>,
    },
}

/// Entry in the number of calls that use an allocation.
#[derive(Debug)]
struct UseCount {
    slot: &'static Slot,
}

impl Drop for UseCount {
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
            let in_use = allocation.enter(Access::Read).unwrap();
            let owner = scope.spawn(|| {
                allocation.end();
                alive.store(false, Ordering::SeqCst);
            });
            std::thread::sleep(Duration::from_millis(20));
            assert!(alive.load(Ordering::SeqCst));
            drop(in_use);
            owner.join().unwrap();
        });
        assert_eq!(
            allocation.enter(Access::Write).err(),
            Some(CudaError::BufferDropped)
        );
        let next = Allocation::begin();
        assert!(next.enter(Access::Write).is_ok());
        assert_eq!(
            allocation.enter(Access::Write).err(),
            Some(CudaError::BufferDropped)
        );
        next.end();
    }
}
