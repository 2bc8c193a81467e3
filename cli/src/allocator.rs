//! Allocator of the command: the system's, and the end of the command when it has no memory.
//!
//! An allocator cannot see whether its caller handles a failure, so the size decides. The failure
//! of a large allocation is returned to the caller: the library turns it into an error, or into
//! work by parts. The failure of a small one ends the command with an error. Most small
//! allocations are infallible: the standard library would abort the process without stating a
//! purpose. Errors on their way to the user need small allocations too.

use crate::out_of_memory::{end_command, record_failure};
use std::alloc::{GlobalAlloc, Layout, System};

/// Smallest size in bytes of an allocation whose failure is returned to the caller.
const MIN_RETURNED_BYTES: usize = 64 << 10;

/// Smallest size in bytes of an allocation for which the system is asked for huge pages: large
/// volumes and meshes are then filled, read and released with fewer page faults.
#[cfg(target_os = "linux")]
const MIN_HUGE_BYTES: usize = 8 << 20;

/// Size in bytes of a huge page.
#[cfg(target_os = "linux")]
const HUGE_PAGE: usize = 2 << 20;

/// Asks for huge pages within a new allocation. A failure has no effect.
#[cfg(target_os = "linux")]
fn request_huge_pages(pointer: *mut u8, bytes: usize) {
    use rustix::mm::{Advice, madvise};
    if bytes < MIN_HUGE_BYTES || pointer.is_null() {
        return;
    }
    let skipped = pointer.align_offset(HUGE_PAGE);
    let pages = bytes.saturating_sub(skipped) / HUGE_PAGE;
    // SAFETY: the allocation has at least four huge pages, of which `skipped` is less than one, so
    // the range is part of it. This advice does not change the contents of memory.
    let requested = unsafe {
        madvise(
            pointer.add(skipped).cast(),
            pages * HUGE_PAGE,
            Advice::LinuxHugepage,
        )
    };
    // Without huge pages, the allocation has ordinary ones.
    let _ = requested;
}

#[cfg(not(target_os = "linux"))]
fn request_huge_pages(_: *mut u8, _: usize) {}

/// Allocator that ends the command if a small allocation fails.
pub struct CommandAllocator;

/// Returns `pointer`, or ends the command if it is null and `bytes` is small.
#[inline]
fn check(pointer: *mut u8, bytes: usize) -> *mut u8 {
    if pointer.is_null() {
        report_failure(bytes);
    }
    pointer
}

#[cold]
fn report_failure(bytes: usize) {
    if bytes < MIN_RETURNED_BYTES {
        end_command(bytes);
    }
    record_failure(bytes);
}

// SAFETY: all calls are passed on to the system's allocator, and its results are returned.
unsafe impl GlobalAlloc for CommandAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's obligations are those of the system's allocator.
        let pointer = unsafe { System.alloc(layout) };
        request_huge_pages(pointer, layout.size());
        check(pointer, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's obligations are those of the system's allocator.
        let pointer = unsafe { System.alloc_zeroed(layout) };
        request_huge_pages(pointer, layout.size());
        check(pointer, layout.size())
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's obligations are those of the system's allocator.
        check(unsafe { System.realloc(pointer, layout, size) }, size)
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's obligations are those of the system's allocator.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn large_allocations_keep_their_contents() {
        let mut bytes = vec![0_u8; 9 << 20];
        assert!(bytes.iter().all(|&byte| byte == 0));
        bytes[5] = 5;
        bytes.reserve_exact(40 << 20);
        bytes.resize(45 << 20, 7);
        let sum: u64 = bytes.iter().map(|&byte| u64::from(byte)).sum();
        assert_eq!(sum, 5 + 7 * (36 << 20));
    }
}
