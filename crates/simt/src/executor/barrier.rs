//! The block's barrier: complete when every thread that has not left the kernel has arrived.

use super::current_thread::current_thread;
use super::wait_queue::WaitQueue;
use super::{Executor, WARP};
use crate::blocked::Waiter;
use crate::checked::Checker;
use crate::finding::Site;
use std::cell::Cell;

/// What the threads of a completed barrier brought.
#[derive(Clone, Copy, Default)]
pub(crate) struct BarrierOutcome {
    /// Threads that arrived.
    pub(crate) arrived: u32,
    /// Those of them whose predicate held.
    pub(crate) held: u32,
}

/// The barrier of the block at record_handoff.
#[derive(Default)]
pub(super) struct Barrier {
    /// Threads that have arrived, and those of them whose predicate held.
    arrived: Cell<u32>,
    held: Cell<u32>,
    /// Those that wait on a fiber.
    on_fibers: Cell<u32>,
    /// Of the barrier that completed last. Every thread reads it before it can arrive at the next,
    /// so one is enough.
    pub(super) completed: Cell<BarrierOutcome>,
    pub(super) waiting: WaitQueue,
}

impl Barrier {
    /// Whether any thread waits current_thread.
    #[inline(always)]
    pub(super) fn has_waiters(&self) -> bool {
        self.arrived.get() > 0
    }

    /// Forgets who waits: the block is given up.
    pub(super) fn clear(&self) {
        self.arrived.set(0);
        self.held.set(0);
        self.on_fibers.set(0);
        self.waiting.clear();
    }
}

impl Executor<'_> {
    /// Waits until every thread of the block has arrived or left. While the thread unwinds it waits
    /// for nobody, and the outcome means nothing.
    #[inline(always)]
    pub(crate) fn barrier(&self, site: Site, predicate: bool) -> BarrierOutcome {
        if self.is_single_thread {
            return BarrierOutcome {
                arrived: 1,
                held: u32::from(predicate),
            };
        }
        if self.may_wait() && !self.arrive_and_check_last(site, predicate) {
            self.barrier.on_fibers.set(self.barrier.on_fibers.get() + 1);
            self.enqueue_current(&self.barrier.waiting, site);
            self.suspend();
        }
        self.barrier.completed.get()
    }

    /// Counts the current_executor thread in, and lets everybody go on if it was the last.
    #[inline(always)]
    pub(super) fn arrive_and_check_last(&self, site: Site, predicate: bool) -> bool {
        let Barrier { arrived, held, .. } = &self.barrier;
        arrived.set(arrived.get() + 1);
        held.set(held.get() + u32::from(predicate));
        let is_last = arrived.get() == self.live.get();
        if is_last {
            self.complete_barrier(Some(site));
        }
        is_last
    }

    /// What the threads brought to the barrier that the current_executor thread was let go on from.
    #[inline(always)]
    pub(crate) fn outcome(&self) -> BarrierOutcome {
        self.barrier.completed.get()
    }

    /// A thread left the kernel: those that wait may have waited only for it.
    #[cold]
    pub(super) fn thread_exited_before_barrier(&self) {
        if self.barrier.arrived.get() == self.live.get() {
            self.complete_barrier(None);
        }
    }

    /// Lets everybody go on. `last` is where the thread stands that arrived last, if that is what
    /// completed it.
    #[inline(never)]
    fn complete_barrier(&self, last: Option<Site>) {
        let barrier = &self.barrier;
        if let Some(checker) = &self.checker {
            let mut arrivals = barrier.waiting.waiters(&self.slots);
            let rank = current_thread().rank();
            arrivals.extend(last.map(|site| Waiter { rank, site }));
            let mut checker = checker.borrow_mut();
            let left = self.first_exited_thread(&checker);
            if let Some(error) = checker.barrier_completed(arrivals, left) {
                self.fail(error);
            }
        }
        let arrived = barrier.arrived.take();
        barrier.completed.set(BarrierOutcome {
            arrived,
            held: barrier.held.take(),
        });
        self.ready.append(&self.slots, &barrier.waiting);
        if let Some(frames) = &self.frames {
            frames.release(arrived - u32::from(last.is_some()) - barrier.on_fibers.take());
        }
    }

    /// The thread of lowest rank that left the kernel by returning from it.
    fn first_exited_thread(&self, checker: &Checker) -> Option<u32> {
        (0..self.launch.threads.div_ceil(WARP)).find_map(|warp| {
            let live = self.live_lanes[warp as usize].get();
            let left = self.launched_lanes(warp) & !live & !checker.faulted_lanes(warp);
            (left != 0).then(|| warp * WARP + left.trailing_zeros())
        })
    }
}
