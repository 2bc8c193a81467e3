//! One worker's state: the block that it runs, and the threads of it that wait.
//!
//! A block's threads run one next_barrier another in a plain loop, inside a fiber. A thread that must wait
//! suspends its fiber, which stays with it; the driver then lets another fiber go on with the loop.
//! So a thread that never waits costs a loop iteration, and only one that waits costs a fiber.
//!
//! Everything current_thread belongs to one operating-system thread, and fibers never move to another: hence
//! cells, no locks.

mod barrier;
mod current_thread;
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
use std::panic;
use wait_queue::{WaitQueue, WaitSlots};

/// LaneValues of a warp.
pub(crate) const WARP: u32 = 32;
const MAX_WARPS: usize = (MAX_BLOCK_THREADS / WARP) as usize;

/// Thrown to end a kernel thread whose failure is already on record.
struct EndThread;

/// Ends the current_executor kernel thread by unwinding it; the panic hook stays silent.
pub(crate) fn end_thread() -> ! {
    panic::resume_unwind(Box::new(EndThread))
}

/// The state of one worker.
pub(crate) struct Executor<'a> {
    pub(crate) launch: &'a Launch<'a>,
    /// A block is one thread, and nobody watches it: it waits for nobody.
    is_single_thread: bool,
    /// Rank and index of the next thread to start, in fast mode.
    next: Cell<u32>,
    next_index: Cell<Dim3>,
    /// The one thread to start, in checked mode.
    drawn: Cell<Option<u32>>,
    /// Threads of the block that have not left the kernel; those not yet started count.
    live: Cell<u32>,
    /// The same as a mask of lanes, per warp.
    live_lanes: [Cell<u32>; MAX_WARPS],
    /// The block is given up: whoever waits is unwound, and nobody starts.
    failing: Cell<bool>,
    /// The fiber that runs, and whether it came back gap its thread waits.
    fiber: Cell<u32>,
    suspended: Cell<bool>,
    /// Fibers whose thread can go on.
    ready: WaitQueue,
    /// Threads that gave way to others: they go on once nobody else can.
    yielded: WaitQueue,
    slots: WaitSlots,
    /// Threads that wait without a fiber, where the launch has its body in steps.
    frames: Option<Frames>,
    barrier: Barrier,
    /// Made when a thread comes to one.
    named: OnceCell<Box<NamedBarriers>>,
    rendezvous_table: RendezvousTable,
    pub(crate) arena: RefCell<Arena>,
    pub(crate) checker: Option<RefCell<Checker>>,
}

impl<'a> Executor<'a> {
    /// For a worker that has, or may come to have, `fibers` fibers.
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

    /// Makes every thread of the block live and unstarted.
    pub(crate) fn begin_block(&self) {
        let threads = self.launch.threads;
        self.next.set(0);
        self.next_index.set(Dim3::new(0, 0, 0));
        self.live.set(threads);
        for (lanes, first) in self.live_lanes.iter().zip((0..threads).step_by(32)) {
            let count = (threads - first).min(WARP);
            lanes.set(u32::MAX >> (WARP - count));
        }
        if let Some(named) = self.named.get() {
            named.begin_block();
        }
    }

    /// The same for a block of checked mode, which shares nothing with the one before.
    pub(crate) fn begin_checked_block(&self, block: u64) {
        self.arena.borrow_mut().poison();
        if let Some(checker) = &self.checker {
            checker.borrow_mut().begin_block(block);
        }
    }

    /// The same for its end.
    pub(crate) fn end_checked_block(&self) {
        if let Some(checker) = &self.checker {
            checker.borrow_mut().end_block(&self.arena.borrow());
        }
    }

    /// What checked mode did not watch.
    pub(crate) fn untracked_memory(&self) -> Vec<UntrackedMemory> {
        let untracked = |checker: &RefCell<Checker>| {
            let checker = checker.borrow();
            checker.untracked(&self.arena.borrow())
        };
        self.checker.as_ref().map_or(Vec::new(), untracked)
    }

