//! State of one worker: the block that it runs and the block's waiting threads.
//!
//! The threads of a block run sequentially in a loop inside a fiber. A thread that has to wait
//! suspends its fiber and keeps it; the scheduler then lets another fiber continue the loop. A
//! thread that never waits costs a loop iteration; only a waiting thread costs a fiber.
//!
//! All of this state belongs to one operating-system thread, and fibers never migrate, so it uses
//! cells instead of locks.

mod barrier;
mod current_thread;
mod end_thread;
mod frames;
mod named;
mod ready_frames;
mod rendezvous;
mod run;
mod run_frames;
mod scheduler;
mod suspension;
mod tracking;
mod wait_queue;

pub(crate) use barrier::BarrierOutcome;
pub(crate) use current_thread::{
    EnterGuard, active_thread, current_executor, current_thread, try_executor,
};
pub(crate) use end_thread::end_thread;
pub(crate) use named::NamedArrival;
pub use ready_frames::ReadyFrames;
pub(crate) use rendezvous::{LaneValues, WarpOperation};
pub(crate) use run::erase_body;
pub(crate) use suspension::Suspension;

use crate::arena::Arena;
use crate::blocked::Waiter;
use crate::checked::Checker;
use crate::coroutine_functions::Coroutine;
use crate::finding::Site;
use crate::launch::Launch;
use crate::untracked::UntrackedMemory;
use crate::{Dim3, LaunchError, MAX_BLOCK_THREADS, Report};
use barrier::Barrier;
use current_thread::Current;
use frames::Frames;
use named::NamedBarriers;
use rendezvous::RendezvousTable;
use std::cell::{Cell, OnceCell, RefCell};
use wait_queue::{WaitQueue, WaitSlots};

/// Number of lanes per warp.
pub(crate) const WARP: u32 = 32;
const MAX_WARPS: usize = (MAX_BLOCK_THREADS / WARP) as usize;

/// State of one worker.
pub(crate) struct Executor<'a> {
    pub(crate) launch: &'a Launch<'a>,
    /// `true` if blocks have one thread and the launch is not checked, so that nothing ever waits.
    is_single_thread: bool,
    /// Rank of the next thread to start, in fast mode.
    next: Cell<u32>,
    /// Index of the next thread to start, in fast mode.
    next_index: Cell<Dim3>,
    /// Rank of the thread to start, in checked mode.
    drawn: Cell<Option<u32>>,
    /// Number of threads of the block that have not exited, including those not yet started.
    live: Cell<u32>,
    /// Mask of the lanes that have not exited, per warp.
    live_lanes: [Cell<u32>; MAX_WARPS],
    /// `true` once the block is aborted: waiting threads are unwound and no thread starts.
    failing: Cell<bool>,
    /// Number of times that threads of the block were ended by unwinding.
    ends: Cell<u32>,
    /// Number of times that threads of the block tried to wait while they unwound.
    waits_while_unwinding: Cell<u32>,
    /// Number of the running fiber.
    fiber: Cell<u32>,
    /// `true` if the running fiber was suspended because its thread waits; `false` if it idles.
    suspended: Cell<bool>,
    /// Fibers whose threads are ready to run.
    ready: WaitQueue,
    /// Fibers whose threads yielded; they run once no other thread is ready.
    yielded: WaitQueue,
    slots: WaitSlots,
    /// Frames of the launch's coroutine body, if it has one.
    frames: Option<Frames>,
    barrier: Barrier,
    /// Named barriers; created on first use.
    named: OnceCell<Box<NamedBarriers>>,
    rendezvous_table: RendezvousTable,
    pub(crate) arena: RefCell<Arena>,
    pub(crate) checker: Option<RefCell<Checker>>,
}

