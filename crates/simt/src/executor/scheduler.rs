//! The scheduler: selects the next fiber whenever one is suspended.

use super::current_thread::current_thread;
use super::frames::Frames;
use super::run::run_on_fiber;
use super::{Executor, WarpOperation};
use crate::LaunchError;
use crate::blocked::{BlockedThread, Waiter};
use crate::checked::Checker;
use crate::fiber::FiberSet;
use std::cell::RefCell;

/// Number of consecutive yields without other progress after which checked mode reports a deadlock:
/// the block spins on a value that none of its threads will write, and blocks run one at a time.
const MAX_IDLE_YIELDS: u32 = 1 << 20;

/// Number of consecutive yields after which fast mode yields to the operating system.
const IDLE_YIELDS_PER_OS_YIELD: u32 = 256;

impl Executor<'_> {
    /// Runs the block until every thread has exited or the block is aborted.
    pub(crate) fn run_block(&self, fibers: &mut FiberSet) {
        match &self.checker {
            None => self.run_in_rank_order(fibers),
            Some(checker) => self.run_in_random_order(fibers, checker),
        }
        if !self.failing.get() && self.live.get() > 0 {
            self.fail(self.deadlock());
        }
        if self.failing.get() {
            self.unwind(fibers);
        }
    }

    /// Schedule of fast mode: ready threads first, while their stacks are in the cache; then new
    /// threads; then yielded threads, which may do nothing but yield again.
    fn run_in_rank_order(&self, fibers: &mut FiberSet) {
        let mut idle_yields = 0_u32;
        loop {
            let fiber = if let Some(fiber) = self.ready.pop(&self.slots) {
                fiber
            } else if self.next.get() < self.launch.threads || self.any_frame_is_ready() {
                match self.acquire(fibers) {
                    Some(fiber) => fiber,
                    None => return,
                }
            } else if let Some(fiber) = self.yielded.pop(&self.slots) {
                idle_yields = idle_yields.wrapping_add(1);
                if idle_yields.is_multiple_of(IDLE_YIELDS_PER_OS_YIELD) {
                    std::thread::yield_now();
                }
                fiber
            } else {
                return;
            };
            self.run_fiber(fibers, fiber);
            if self.failing.get() {
                return;
            }
        }
    }

    #[inline(always)]
    fn any_frame_is_ready(&self) -> bool {
        self.frames
            .as_ref()
            .is_some_and(|frames| frames.ready() > 0)
    }

    /// Schedule of checked mode: a random ready or unstarted thread; yielded threads only if there
    /// is none.
    fn run_in_random_order(&self, fibers: &mut FiberSet, checker: &RefCell<Checker>) {
        let mut ready: Vec<u32> = Vec::new();
        let mut idle_yields = 0_u32;
        loop {
            ready.extend(std::iter::from_fn(|| self.ready.pop(&self.slots)));
            let choice = checker.borrow_mut().draw_next(ready.len());
            let fiber = match choice {
                Some(choice) if choice < ready.len() => {
                    let fiber = ready.swap_remove(choice);
                    self.notify_resumed(checker, fiber);
                    fiber
                }
                Some(_) => {
                    let rank = checker.borrow_mut().next_unstarted();
                    if let Some(rank) = rank {
                        checker.borrow_mut().thread_resumed(rank, None);
                    }
                    self.drawn.set(rank);
                    match self.acquire(fibers) {
                        Some(fiber) => fiber,
                        None => return,
                    }
                }
                None if idle_yields == MAX_IDLE_YIELDS => return,
                None => match self.yielded.pop(&self.slots) {
                    Some(fiber) => {
                        self.notify_resumed(checker, fiber);
                        fiber
                    }
                    None => return,
                },
            };
            idle_yields = match choice {
                Some(_) => 0,
                None => idle_yields + 1,
            };
            self.run_fiber(fibers, fiber);
            if self.failing.get() {
                return;
            }
        }
    }

    /// Records in the checker which thread resumes.
    fn notify_resumed(&self, checker: &RefCell<Checker>, fiber: u32) {
        if let Some(Waiter { rank, site }) = self.slots.waiter(fiber) {
            checker.borrow_mut().thread_resumed(rank, Some(site));
        }
    }

    /// Runs the fiber until its thread waits or it idles.
    #[inline(always)]
    fn run_fiber(&self, fibers: &mut FiberSet, fiber: u32) {
        self.fiber.set(fiber);
        self.suspended.set(false);
        fibers.resume(fiber);
        if !self.suspended.get() {
            fibers.release(fiber);
        }
    }

    /// Returns an idle fiber, or aborts the block if the system provides no stack for a new one.
    fn acquire(&self, fibers: &mut FiberSet) -> Option<u32> {
        match fibers.acquire(run_on_fiber) {
            Ok(fiber) => Some(fiber),
            Err(source) => {
                let kernel = self.launch.kernel.to_owned();
                self.fail(LaunchError::Stack { kernel, source });
                None
            }
        }
    }

    /// Unwinds every waiting thread, so that all fibers idle again.
    #[cold]
    fn unwind(&self, fibers: &mut FiberSet) {
        self.drawn.set(None);
        self.ready.clear();
        self.yielded.clear();
        self.barrier.clear();
        self.rendezvous_table.clear();
        if let Some(named) = self.named.get() {
            named.clear();
        }
        for fiber in fibers.busy() {
            self.fiber.set(fiber);
            fibers.resume(fiber);
            fibers.release(fiber);
        }
        if let Some((frames, coroutine)) = self.coroutine_frames() {
            self.drop_frames(frames, coroutine, current_thread());
        }
    }

    /// Describes the waiting threads of a deadlocked block.
    #[cold]
    fn deadlock(&self) -> LaunchError {
        let mut waiting: Vec<(Waiter, String)> = Vec::new();
        let coroutine_frames = self.frames.iter().flat_map(Frames::waiters);
        for waiter in self
            .barrier
            .waiting
            .waiters(&self.slots)
            .into_iter()
            .chain(coroutine_frames)
        {
            waiting.push((waiter, "barrier".to_owned()));
        }
        for (waiter, operation, mask) in self.rendezvous_table.waiters(&self.slots) {
            let name = match operation {
                WarpOperation::Sync => "warp_sync",
                WarpOperation::Exchange => "warp_exchange",
            };
            waiting.push((waiter, format!("{name}({mask:#010x})")));
        }
        if let Some(named) = self.named.get() {
            waiting.extend(named.waiters(&self.slots));
        }
        for waiter in self.yielded.waiters(&self.slots) {
            waiting.push((waiter, "yield_thread".to_owned()));
        }
        waiting.sort_by_key(|(waiter, _)| waiter.rank);
        let describe = |(waiter, operation): (Waiter, String)| BlockedThread {
            thread: self.thread_index(waiter.rank),
            operation,
            site: waiter.site,
        };
        LaunchError::Deadlock {
            kernel: self.launch.kernel.to_owned(),
            block: current_thread().block.get(),
            waiting: waiting.into_iter().map(describe).collect(),
        }
    }
}