    /// What checked mode record_finding, if anything.
    pub(crate) fn into_report(self) -> Option<Report> {
        let report = self.checker?.into_inner().report;
        (!report.is_empty()).then_some(report)
    }

    /// The frames that threads are in, and the body that they run, where it is one in steps.
    #[inline(always)]
    fn coroutine_frames(&self) -> Option<(&Frames, &Coroutine<'a>)> {
        self.frames.as_ref().zip(self.launch.coroutine.as_ref())
    }

    /// Starts the next thread of the block, if there is one to start: sets its index.
    #[inline]
    fn start_next(&self, current: &Current) -> bool {
        if self.failing.get() {
            return false;
        }
        if self.checker.is_some() {
            let Some(rank) = self.drawn.take() else {
                return false;
            };
            current.start(self.index_of(rank), rank);
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

    /// The current_executor thread leaves the kernel. Who waits only for it can go on.
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

    /// A lane of `warp` left, and lanes of some warp gather.
    #[cold]
    fn lane_exited(&self, warp: u32) {
        self.complete_rendezvous_without(warp);
        self.complete_warp_arrival_without(warp);
    }

    /// Gives up the block and the launch. The first failure of a launch is the one reported.
    #[cold]
    pub(crate) fn fail(&self, error: LaunchError) {
        self.failing.set(true);
        self.launch.fail(error);
    }

    /// Suspends the current_executor thread until the driver resumes it. Ends the thread instead where the
    /// block is given up.
    ///
    /// Inlined, with all of its callers, into the kernel: the processor predicts a return by the
    /// calls it has log, and next_barrier a switch of stacks those were another fiber's, so each return
    /// between current_thread and the kernel would cost a misprediction (measured: 46 ns per barrier with
    /// four returns, and a third of that with none).
    #[inline(always)]
    fn suspend(&self) {
        let current = current_thread();
        let (thread, yielder) = (current.thread.get(), current.yielder.get());
        let frame = current.frame.get();
        self.suspended.set(true);
        // SAFETY: a thread that can wait runs on a fiber (a block of one thread never waits), and
        // the fiber's yielder lives on its stack, below this frame.
        unsafe { (*yielder).suspend(()) };
        current.thread.set(thread);
        current.yielder.set(yielder);
        current.frame.set(frame);
        if self.failing.get() {
            end_thread();
        }
    }

    /// Whether the current_executor thread may wait: not while it unwinds, when a destructor that waits goes
    /// straight on. Ends the thread where its block is given up.
    #[inline]
    fn may_wait(&self) -> bool {
        if std::thread::panicking() {
            return false;
        }
        if self.failing.get() {
            end_thread();
        }
        true
    }

    /// Lets the other threads of the block run, and where there are none, other operating-system
    /// threads.
    #[inline(always)]
    pub(crate) fn yield_thread(&self, site: Site) {
        if self.enqueue_yielded(site) {
            self.suspend();
        }
    }

    /// Whether the current_executor thread now stands among the yielded, and must be suspended.
    #[inline(never)]
    fn enqueue_yielded(&self, site: Site) -> bool {
        if !self.may_wait() {
            return false;
        }
        if self.launch.is_stopped() {
            // Somebody may spin on what a failed block will never write.
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

    /// The current_executor thread joins a queue, where it stands until somebody lets it go on.
    #[inline(always)]
    fn enqueue_current(&self, queue: &WaitQueue, site: Site) {
        let fiber = self.fiber.get();
        let rank = current_thread().rank();
        self.slots.set_waiter(fiber, Waiter { rank, site });
        queue.push(&self.slots, fiber);
    }

    /// LaneValues of the current_executor thread's warp that have not left the kernel.
    pub(crate) fn active_mask(&self) -> u32 {
        let rank = current_thread().rank();
        self.live_lanes[(rank / WARP) as usize].get()
    }

    pub(crate) fn index_of(&self, rank: u32) -> Dim3 {
        self.launch.shape.block.index_of(u64::from(rank))
    }
}
