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
pub(crate) struct Head {
    pub(super) thread: Cell<ThreadId>,
    /// Where it waits.
    pub(super) site: Cell<Option<Site>>,
    /// The number of the barrier at which the thread waits, if it does at one. Where that barrier
    /// is complete, the thread can go on.
    pub(super) barrier: Cell<u32>,
}

/// The kernel thread that this operating-system thread runs.
pub(crate) struct Current {
    /// The executor of the block, null outside a launch. It outlives every use: see [`Entered`].
    executor: Cell<*const Executor<'static>>,
    pub(crate) thread: Cell<ThreadId>,
    pub(crate) block: Cell<Dim3>,
    pub(crate) block_dim: Cell<Dim3>,
    pub(crate) grid_dim: Cell<Dim3>,
    /// How the running fiber suspends itself; null where the thread runs without a fiber.
    pub(crate) yielder: Cell<*const FiberYielder>,
    /// The running thread's frame, null where its body is not in steps. It outlives every use: see
    /// [`Current::frame`].
    pub(super) frame: Cell<*const Head>,
    /// Whether the step that runs begins where the last one of its thread ended.
    pub(super) goes_on: Cell<bool>,
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
            goes_on: Cell::new(false),
        }
    }

    /// The running thread's frame, where its body is in steps.
    #[inline(always)]
    pub(super) fn frame<'a>(&self) -> Option<&'a Head> {
        // SAFETY: not null only while a step runs, which is on a frame of the executor that is
        // current, and within its life.
        unsafe { self.frame.get().as_ref() }
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

    /// The running thread's index within its block.
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
        self.goes_on.swap(&other.goes_on);
    }
}

/// While it lives, this operating-system thread executes blocks for one executor. Dropping it
/// restores what was before.
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
    // SAFETY: the record has no destructor, so it lives as long as its thread; and it is not
    // `Sync`, so the reference cannot leave the thread.
    unsafe { &*record }
}

/// The same. Panics outside a launch.
#[inline(always)]
pub(crate) fn here_active<'a>() -> &'a Current {
    let current = here();
    if !current.is_active() {
        no_kernel();
    }
    current
}

/// The executor of the running block, if a kernel runs on this thread.
#[inline(always)]
pub(crate) fn try_running<'a>() -> Option<&'a Executor<'a>> {
    // SAFETY: not null only between `Entered::new` and its drop, during which the executor lives
    // and does not move; only kernel bodies and what they call run then, and none of them keeps the
    // reference beyond the call. Shared access only: every field that changes is a cell, and the
    // executor never leaves its thread.
    unsafe { here().executor.get().as_ref() }
}

/// The executor of the running block. Panics outside a launch.
#[inline(always)]
pub(crate) fn running<'a>() -> &'a Executor<'a> {
    match try_running() {
        Some(executor) => executor,
        None => no_kernel(),
    }
}
