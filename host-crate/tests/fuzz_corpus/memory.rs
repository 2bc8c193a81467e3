//! Memory that a reader uses, and its limit.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Allowed memory in addition to a multiple of the input, in bytes: buffers and one step of growth.
const MEMORY: usize = 24 << 20;
/// Allowed multiple of the input: the expansion of compressed data, doubled for samples that are
/// converted.
const PER_BYTE: usize = 2 * 1032;

/// Returns the limit for an input of this many bytes.
pub fn limit(bytes: usize) -> isize {
    (MEMORY + PER_BYTE * bytes) as isize
}

/// Runs `act` and returns the peak memory of this thread meanwhile, in bytes above the initial
/// value.
pub fn peak<R>(act: impl FnOnce() -> R) -> (R, isize) {
    PEAK.set(0);
    LIVE.set(0);
    let result = act();
    (result, PEAK.get())
}

/// System allocator that counts the current and the peak memory of the calling thread.
struct PendingCount;

thread_local! {
    static LIVE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn count(change: isize) {
    // A thread that is ending has no counters any more.
    let _ = LIVE.try_with(|live| {
        live.set(live.get() + change);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(live.get())));
    });
}

// SAFETY: every call is forwarded to the system allocator unchanged; counting neither allocates nor
// panics (the counters need no initialization and have no destructor).
unsafe impl GlobalAlloc for PendingCount {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's obligations are the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller's obligations are the same.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's obligations are the same.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as isize - layout.size() as isize);
        // SAFETY: the caller's obligations are the same.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: PendingCount = PendingCount;
