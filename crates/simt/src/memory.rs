//! Block-shared memory, and the recording of memory accesses for checked mode.
//!
//! Views call the `record_*` functions before they access memory. Outside checked mode these
//! functions do nothing, so a view in fast mode need not call them.

use crate::executor::{current_executor, end_thread, try_executor};
use crate::finding::{Access, FindingKind};
use std::panic::Location;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Address space of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// Global memory, visible to all blocks.
    Global,
    /// Shared memory of one block.
    Shared,
}

/// Returns the block-shared memory of the static identified by `key` (its address). All threads of
/// a block get the same pointer.
///
/// In checked mode the memory is filled with 0xA5 when a block starts. In fast mode this holds only
/// for the first block of a worker; later blocks see the previous block's values, as on a GPU. The
/// memory is kept for later launches.
///
/// # Panics
/// Outside a launch, and if `key` was used before with a smaller size or a weaker alignment.
pub fn shared_static(key: usize, bytes: usize, align: usize) -> *mut u8 {
    current_executor()
        .arena
        .borrow_mut()
        .static_array(key, bytes, align)
}

/// Returns block-shared memory for a value that is initialised before use: `initialise` writes it
/// if it is new. All blocks that one operating-system thread ever runs share the value, across
/// launches, and it is never freed, so references to it stay valid.
///
/// # Panics
/// Outside a launch, and if `key` was used before with another size or alignment.
pub fn persistent_static(
    key: usize,
    bytes: usize,
    align: usize,
    initialise: impl FnOnce(*mut u8),
) -> *mut u8 {
    let mut arena = current_executor().arena.borrow_mut();
    arena.persistent(key, bytes, align, initialise)
}

/// Returns the start of the block's dynamic shared memory, aligned to 128 bytes, and its size in
/// bytes. It is filled like [`shared_static`].
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

/// Records that the running thread reads `bytes` bytes at `address`.
#[track_caller]
pub fn record_read(space: Space, address: usize, bytes: usize) {
    record(Access::Read, space, address, bytes);
}

/// Records that the running thread writes `bytes` bytes at `address`.
#[track_caller]
pub fn record_write(space: Space, address: usize, bytes: usize) {
    record(Access::Write, space, address, bytes);
}

/// Records that the running thread atomically reads and writes `bytes` bytes at `address`.
#[track_caller]
pub fn record_atomic(space: Space, address: usize, bytes: usize) {
    record(Access::Atomic, space, address, bytes);
}

/// Number of checked launches in progress in the process.
static CHECKED: AtomicUsize = AtomicUsize::new(0);

/// Guard that counts a checked launch while it lives.
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

/// Returns `true` if a checked launch is in progress anywhere in the process. If not, nothing needs
/// to be recorded. Costs one read of one variable.
#[inline(always)]
pub fn is_any_launch_checked() -> bool {
    CHECKED.load(Ordering::Relaxed) != 0
}

/// Path of a memory access that does not go through a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessPath {
    /// Through a raw pointer.
    Pointer,
    /// Through a reference, an index or a name. The memory may be the thread's own, which is not
    /// tracked.
    Reference,
}

/// Records an access of the running thread that does not go through a view, of `bytes` bytes at
/// `address`. Accesses to the thread's own stack are ignored.
#[track_caller]
pub fn record_access(access: Access, by: AccessPath, address: usize, bytes: usize) {
    if let Some(executor) = try_executor() {
        let by_reference = by == AccessPath::Reference;
        executor.record_plain_access(access, by_reference, address, bytes, Location::caller());
    }
}

/// Records that the running thread takes a reference to `bytes` bytes at `address` from a raw
/// pointer, so that later accesses through references are tracked.
pub fn record_borrow(address: usize, bytes: usize) {
    if let Some(executor) = try_executor() {
        executor.record_borrow(address, bytes);
    }
}

/// Records that the kernel obtained a raw pointer to the shared array at `address`. If no access to
/// the array is recorded, or the array changes without a recorded write, the launch reports it as
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

/// Records that the memory at `address` is passed to a function that may not be instrumented. An
/// instrumented function calls [`record_argument_received`].
#[track_caller]
pub fn record_argument_passed(address: usize) {
    if let Some(executor) = try_executor() {
        executor.record_handoff(address, Some(Location::caller()));
    }
}

/// Records that an instrumented function received the memory at `address`.
pub fn record_argument_received(address: usize) {
    if let Some(executor) = try_executor() {
        executor.record_handoff(address, None);
    }
}

/// Records that the running thread begins an asynchronous copy of `bytes` bytes from `from` to
/// shared memory at `to`. Until it [waits](record_async_copies_complete), no thread may access the
/// target or write the source.
#[track_caller]
pub fn record_async_copy(from: usize, to: usize, bytes: usize) {
    if let Some(executor) = try_executor() {
        executor.begin_async_copy(from, to, bytes, Location::caller());
    }
}

/// Records that the running thread has waited for the asynchronous copies that it began.
pub fn record_async_copies_complete() {
    if let Some(executor) = try_executor() {
        executor.complete_async_copies();
    }
}

/// Counts a step of the running thread, such as a loop iteration. In checked mode the thread ends
/// if it exceeds [`Limits::steps`](crate::Limits::steps).
#[track_caller]
pub fn record_step() {
    if let Some(executor) = try_executor() {
        executor.count_step(Location::caller());
    }
}

/// Ends the running thread with an out-of-bounds finding: a view of type `view` with `len` elements
/// was indexed at `index`.
///
/// In fast mode the launch ends too; in checked mode the other threads continue.
///
/// # Panics
/// Outside a launch, with the same message.
#[cold]
#[track_caller]
pub fn out_of_bounds(view: &'static str, index: usize, len: usize) -> ! {
    let site = Location::caller();
    let kind = FindingKind::OutOfBounds { view, index, len };
    match try_executor() {
        Some(executor) => executor.report_finding(site, kind),
        None => panic!("index {index} is out of bounds of a {view} of {len} elements"),
    }
    end_thread()
}
