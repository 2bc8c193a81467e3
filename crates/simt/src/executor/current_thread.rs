//! Thread-local record of the kernel thread, block and executor that run on an operating-system
//! thread.

use super::Executor;
use crate::Dim3;
use crate::fiber::FiberYielder;
use crate::finding::Site;
use std::cell::Cell;
use std::ptr;

const ORIGIN: Dim3 = Dim3::new(0, 0, 0);

thread_local! {
    /// Constant-initialised and without a destructor, so that reading it needs no check.
    static CURRENT: Current = const { Current::inactive() };
}

/// Index and rank of a thread, stored together so that switching threads moves 16 bytes at once.
#[derive(Clone, Copy)]
pub(crate) struct ThreadId {
    index: Dim3,
    rank: u32,
}

impl ThreadId {
    pub(super) const FIRST: Self = ThreadId {
        index: ORIGIN,
        rank: 0,
    };
}

/// Header of a coroutine frame: the thread to which it belongs and the barrier at which it waits.
pub(crate) struct FrameHeader {
    pub(super) thread: Cell<ThreadId>,
    /// Source location of the wait.
    pub(super) site: Cell<Option<Site>>,
    /// Sequence number of the barrier at which the thread waits. The thread is ready once that
    /// barrier has completed.
    pub(super) barrier: Cell<u32>,
}

/// The kernel thread that runs on this operating-system thread.
pub(crate) struct Current {
    /// Executor of the block, or null outside a launch. It outlives every use: see [`EnterGuard`].
    executor: Cell<*const Executor<'static>>,
    pub(crate) thread: Cell<ThreadId>,
    pub(crate) block: Cell<Dim3>,
    pub(crate) block_dim: Cell<Dim3>,
    pub(crate) grid_dim: Cell<Dim3>,
    /// Suspends the running fiber; null if the thread runs without a fiber.
    pub(crate) yielder: Cell<*const FiberYielder>,
    /// Frame of the running thread, or null if its body is not a coroutine. It outlives every use:
    /// see [`Current::frame`].
    pub(super) frame: Cell<*const FrameHeader>,
    /// `true` if the running step resumes from the thread's last suspension point.
    pub(super) is_resuming: Cell<bool>,
}

impl Current {
    const fn inactive() -> Self {
        Current {
            executor: Cell::new(ptr::null()),
            thread: Cell::new(ThreadId::FIRST),
            block: Cell::new(ORIGIN),
            block_dim: Cell::new(ORIGIN),
            grid_dim: Cell::new(ORIGIN),
            yielder: Cell::new(ptr::null()),
            frame: Cell::new(ptr::null()),
            is_resuming: Cell::new(false),
        }
    }

    /// Returns the frame header of the running thread if its body is a coroutine.
    #[inline(always)]
    pub(super) fn frame<'a>(&self) -> Option<&'a FrameHeader> {
        // SAFETY: only set while a coroutine runs on a frame of the current executor, which
        // outlives that run.
        unsafe { self.frame.get().as_ref() }
    }

    /// Sets the index and rank of the running thread.
    #[inline(always)]
    pub(crate) fn start(&self, index: Dim3, rank: u32) {
        self.thread.set(ThreadId { index, rank });
    }

    /// Returns the running thread's rank within its block.
    #[inline(always)]
    pub(crate) fn rank(&self) -> u32 {
        self.thread.get().rank
    }

    /// Returns the running thread's index within its block.
    #[inline(always)]
    pub(crate) fn index(&self) -> Dim3 {
        self.thread.get().index
    }

    /// Returns `true` if a kernel runs on this thread.
    #[inline(always)]
    pub(crate) fn is_active(&self) -> bool {
        !self.executor.get().is_null()
    }

    /// Swaps all fields with `other`.
    fn swap(&self, other: &Current) {
        self.executor.swap(&other.executor);
        self.thread.swap(&other.thread);
        self.block.swap(&other.block);
        self.block_dim.swap(&other.block_dim);
        self.grid_dim.swap(&other.grid_dim);
        self.yielder.swap(&other.yielder);
        self.frame.swap(&other.frame);
        self.is_resuming.swap(&other.is_resuming);
    }
}

/// Guard during whose lifetime this operating-system thread executes blocks of one executor.
/// Dropping it restores the previous state.
pub(crate) struct EnterGuard {
    before: Current,
}

impl EnterGuard {
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
        current_thread().swap(&before);
        EnterGuard { before }
    }
}

impl Drop for EnterGuard {
    fn drop(&mut self) {
        current_thread().swap(&self.before);
    }
}

#[cold]
#[inline(never)]
fn panic_no_kernel() -> ! {
    panic!(
        "no kernel runs on this thread: thread indices, barriers, warp operations and shared memory exist only inside simt::launch"
    )
}

/// Returns the record of this operating-system thread.
#[inline(always)]
pub(crate) fn current_thread<'a>() -> &'a Current {
    let record = CURRENT.with(ptr::from_ref);
    // SAFETY: the record has no destructor, so it lives as long as its thread; and it is not
    // `Sync`, so the reference cannot leave the thread.
    unsafe { &*record }
}

/// Returns the record of this operating-system thread. Panics outside a launch.
#[inline(always)]
pub(crate) fn active_thread<'a>() -> &'a Current {
    let current = current_thread();
    if !current.is_active() {
        panic_no_kernel();
    }
    current
}

/// Returns the executor of the running block, or `None` if no kernel runs on this thread.
#[inline(always)]
pub(crate) fn try_executor<'a>() -> Option<&'a Executor<'a>> {
    // SAFETY: only set between `EnterGuard::new` and its drop, during which the executor lives and
    // does not move. Only kernel bodies and their callees run then, and none of them keeps the
    // reference beyond the call. Access is shared only: every mutable field is a cell, and the
    // executor never leaves its thread.
    unsafe { current_thread().executor.get().as_ref() }
}

/// Returns the executor of the running block. Panics outside a launch.
#[inline(always)]
pub(crate) fn current_executor<'a>() -> &'a Executor<'a> {
    match try_executor() {
        Some(executor) => executor,
        None => panic_no_kernel(),
    }
}
