//! Pages without access behind allocations of shared memory.

use std::alloc::Layout;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

/// The least that a allocation has, in bytes: a page of most systems.
pub(super) const PAGE_BYTES: usize = 4096;

/// A page without access, and what lies before it. Never gone, as the memory is not.
pub(crate) struct GuardPage {
    start: usize,
    bytes: usize,
    next: *const GuardPage,
    /// Bytes of the array before it.
    array: AtomicUsize,
    dynamic: AtomicBool,
}

// SAFETY: the pointer is to another `GuardPage` that is never gone, and neither it nor the numbers
// beside it change.
unsafe impl Sync for GuardPage {}

/// All guards, the newest first: a signal handler may read it at any moment.
static GUARD_PAGES: AtomicPtr<GuardPage> = AtomicPtr::new(ptr::null_mut());

impl GuardPage {
    /// The page now follows an array of `bytes` bytes.
    pub(super) fn set_array(&self, bytes: usize, dynamic: bool) {
        self.array.store(bytes, Ordering::Relaxed);
        self.dynamic.store(dynamic, Ordering::Relaxed);
    }
}

/// The array that ends before the guard page in which `address` lies: its bytes, and whether it is
/// dynamic shared memory. Takes no lock and allocates nothing.
pub(crate) fn guarded_array_at(address: usize) -> Option<(usize, bool)> {
    let mut next = GUARD_PAGES.load(Ordering::Acquire).cast_const();
    // SAFETY: null, or a guard, which is never gone.
    while let Some(guard) = unsafe { next.as_ref() } {
        if address.wrapping_sub(guard.start) < guard.bytes {
            let dynamic = guard.dynamic.load(Ordering::Relaxed);
            return Some((guard.array.load(Ordering::Relaxed), dynamic));
        }
        next = guard.next;
    }
    None
}

/// Memory for `layout` with a guard page behind it. `None` where the system has neither pages nor
/// memory for it.
#[cfg(all(unix, not(miri)))]
pub(super) fn allocate(layout: Layout) -> Option<(NonNull<u8>, &'static GuardPage)> {
    // SAFETY: asks for a number.
    let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()?;
    if !layout.size().is_multiple_of(page) || layout.align() > page {
        return None;
    }
    let bytes = layout.size().checked_add(page)?;
    let (access, kind) = (
        libc::PROT_READ | libc::PROT_WRITE,
        libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
    );
    // SAFETY: asks for new memory, anywhere.
    let start = unsafe { libc::mmap(ptr::null_mut(), bytes, access, kind, -1, 0) };
    if start == libc::MAP_FAILED {
        return None;
    }
    let start = NonNull::new(start.cast::<u8>())?;
    // SAFETY: the last page of the new memory.
    let last = unsafe { start.add(layout.size()) };
    // SAFETY: as above; nobody has it yet.
    if unsafe { libc::mprotect(last.as_ptr().cast(), page, libc::PROT_NONE) } != 0 {
        // SAFETY: the memory from above, which nobody has.
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
        // SAFETY: nobody else has it before it is in the list.
        unsafe { (*guard).next = newest };
    }
    // SAFETY: never freed, and not changed any more but for its atomics.
    Some((start, unsafe { &*guard }))
}

/// Memory for `layout` with a guard page behind it: this system has none.
#[cfg(not(all(unix, not(miri))))]
pub(super) fn allocate(_: Layout) -> Option<(NonNull<u8>, &'static GuardPage)> {
    None
}
