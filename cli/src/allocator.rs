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
        check(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's obligations are those of the system's allocator.
        check(unsafe { System.alloc_zeroed(layout) }, layout.size())
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
