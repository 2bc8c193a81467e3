//! Block-shared memory, and the accesses that checked mode watches.
//!
//! The `note_*` functions are for views to call before they touch memory. Outside checked mode they
//! do nothing, so a view that knows it is in fast mode need not call them.

use crate::executor::{current_executor, end_thread, try_executor};
use crate::finding::{Access, FindingKind};
use std::panic::Location;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Which memory an access touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// Memory that every block sees.
    Global,
    /// Memory of one block.
    Shared,
}

/// Block-shared memory for the static identified by `key` (its address): the same pointer for every
/// thread of a block.
///
/// In checked mode it holds 0xA5 when a block starts. In fast mode it does so only for the first
/// block that a worker runs; later blocks find what the one before them left, as on a device. When
/// the launch ends the memory is kept for later launches.
///
/// # Panics
/// Outside a launch, and where one key is used with a larger size or a stricter alignment than
/// before.
pub fn shared_static(key: usize, bytes: usize, align: usize) -> *mut u8 {
    current_executor()
        .arena
        .borrow_mut()
        .static_array(key, bytes, align)
}

/// Memory for a value that is shared by a block's threads and valid from the start: `initialise`
/// writes it where it is new. All blocks that one operating-system thread runs have the same, also
/// those of later launches, and it is never freed: so who keeps a reference to it keeps a valid
/// one.
///
/// # Panics
/// Outside a launch, and where one key is used with another size or alignment than before.
pub fn persistent_static(
    key: usize,
    bytes: usize,
    align: usize,
    initialise: impl FnOnce(*mut u8),
) -> *mut u8 {
    let mut arena = current_executor().arena.borrow_mut();
    arena.persistent(key, bytes, align, initialise)
}

/// The block's dynamic shared memory: where it starts, aligned to 128 bytes, and how many bytes it
/// has. It is poisoned as [`shared_static`] is.
///
/// # Panics
/// Outside a launch.
pub fn dynamic_shared() -> (*mut u8, usize) {
    let executor = current_executor();
    let bytes = executor.launch.shape.dynamic_shared_bytes as usize;
    (executor.arena.borrow_mut().dynamic_array(bytes), bytes)
}

#[track_caller]
fn record(access: Access, space: Space, address: usize, bytes: usize) {
    if let Some(executor) = try_executor() {
        let is_shared = space == Space::Shared;
        executor.record_view_access(access, is_shared, address, bytes, Location::caller());
    }
}

/// Notes that the running thread reads `bytes` bytes at `address`.
#[track_caller]
pub fn record_read(space: Space, address: usize, bytes: usize) {
    record(Access::Read, space, address, bytes);
}

/// Notes that the running thread writes `bytes` bytes at `address`.
#[track_caller]
pub fn record_write(space: Space, address: usize, bytes: usize) {
    record(Access::Write, space, address, bytes);
}

/// Notes that the running thread reads and writes `bytes` bytes at `address` in one indivisible
/// step.
#[track_caller]
pub fn record_atomic(space: Space, address: usize, bytes: usize) {
    record(Access::Atomic, space, address, bytes);
}

/// Checked launches that run in the process.
static CHECKED: AtomicUsize = AtomicUsize::new(0);

/// While it lives, a checked launch runs.
pub(crate) struct CheckedLaunch(());

impl CheckedLaunch {
    pub(crate) fn begin() -> Self {
        CHECKED.fetch_add(1, Ordering::Relaxed);
        CheckedLaunch(())
    }
}

impl Drop for CheckedLaunch {
    fn drop(&mut self) {
        CHECKED.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Whether any thread of the process makes a launch in checked mode now: where not, nothing need be
/// noted. It is one read of one variable.
#[inline(always)]
pub fn is_any_launch_checked() -> bool {
    CHECKED.load(Ordering::Relaxed) != 0
}

/// How memory was reached that is no view's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessPath {
    /// By a raw pointer.
    Pointer,
    /// By a reference, an index or a name, which may also be of the thread's own memory: of that
    /// nothing is noted.
    Reference,
}

/// Notes an access of the running thread that no view makes, of `bytes` bytes at `address`. Nothing
/// is noted of a thread's own stack.
#[track_caller]
pub fn record_access(access: Access, by: AccessPath, address: usize, bytes: usize) {
    if let Some(executor) = try_executor() {
        let by_reference = by == AccessPath::Reference;
        executor.record_plain_access(access, by_reference, address, bytes, Location::caller());
    }
}

/// Notes that the running thread takes a reference to `bytes` bytes at `address` from a raw
/// pointer: later accesses by references are noted.
pub fn record_borrow(address: usize, bytes: usize) {
    if let Some(executor) = try_executor() {
        executor.record_borrow(address, bytes);
    }
}

/// Notes that the kernel has a raw pointer to the array of shared memory at `address`. If no access
/// to the array is noted, or it changes without one, the launch says so: see
/// [`UntrackedMemory`](crate::UntrackedMemory).
#[track_caller]
pub fn record_raw_pointer(address: usize) {
    if let Some(executor) = try_executor()
        && executor.checker.is_some()
    {
        let arena = executor.arena.borrow();
        arena.record_raw_pointer(address, Location::caller());
    }
}

/// Notes that what lies at `address` is passed to a function that may not be instrumented. If that
/// is, it [says so](record_argument_received).
#[track_caller]
pub fn record_argument_passed(address: usize) {
    if let Some(executor) = try_executor() {
        executor.record_handoff(address, Some(Location::caller()));
    }
}

/// Notes that a function that tells of its accesses was given what lies at `address`.
pub fn record_argument_received(address: usize) {
    if let Some(executor) = try_executor() {
        executor.record_handoff(address, None);
    }
}

/// Notes that the running thread begins to copy `bytes` bytes at `from` to `to`, in shared memory,
/// asynchronously: until it [waits](record_async_copies_complete), no thread may use what is written or write
/// what is read.
#[track_caller]
pub fn record_async_copy(from: usize, to: usize, bytes: usize) {
    if let Some(executor) = try_executor() {
        executor.begin_async_copy(from, to, bytes, Location::caller());
    }
}

/// Notes that the running thread has waited for the asynchronous copies that it began.
pub fn record_async_copies_complete() {
    if let Some(executor) = try_executor() {
        executor.complete_async_copies();
    }
}

/// Counts a step of the running thread, as a turn of a loop is one. In checked mode the thread ends
/// where it has made too many: see [`Limits::steps`](crate::Limits::steps).
#[track_caller]
pub fn record_step() {
    if let Some(executor) = try_executor() {
        executor.count_step(Location::caller());
    }
}

/// Ends the running thread with the finding that it indexed a view (`what`) of `len` elements at
/// `index`.
///
/// In fast mode the launch ends with it; in checked mode the other threads go on.
///
/// # Panics
/// Outside a launch, with the same text.
#[cold]
#[track_caller]
pub fn out_of_bounds(what: &'static str, index: usize, len: usize) -> ! {
    let site = Location::caller();
    let kind = FindingKind::OutOfBounds { what, index, len };
    match try_executor() {
        Some(executor) => executor.report_finding(site, kind),
        None => panic!("index {index} is out of bounds of a {what} of {len} elements"),
    }
    end_thread()
}
