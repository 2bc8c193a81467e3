//! Which thread of which block an operating-system thread runs, for which executor: one
//! thread-local record.

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

/// Index and rank of a thread, side by side so that switching threads moves 16 bytes at once.
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

/// What begins the frame of a thread whose body runs in steps: which thread it is of, and what that
/// waits for.
pub(crate) struct FrameHeader {
    pub(super) thread: Cell<ThreadId>,
    /// Where it waits.
    pub(super) site: Cell<Option<Site>>,
    /// The number of the barrier at which the thread waits, if it does at one. Where that barrier
    /// is complete, the thread can go on.
    pub(super) barrier: Cell<u32>,
}

/// The kernel thread that this operating-system thread runs.
pub(crate) struct Current {
    /// The executor of the block, null outside a launch. It outlives every use: see [`EnterGuard`].
    executor: Cell<*const Executor<'static>>,
    pub(crate) thread: Cell<ThreadId>,
    pub(crate) block: Cell<Dim3>,
    pub(crate) block_dim: Cell<Dim3>,
    pub(crate) grid_dim: Cell<Dim3>,
    /// How the current_executor fiber suspends itself; null where the thread runs without a fiber.
    pub(crate) yielder: Cell<*const FiberYielder>,
    /// The current_executor thread's frame, null where its body is not in steps. It outlives every use: see
    /// [`Current::frame`].
    pub(super) frame: Cell<*const FrameHeader>,
    /// Whether the step that runs begins where the last one of its thread ended.
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

    /// The current_executor thread's frame, where its body is in steps.
    #[inline(always)]
    pub(super) fn frame<'a>(&self) -> Option<&'a FrameHeader> {
        // SAFETY: not null only while a step runs, which is on a frame of the executor that is
        // current, and within its life.
        unsafe { self.frame.get().as_ref() }
    }

    /// The current_executor thread is now the one of this index and rank.
    #[inline(always)]
    pub(crate) fn start(&self, index: Dim3, rank: u32) {
        self.thread.set(ThreadId { index, rank });
    }

    /// The current_executor thread's rank within its block.
    #[inline(always)]
    pub(crate) fn rank(&self) -> u32 {
        self.thread.get().rank
    }

    /// The current_executor thread's index within its block.
    #[inline(always)]
    pub(crate) fn index(&self) -> Dim3 {
        self.thread.get().index
    }

    /// Whether a kernel runs on this thread.
    #[inline(always)]
    pub(crate) fn is_active(&self) -> bool {
        !self.executor.get().is_null()
    }

    /// Exchanges the whole record with `other`.
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

/// While it lives, this operating-system thread executes blocks for one executor. Dropping it
/// restores what was before.
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

/// The record of this operating-system thread.
#[inline(always)]
pub(crate) fn current_thread<'a>() -> &'a Current {
    let record = CURRENT.with(ptr::from_ref);
    // SAFETY: the record has no destructor, so it lives as long as its thread; and it is not
    // `Sync`, so the reference cannot leave the thread.
    unsafe { &*record }
}

/// The same. Panics outside a launch.
#[inline(always)]
pub(crate) fn active_thread<'a>() -> &'a Current {
    let current = current_thread();
    if !current.is_active() {
        panic_no_kernel();
    }
    current
}

/// The executor of the current_executor block, if a kernel runs on this thread.
#[inline(always)]
pub(crate) fn try_executor<'a>() -> Option<&'a Executor<'a>> {
    // SAFETY: not null only between `EnterGuard::new` and its drop, during which the executor lives
    // and does not move; only kernel bodies and what they call run then, and none of them keeps the
    // reference beyond the call. Shared access only: every field that changes is a cell, and the
    // executor never leaves its thread.
    unsafe { current_thread().executor.get().as_ref() }
}

/// The executor of the current_executor block. Panics outside a launch.
#[inline(always)]
pub(crate) fn current_executor<'a>() -> &'a Executor<'a> {
    match try_executor() {
        Some(executor) => executor,
        None => panic_no_kernel(),
    }
}
