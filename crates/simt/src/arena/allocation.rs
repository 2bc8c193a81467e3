//! Allocations for shared memory. They are kept after a launch and are never returned to the
//! system.
//!
//! Safe code may keep a reference to shared memory, such as a view that a function called by a
//! kernel stored in a thread-local. If the memory were freed, that reference could alias unrelated
//! values. Allocations are therefore reused for launches only: first by the operating-system thread
//! that owned them, and after its end by any other thread.

use super::guard_page::{self, GuardPage};
use std::alloc::{Layout, alloc, handle_alloc_error};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::mem;
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Alignment of every allocation, in bytes: one memory transaction, and at least the alignment of
/// nearly every type.
pub(super) const ALIGN: usize = 128;

/// An initialised allocation whose size is a power of two, so that it can be reused for other
/// arrays.
pub(super) struct SharedAllocation {
    start: NonNull<u8>,
    layout: Layout,
    /// Guard page behind the allocation, if the system provides one.
    guard: Option<&'static GuardPage>,
}

// SAFETY: an address and a size. An allocation is used only by the thread that holds it.
unsafe impl Send for SharedAllocation {}

impl SharedAllocation {
    fn layout_for(bytes: usize, align: usize) -> Layout {
        let size = bytes
            .max(guard_page::PAGE_BYTES)
            .checked_next_power_of_two();
        let Some(layout) =
            size.and_then(|size| Layout::from_size_align(size, align.max(ALIGN)).ok())
        else {
            panic!("shared memory of {bytes} bytes aligned to {align} cannot exist");
        };
        layout
    }

    fn new(layout: Layout, fill: u8) -> SharedAllocation {
        let (start, guard) = match guard_page::allocate(layout) {
            Some((start, guard)) => (start, Some(guard)),
            // SAFETY: the size is not zero.
            None => match NonNull::new(unsafe { alloc(layout) }) {
                Some(start) => (start, None),
                None => handle_alloc_error(layout),
            },
        };
        // SAFETY: the allocation has `layout.size()` bytes.
        unsafe { start.as_ptr().write_bytes(fill, layout.size()) };
        SharedAllocation {
            start,
            layout,
            guard,
        }
    }

    /// Returns the address just past the allocation.
    pub(super) fn end(&self) -> usize {
        self.start.as_ptr().addr() + self.layout.size()
    }

    /// Returns the start of an array of `bytes` bytes, for which the allocation was acquired. The
    /// array lies as close to the end of the allocation as its alignment allows, so that the guard
    /// page catches overruns.
    pub(super) fn place_array(&self, bytes: usize, align: usize, dynamic: bool) -> NonNull<u8> {
        if let Some(guard) = self.guard {
            guard.set_array(bytes, dynamic);
        }
        let padded_bytes = bytes.max(1).next_multiple_of(align.max(ALIGN));
        let offset = self.layout.size().saturating_sub(padded_bytes);
        // SAFETY: inside the allocation, which is at least as large and as aligned as the array.
        unsafe { self.start.add(offset) }
    }

    /// Returns an allocation of at least `bytes` bytes: a spare one of this thread or of an ended
    /// thread, or a new one.
    pub(super) fn acquire(bytes: usize, align: usize, fill: u8) -> SharedAllocation {
        let layout = SharedAllocation::layout_for(bytes, align);
        let take_fitting = |allocations: &mut Vec<SharedAllocation>| {
            let index = allocations
                .iter()
                .position(|allocation| allocation.layout == layout)?;
            Some(allocations.swap_remove(index))
        };
        THREAD_CACHE
            .try_with(|cache| take_fitting(&mut cache.borrow_mut().spare))
            .ok()
            .flatten()
            .or_else(|| take_fitting(&mut orphaned().spare))
            .unwrap_or_else(|| SharedAllocation::new(layout, fill))
    }

    /// Returns the allocation to the cache of this thread, for its next launches.
    pub(super) fn release(self) {
        let mut allocation = Some(self);
        let _ = THREAD_CACHE.try_with(|cache| cache.borrow_mut().spare.extend(allocation.take()));
        // the cache may already be destroyed while the thread exits
        orphaned().spare.extend(allocation);
    }
}