impl<'a> Executor<'a> {
    /// Creates the state of a worker that uses up to `fibers` fibers.
    pub(crate) fn new(launch: &'a Launch<'a>, fibers: usize, checker: Option<Checker>) -> Self {
        let frames = launch
            .coroutine
            .as_ref()
            .and_then(|coroutine| Frames::new(coroutine.frame(), launch.threads));
        let executor = Executor {
            launch,
            is_single_thread: launch.threads == 1 && checker.is_none(),
            next: Cell::new(0),
            next_index: Cell::new(Dim3::new(0, 0, 0)),
            drawn: Cell::new(None),
            live: Cell::new(0),
            live_lanes: [const { Cell::new(0) }; MAX_WARPS],
            failing: Cell::new(false),
            ends: Cell::new(0),
            waits_while_unwinding: Cell::new(0),
            fiber: Cell::new(0),
            suspended: Cell::new(false),
            ready: WaitQueue::default(),
            yielded: WaitQueue::default(),
            slots: WaitSlots::new(fibers),
            frames,
            barrier: Barrier::default(),
            named: OnceCell::new(),
            rendezvous_table: RendezvousTable::default(),
            arena: RefCell::default(),
            checker: checker.map(RefCell::new),
        };
        executor.begin_block();
        executor
    }

    /// Resets the state for a new block: no thread has started or exited.
    pub(crate) fn begin_block(&self) {
        let threads = self.launch.threads;
        self.next.set(0);
        self.next_index.set(Dim3::new(0, 0, 0));
        self.live.set(threads);
        self.ends.set(0);
        self.waits_while_unwinding.set(0);
        for (lanes, first) in self.live_lanes.iter().zip((0..threads).step_by(32)) {
            let count = (threads - first).min(WARP);
            lanes.set(u32::MAX >> (WARP - count));
        }
        if let Some(named) = self.named.get() {
            named.begin_block();
        }
    }

    /// Resets shared memory and the checker for a block of checked mode.
    pub(crate) fn begin_checked_block(&self, block: u64) {
        self.arena.borrow_mut().poison();
        if let Some(checker) = &self.checker {
            checker.borrow_mut().begin_block(block);
        }
    }

    /// Finishes a block of checked mode.
    pub(crate) fn end_checked_block(&self) {
        if let Some(checker) = &self.checker {
            checker.borrow_mut().end_block(&self.arena.borrow());
        }
    }

    /// Returns the memory that checked mode did not track completely.
    pub(crate) fn untracked_memory(&self) -> Vec<UntrackedMemory> {
        let untracked = |checker: &RefCell<Checker>| {
            let checker = checker.borrow();
            checker.untracked(&self.arena.borrow())
        };
        self.checker.as_ref().map_or(Vec::new(), untracked)
    }

    /// Returns the findings of checked mode, or `None` if there are none.
    pub(crate) fn into_report(self) -> Option<Report> {
        let report = self.checker?.into_inner().report;
        (!report.is_empty()).then_some(report)
    }

    /// Returns the frames and the coroutine body, if the launch has one.
    #[inline(always)]
    fn coroutine_frames(&self) -> Option<(&Frames, &Coroutine<'a>)> {
        self.frames.as_ref().zip(self.launch.coroutine.as_ref())
    }

    /// Makes the next unstarted thread the running one. Returns `false` if there is none.
    #[inline]
    fn start_next(&self, current: &Current) -> bool {
        if self.failing.get() {
            return false;
        }
        if self.checker.is_some() {
            let Some(rank) = self.drawn.take() else {
                return false;
            };
            current.start(self.thread_index(rank), rank);
            return true;
        }
        let rank = self.next.get();
        if rank == self.launch.threads {
            return false;
        }
        let index = self.next_index.get();
        self.next.set(rank + 1);
        self.next_index
            .set(self.launch.shape.block.successor(index));
        current.start(index, rank);
        true
    }

