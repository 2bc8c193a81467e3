//! Which thread of which block runs now.
//!
//! All of it is one thread-local record, so each question costs one thread-local read. Outside a launch every
//! function but those that answer yes or no panics: there is no thread index to give.

use crate::Dim3;
use crate::executor::Executor;
use crate::fiber::FiberYielder;
use std::cell::Cell;
use std::ptr;

const ORIGIN: Dim3 = Dim3::new(0, 0, 0);

thread_local! {
    /// Constant-initialised and without a destructor, so that reading it needs no check.
    static CURRENT: Current = const { Current::inactive() };
}

/// Index and rank of a thread, side by side so that switching threads moves 16 bytes at once.
#[derive(Clone, Copy)]
pub(crate) struct ThreadId {
    index: Dim3,
    rank: u32,
}

/// The kernel thread that this operating-system thread runs.
pub(crate) struct Current {
    /// The executor of the block, null outside a launch. It outlives every use: see [`Entered`].
    executor: Cell<*const Executor<'static>>,
    pub(crate) thread: Cell<ThreadId>,
    pub(crate) block: Cell<Dim3>,
    block_dim: Cell<Dim3>,
    grid_dim: Cell<Dim3>,
    /// How the running fiber suspends itself; null where the thread runs without a fiber.
    pub(crate) yielder: Cell<*const FiberYielder>,
}

impl Current {
    const fn inactive() -> Self {
        Current {
            executor: Cell::new(ptr::null()),
            thread: Cell::new(ThreadId {
                index: ORIGIN,
                rank: 0,
            }),
            block: Cell::new(ORIGIN),
            block_dim: Cell::new(ORIGIN),
            grid_dim: Cell::new(ORIGIN),
            yielder: Cell::new(ptr::null()),
        }
    }

    /// The running thread is now the one of this index and rank.
    #[inline(always)]
    pub(crate) fn start(&self, index: Dim3, rank: u32) {
        self.thread.set(ThreadId { index, rank });
    }

    /// The running thread's rank within its block.
    #[inline(always)]
    pub(crate) fn rank(&self) -> u32 {
        self.thread.get().rank
    }

    /// Exchanges the whole record with `other`.
    fn swap(&self, other: &Current) {
        self.executor.swap(&other.executor);
        self.thread.swap(&other.thread);
        self.block.swap(&other.block);
        self.block_dim.swap(&other.block_dim);
        self.grid_dim.swap(&other.grid_dim);
        self.yielder.swap(&other.yielder);
    }
}

/// While it lives, this operating-system thread executes blocks for one executor. Dropping it restores what was before.
pub(crate) struct Entered {
    before: Current,
}

impl Entered {
    /// Makes `executor` the current one.
    ///
    /// # Safety
    /// 1. `executor` outlives the returned guard.
    /// 2. The guard is dropped, on this thread, before `executor` moves.
    pub(crate) unsafe fn new(executor: &Executor<'_>) -> Self {
        let shape = executor.launch.shape;
        let before = Current::inactive();
        before.executor.set(ptr::from_ref(executor).cast());
        before.block_dim.set(shape.block);
        before.grid_dim.set(shape.grid);
        here().swap(&before);
        Entered { before }
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        here().swap(&self.before);
    }
}

#[cold]
#[inline(never)]
fn no_kernel() -> ! {
    panic!(
        "no kernel runs on this thread: thread indices, barriers, warp operations and shared memory exist only inside simt::launch"
    )
}

/// The record of this operating-system thread.
#[inline(always)]
pub(crate) fn here<'a>() -> &'a Current {
    let record = CURRENT.with(ptr::from_ref);
    // SAFETY: the record has no destructor, so it lives as long as its thread; and it is not `Sync`, so the reference
    // cannot leave the thread.
    unsafe { &*record }
}

#[inline(always)]
fn here_active<'a>() -> &'a Current {
    let current = here();
    if current.executor.get().is_null() {
        no_kernel();
    }
    current
}

/// The executor of the running block, if a kernel runs on this thread.
#[inline(always)]
pub(crate) fn try_executor<'a>() -> Option<&'a Executor<'a>> {
    // SAFETY: not null only between `Entered::new` and its drop, during which the executor lives and does not move;
    // only kernel bodies and what they call run then, and none of them keeps the reference beyond the call.
    // Shared access only: every field that changes is a cell, and the executor never leaves its thread.
    unsafe { here().executor.get().as_ref() }
}

/// The executor of the running block. Panics outside a launch.
#[inline(always)]
pub(crate) fn executor<'a>() -> &'a Executor<'a> {
    match try_executor() {
        Some(executor) => executor,
        None => no_kernel(),
    }
}

/// The running thread's index within its block.
///
/// # Panics
/// Outside a launch.
#[inline]
pub fn thread_idx() -> Dim3 {
    here_active().thread.get().index
}

/// The running block's index within the grid.
///
/// # Panics
/// Outside a launch.
#[inline]
pub fn block_idx() -> Dim3 {
    here_active().block.get()
}

/// Threads of a block, per axis.
///
/// # Panics
/// Outside a launch.
#[inline]
pub fn block_dim() -> Dim3 {
    here_active().block_dim.get()
}

/// Blocks of the grid, per axis.
///
/// # Panics
/// Outside a launch.
#[inline]
pub fn grid_dim() -> Dim3 {
    here_active().grid_dim.get()
}

/// The running thread's linear rank within its block, `x` fastest: its lane is `rank % 32`, its warp `rank / 32`.
///
/// # Panics
/// Outside a launch.
#[inline]
pub fn thread_rank() -> u32 {
    here_active().rank()
}

/// Whether a kernel runs on this thread, that is, whether the other functions of this module may be called.
///
/// ```
/// assert!(!simt::current::is_active());
/// ```
#[inline]
pub fn is_active() -> bool {
    !here().executor.get().is_null()
}

/// Whether the launch that runs on this thread was made by [`launch_kernel`](crate::launch_kernel), whose caller answers for what its body
/// does with shared memory.
#[inline]
pub fn runs_kernel() -> bool {
    try_executor().is_some_and(|executor| executor.launch.is_kernel)
}

/// Whether the launch that runs on this thread is in checked mode.
#[inline]
pub fn is_checked() -> bool {
    try_executor().is_some_and(|executor| executor.checker.is_some())
}
