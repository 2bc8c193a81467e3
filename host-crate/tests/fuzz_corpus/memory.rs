//! What a reading takes of memory, and what it may take.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Memory that one reading may take beyond a multiple of its input: the buffers, and one step of
/// growth.
const MEMORY: usize = 24 << 20;
/// The multiple: what one byte of compressed data may become, twice over for samples that are
/// converted.
const PER_BYTE: usize = 2 * 1032;

/// Bytes that reading so many may take.
pub fn limit(bytes: usize) -> isize {
    (MEMORY + PER_BYTE * bytes) as isize
}

/// Runs `act`; the most bytes that this thread held meanwhile beyond those before.
pub fn peak<R>(act: impl FnOnce() -> R) -> (R, isize) {
    PEAK.set(0);
    LIVE.set(0);
    let result = act();
    (result, PEAK.get())
}

/// The system's allocator, counting what the calling thread holds and held at most.
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

// SAFETY: every call is handed to the system's allocator unchanged; counting neither allocates nor
// panics (the counters need no initialisation and have no destructor).
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
