//! Guard pages behind the allocations of shared memory.

use std::alloc::Layout;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

/// Minimum size of an allocation, in bytes: the page size of most systems.
pub(super) const PAGE_BYTES: usize = 4096;

/// An inaccessible page and the array in front of it. Never freed, like the memory itself.
pub(crate) struct GuardPage {
    start: usize,
    bytes: usize,
    next: *const GuardPage,
    /// Size of the array in front of the page, in bytes.
    array: AtomicUsize,
    dynamic: AtomicBool,
}

// SAFETY: the pointer refers to another `GuardPage`, which is never freed; neither it nor the other
// plain fields change after construction.
unsafe impl Sync for GuardPage {}

/// Linked list of all guard pages, newest first. A signal handler may traverse it at any moment.
static GUARD_PAGES: AtomicPtr<GuardPage> = AtomicPtr::new(ptr::null_mut());

impl GuardPage {
    /// Sets the array that now precedes the page.
    pub(super) fn set_array(&self, bytes: usize, dynamic: bool) {
        self.array.store(bytes, Ordering::Relaxed);
        self.dynamic.store(dynamic, Ordering::Relaxed);
    }
}

/// Returns the size in bytes of the array whose guard page contains `address`, and `true` if it is
/// dynamic shared memory. Takes no lock and does not allocate, so it may run in a signal handler.
pub(crate) fn guarded_array_at(address: usize) -> Option<(usize, bool)> {
    let mut next = GUARD_PAGES.load(Ordering::Acquire).cast_const();
    // SAFETY: null, or a guard page, which is never freed.
    while let Some(guard) = unsafe { next.as_ref() } {
        if address.wrapping_sub(guard.start) < guard.bytes {
            let dynamic = guard.dynamic.load(Ordering::Relaxed);
            return Some((guard.array.load(Ordering::Relaxed), dynamic));
        }
        next = guard.next;
    }
    None
}

/// Allocates memory for `layout` with a guard page behind it. Returns `None` if the system provides
/// no suitable pages or no memory.
#[cfg(all(unix, not(miri)))]
pub(super) fn allocate(layout: Layout) -> Option<(NonNull<u8>, &'static GuardPage)> {
    // SAFETY: the call only reads a system setting.
    let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()?;
    if !layout.size().is_multiple_of(page) || layout.align() > page {
        return None;
    }
    let bytes = layout.size().checked_add(page)?;
    let (access, kind) = (
        libc::PROT_READ | libc::PROT_WRITE,
        libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
    );
    // SAFETY: requests a new mapping at any address.
    let start = unsafe { libc::mmap(ptr::null_mut(), bytes, access, kind, -1, 0) };
    if start == libc::MAP_FAILED {
        return None;
    }
    let start = NonNull::new(start.cast::<u8>())?;
    // SAFETY: start of the last page of the new mapping.
    let last = unsafe { start.add(layout.size()) };
    // SAFETY: the page belongs to the new mapping, which is not shared yet.
    if unsafe { libc::mprotect(last.as_ptr().cast(), page, libc::PROT_NONE) } != 0 {
        // SAFETY: unmaps exactly the new mapping, which is not shared yet.
        unsafe { libc::munmap(start.as_ptr().cast(), bytes) };
        return None;
    }
    let mut guard = Box::new(GuardPage {
        start: last.as_ptr().addr(),
        bytes: page,
        next: ptr::null(),
        array: AtomicUsize::new(0),
        dynamic: AtomicBool::new(false),
    });
    let mut newest = GUARD_PAGES.load(Ordering::Relaxed);
    guard.next = newest;
    let guard = Box::into_raw(guard);
    while let Err(other) =
        GUARD_PAGES.compare_exchange(newest, guard, Ordering::Release, Ordering::Relaxed)
    {
        newest = other;
        // SAFETY: the guard page is not in the list yet, so this is the only reference.
        unsafe { (*guard).next = newest };
    }
    // SAFETY: never freed, and only its atomics change from now on.
    Some((start, unsafe { &*guard }))
}

/// Returns `None`: guard pages are not supported on this system.
#[cfg(not(all(unix, not(miri))))]
pub(super) fn allocate(_: Layout) -> Option<(NonNull<u8>, &'static GuardPage)> {
    None
}
