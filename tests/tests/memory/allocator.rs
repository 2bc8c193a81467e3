//! An allocator that refuses one allocation.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    backtrace::Backtrace,
    cell::Cell,
    sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::SeqCst},
};

/// In place of a number: none is refused, and where they are is printed.
pub const SHOW: u64 = u64::MAX;

/// Bytes from which allocations count, where nothing else is said.
pub const LEAST: usize = 64 << 10;

/// Crates of others, and the executor, whose allocations end the program where they fail, none of
/// which grows with the input beyond what is said.
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

struct Refusing;

#[global_allocator]
static ALLOCATOR: Refusing = Refusing;

/// Bytes from which they count now.
static BYTES: AtomicUsize = AtomicUsize::new(LEAST);
static IS_ARMED: AtomicBool = AtomicBool::new(false);
/// Allocations that have counted since it was armed.
static SEEN: AtomicU64 = AtomicU64::new(0);
/// Which one is refused.
static REFUSED: AtomicU64 = AtomicU64::new(0);
/// Whether one was.
static DID: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// This thread looks where it is, and allocates for that.
    static IS_LOOKING: Cell<bool> = const { Cell::new(false) };
}

/// Does something with an allocator that refuses the allocation of that number, counted from 1
/// among those of so many bytes or more. Whether there was such a one.
pub fn refusing<R>(number: u64, least: usize, run: impl FnOnce() -> R) -> (R, bool) {
    BYTES.store(least, SeqCst);
    SEEN.store(0, SeqCst);
    REFUSED.store(number, SeqCst);
    DID.store(false, SeqCst);
    IS_ARMED.store(true, SeqCst);
    let result = run();
    IS_ARMED.store(false, SeqCst);
    (result, SEEN.load(SeqCst) >= number)
}

/// Whether backtraces name files, as they do where the program has debug information: by these
/// exempt crates are known.
pub fn knows_places() -> bool {
    let place = Backtrace::force_capture().to_string();
    place.contains(file!().rsplit('/').next().unwrap_or_default())
}

/// Whether the allocation was refused, and not one of an exempt crate.
pub fn did_refuse() -> bool {
    DID.load(SeqCst)
}

fn is_refused(bytes: usize) -> bool {
    if bytes < BYTES.load(SeqCst) || !IS_ARMED.load(SeqCst) || IS_LOOKING.get() {
        return false;
    }
    let refused = REFUSED.load(SeqCst);
    if SEEN.fetch_add(1, SeqCst) + 1 != refused && refused != SHOW {
        return false;
    }
    IS_LOOKING.set(true);
    let place = Backtrace::force_capture().to_string();
    IS_LOOKING.set(false);
    // what the crates call is ours again
    let exempt = place
        .lines()
        .take_while(|line| !line.contains("/host-crate/src/"))
        .any(|line| EXEMPT.iter().any(|(name, _)| line.contains(name)));
    if !exempt {
        if refused == SHOW {
            IS_LOOKING.set(true);
            eprintln!("{bytes} bytes:\n{place}");
            IS_LOOKING.set(false);
            return false;
        }
        DID.store(true, SeqCst);
    }
    !exempt
}

// SAFETY: the system's allocator, or no memory.
unsafe impl GlobalAlloc for Refusing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_refused(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if is_refused(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promise.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if size > layout.size() && is_refused(size) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promise.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }
}