    /// Records that the running thread exits the kernel, and releases threads that waited only for
    /// it.
    #[inline]
    fn exit_thread(&self, rank: u32) {
        self.live.set(self.live.get() - 1);
        let lanes = &self.live_lanes[(rank / WARP) as usize];
        lanes.set(lanes.get() & !(1 << (rank % WARP)));
        if self.barrier.has_waiters() {
            self.thread_exited_before_barrier();
        }
        if self.rendezvous_table.any_pending() {
            self.lane_exited(rank / WARP);
        }
    }

    /// Completes the warp operations and named-barrier arrivals that waited only for a lane of
    /// `warp` that has exited.
    #[cold]
    fn lane_exited(&self, warp: u32) {
        self.complete_rendezvous_without(warp);
        self.complete_warp_arrival_without(warp);
    }

    /// Aborts the block and the launch. Only the first failure of a launch is reported.
    #[cold]
    pub(crate) fn fail(&self, error: LaunchError) {
        self.failing.set(true);
        self.launch.fail(error);
    }

    /// Aborts the block if the launch has failed in another block: the threads may be polling for
    /// values that the failed block will never write. Called when threads that waited are released.
    #[inline(always)]
    fn check_launch(&self) {
        if self.launch.is_stopped() {
            self.failing.set(true);
        }
    }

    /// Suspends the running thread until the scheduler resumes it, or ends it if the block was
    /// aborted meanwhile.
    ///
    /// Inlined into the kernel together with all callers: the processor predicts return addresses
    /// from its call history, which after a stack switch is that of another fiber, so every return
    /// between this function and the kernel is mispredicted.
    #[inline(always)]
    fn suspend(&self) {
        let current = current_thread();
        let (thread, yielder) = (current.thread.get(), current.yielder.get());
        let frame = current.frame.get();
        self.suspended.set(true);
        // SAFETY: a thread that can wait runs on a fiber (single-thread blocks never wait), and the
        // fiber's yielder lives on its stack, below this frame.
        unsafe { (*yielder).suspend(()) };
        current.thread.set(thread);
        current.yielder.set(yielder);
        current.frame.set(frame);
        if self.failing.get() {
            end_thread();
        }
    }

    /// Returns `true` if the running thread may wait. It may not while it unwinds, so destructors
    /// do not block. Ends the thread if its block was aborted.
    #[inline]
    fn may_wait(&self) -> bool {
        if std::thread::panicking() {
            self.count_wait_while_unwinding();
            return false;
        }
        if self.failing.get() {
            end_thread();
        }
        true
    }

    /// Lets the other threads of the block run or, in single-thread blocks, other operating-system
    /// threads.
    #[inline(always)]
    pub(crate) fn yield_thread(&self, site: Site) {
        if self.enqueue_yielded(site) {
            self.suspend();
        }
    }

    /// Adds the running thread to the yielded ones and returns `true` if it must be suspended.
    #[inline(never)]
    fn enqueue_yielded(&self, site: Site) -> bool {
        if !self.may_wait() {
            return false;
        }
        if self.launch.is_stopped() {
            // The thread may be spinning on a value that a failed block will never write.
            self.failing.set(true);
            end_thread();
        }
        if self.is_single_thread {
            std::thread::yield_now();
            return false;
        }
        self.enqueue_current(&self.yielded, site);
        true
    }

    /// Adds the running thread's fiber to a queue.
    #[inline(always)]
    fn enqueue_current(&self, queue: &WaitQueue, site: Site) {
        let fiber = self.fiber.get();
        let rank = current_thread().rank();
        self.slots.set_waiter(fiber, Waiter { rank, site });
        queue.push(&self.slots, fiber);
    }

    /// Returns the mask of the lanes of the running thread's warp that have not exited.
    pub(crate) fn active_mask(&self) -> u32 {
        let rank = current_thread().rank();
        self.live_lanes[(rank / WARP) as usize].get()
    }

    pub(crate) fn thread_index(&self, rank: u32) -> Dim3 {
        self.launch.shape.block.index_at(u64::from(rank))
    }
}
