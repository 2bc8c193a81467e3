//! Allocator that refuses one allocation.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    backtrace::Backtrace,
    cell::Cell,
    sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::SeqCst},
};

/// Special number: no allocation is refused, and their locations are printed.
pub const SHOW_LOCATIONS: u64 = u64::MAX;

/// Default size in bytes from which allocations count.
pub const MIN_BYTES: usize = 64 << 10;

/// Third-party crates, and the executor, whose allocations abort the program on failure; none of
/// them grows with the input beyond the stated size.
const EXEMPT: [(&str, &str); 8] = [
    ("io/buffered", "buffers of files, of 256 KiB or 1 MiB"),
    ("miniz_oxide", "the state of a compressor, some hundred KiB"),
    (
        "zlib-rs",
        "the state of a compressor or decompressor, some hundred KiB",
    ),
    ("flate2", "the buffers of a compressor, 32 KiB each"),
    ("png::", "rows of a picture and its compressed bytes"),
    ("fdeflate", "compressed bytes of a picture"),
    ("crossbeam", "queues of tasks"),
    (
        "simt/src/arena",
        "shared memory of the executor's blocks, as much as a GPU's have",
    ),
];

struct RefusingAllocator;

#[global_allocator]
static ALLOCATOR: RefusingAllocator = RefusingAllocator;

/// Size in bytes from which allocations currently count.
static THRESHOLD: AtomicUsize = AtomicUsize::new(MIN_BYTES);
static IS_ARMED: AtomicBool = AtomicBool::new(false);
/// Number of allocations counted since the allocator was armed.
static COUNTED: AtomicU64 = AtomicU64::new(0);
/// Number of the allocation to refuse.
static REFUSED: AtomicU64 = AtomicU64::new(0);
/// `true` if an allocation was refused.
static WAS_REFUSED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// `true` while this thread captures a backtrace, which allocates too.
    static IS_INSPECTING: Cell<bool> = const { Cell::new(false) };
}

/// Runs a function with an allocator that refuses the allocation with the given number, counted
/// from 1 among those of at least `min_bytes` bytes. Returns its result, and `true` if there was
/// such an allocation.
pub fn with_refused_allocation<R>(
    number: u64,
    min_bytes: usize,
    run: impl FnOnce() -> R,
) -> (R, bool) {
    THRESHOLD.store(min_bytes, SeqCst);
    COUNTED.store(0, SeqCst);
    REFUSED.store(number, SeqCst);
    WAS_REFUSED.store(false, SeqCst);
    IS_ARMED.store(true, SeqCst);
    let result = run();
    IS_ARMED.store(false, SeqCst);
    (result, COUNTED.load(SeqCst) >= number)
}

/// Returns `true` if backtraces contain file names, as they do with debug information; exempt
/// crates are recognised by them.
pub fn has_debug_locations() -> bool {
    let backtrace = Backtrace::force_capture().to_string();
    backtrace.contains(file!().rsplit('/').next().unwrap_or_default())
}

/// Returns `true` if the allocation was refused and did not belong to an exempt crate.
pub fn was_refused() -> bool {
    WAS_REFUSED.load(SeqCst)
}

fn is_refused(bytes: usize) -> bool {
    if bytes < THRESHOLD.load(SeqCst) || !IS_ARMED.load(SeqCst) || IS_INSPECTING.get() {
        return false;
    }
    let refused = REFUSED.load(SeqCst);
    if COUNTED.fetch_add(1, SeqCst) + 1 != refused && refused != SHOW_LOCATIONS {
        return false;
    }
    IS_INSPECTING.set(true);
    let backtrace = Backtrace::force_capture().to_string();
    IS_INSPECTING.set(false);
    // callbacks of these crates are our own code again
    let exempt = backtrace
        .lines()
        .take_while(|line| !line.contains("/host-crate/src/"))
        .any(|line| EXEMPT.iter().any(|(name, _)| line.contains(name)));
    if !exempt {
        if refused == SHOW_LOCATIONS {
            IS_INSPECTING.set(true);
            eprintln!("{bytes} bytes:\n{backtrace}");
            IS_INSPECTING.set(false);
            return false;
        }
        WAS_REFUSED.store(true, SeqCst);
    }
    !exempt
}

// SAFETY: delegates to the system's allocator, or returns null.
unsafe impl GlobalAlloc for RefusingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_refused(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: guaranteed by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if is_refused(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: guaranteed by the caller.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if size > layout.size() && is_refused(size) {
            return std::ptr::null_mut();
        }
        // SAFETY: guaranteed by the caller.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: guaranteed by the caller.
        unsafe { System.dealloc(pointer, layout) }
    }
}