/// Returns the memory of the persistent static `key`: the same for all blocks that this
/// operating-system thread ever runs. `initialise` fills it if it is new.
pub(super) fn persistent(
    key: usize,
    bytes: usize,
    align: usize,
    initialise: impl FnOnce(*mut u8),
) -> NonNull<u8> {
    let create = || {
        let existing = orphaned().persistent.get_mut(&key).and_then(Vec::pop);
        existing.unwrap_or_else(|| {
            let allocation = SharedAllocation::new(SharedAllocation::layout_for(bytes, align), 0);
            initialise(allocation.start.as_ptr());
            PersistentValue {
                allocation,
                bytes,
                align,
            }
        })
    };
    let checked_start = |persistent: &PersistentValue| {
        assert!(
            (persistent.bytes, persistent.align) == (bytes, align),
            "the shared static of {} bytes is also used as {bytes} bytes; use a separate static for each value",
            persistent.bytes
        );
        persistent.allocation.start
    };
    let mut create = Some(create);
    let existing = THREAD_CACHE.try_with(|cache| {
        let mut cache = cache.borrow_mut();
        if let Some(existing) = cache.persistent.get(&key) {
            return Some(checked_start(existing));
        }
        let new = create.take()?();
        let start = checked_start(&new);
        cache.persistent.insert(key, new);
        Some(start)
    });
    match (existing.ok().flatten(), create) {
        (Some(start), _) => start,
        // the thread exits and has no cache: the value serves this launch only
        (None, Some(create)) => create().allocation.start,
        (None, None) => unreachable!("a newly created value was returned above"),
    }
}

/// Value of a persistent shared static.
struct PersistentValue {
    allocation: SharedAllocation,
    bytes: usize,
    align: usize,
}

/// Memory owned by one operating-system thread.
#[derive(Default)]
struct ThreadCache {
    spare: Vec<SharedAllocation>,
    /// Persistent values by the address of the static.
    persistent: HashMap<usize, PersistentValue>,
}

thread_local! {
    static THREAD_CACHE: RefCell<ThreadCache> = RefCell::default();
}

/// Memory whose owning threads have ended.
struct OrphanedMemory {
    spare: Vec<SharedAllocation>,
    persistent: BTreeMap<usize, Vec<PersistentValue>>,
}

static ORPHANED: Mutex<OrphanedMemory> = Mutex::new(OrphanedMemory {
    spare: Vec::new(),
    persistent: BTreeMap::new(),
});

fn orphaned() -> MutexGuard<'static, OrphanedMemory> {
    ORPHANED.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for ThreadCache {
    fn drop(&mut self) {
        let mut orphans = orphaned();
        orphans.spare.append(&mut self.spare);
        for (key, persistent) in mem::take(&mut self.persistent) {
            orphans.persistent.entry(key).or_default().push(persistent);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocations_are_reused_by_their_thread_and_then_by_others() {
        // no other test uses this allocation size
        let take = || SharedAllocation::acquire(5 << 20, 64, 0);
        let addresses = std::thread::spawn(move || {
            let first = take();
            let second = take();
            let address = first.start.addr();
            assert_ne!(address, second.start.addr());
            first.release();
            let again = take();
            assert_eq!(again.start.addr(), address);
            let addresses = [address, second.start.addr()];
            again.release();
            second.release();
            addresses
        })
        .join()
        .unwrap();
        let one = take();
        assert!(addresses.contains(&one.start.addr()));
        one.release();
    }

    #[test]
    fn persistent_values_are_created_once_per_thread() {
        static KEY: u8 = 0;
        let key = (&raw const KEY).addr();
        let value = move |new: u8| {
            let start = persistent(key, 3, 1, |start| {
                // SAFETY: the allocation has three bytes.
                unsafe { start.write_bytes(new, 3) }
            });
            // SAFETY: as above.
            (start.addr(), unsafe { start.add(2).read() })
        };
        let current_thread = value(1);
        assert_eq!((current_thread.1, value(2)), (1, current_thread));
        let there = std::thread::spawn(move || value(3)).join().unwrap();
        assert!(there.0 != current_thread.0 && there.1 == 3);
        let third = std::thread::spawn(move || value(4)).join().unwrap();
        assert_eq!(third, there, "the value's former thread has ended");
    }

    #[test]
    #[should_panic(expected = "cannot exist")]
    fn impossible_allocations_are_refused() {
        SharedAllocation::acquire(usize::MAX, 1, 0);
    }
}
