//! The block's barrier, which completes when every thread that has not exited has arrived.

use super::current_thread::current_thread;
use super::wait_queue::WaitQueue;
use super::{Executor, WARP};
use crate::blocked::Waiter;
use crate::checked::Checker;
use crate::finding::Site;
use std::cell::Cell;

/// Result of a completed barrier.
#[derive(Clone, Copy, Default)]
pub(crate) struct BarrierOutcome {
    /// Number of threads that arrived.
    pub(crate) arrived: u32,
    /// Number of arrived threads whose predicate was `true`.
    pub(crate) true_predicates: u32,
}

/// The barrier of the current block.
#[derive(Default)]
pub(super) struct Barrier {
    /// Number of threads that have arrived.
    arrived: Cell<u32>,
    /// Number of arrived threads whose predicate is `true`.
    true_predicates: Cell<u32>,
    /// Number of threads that wait on a fiber.
    on_fibers: Cell<u32>,
    /// Result of the most recently completed barrier. Every thread reads it before it can arrive at
    /// the next barrier, so one is enough.
    pub(super) completed: Cell<BarrierOutcome>,
    pub(super) waiting: WaitQueue,
}

impl Barrier {
    /// Returns `true` if any thread waits at the barrier.
    #[inline(always)]
    pub(super) fn has_waiters(&self) -> bool {
        self.arrived.get() > 0
    }

    /// Discards the waiting threads of an aborted block.
    pub(super) fn clear(&self) {
        self.arrived.set(0);
        self.true_predicates.set(0);
        self.on_fibers.set(0);
        self.waiting.clear();
    }
}

impl Executor<'_> {
    /// Waits until every thread of the block has arrived or exited. While the thread unwinds it
    /// does not wait, and the result is meaningless.
    #[inline(always)]
    pub(crate) fn barrier(&self, site: Site, predicate: bool) -> BarrierOutcome {
        if self.is_single_thread {
            return BarrierOutcome {
                arrived: 1,
                true_predicates: u32::from(predicate),
            };
        }
        if self.may_wait() && !self.arrive_and_check_last(site, predicate) {
            self.barrier.on_fibers.set(self.barrier.on_fibers.get() + 1);
            self.enqueue_current(&self.barrier.waiting, site);
            self.suspend();
        }
        self.barrier.completed.get()
    }

    /// Records the arrival of the running thread and returns `true` if it completed the barrier.
    #[inline(always)]
    pub(super) fn arrive_and_check_last(&self, site: Site, predicate: bool) -> bool {
        let Barrier {
            arrived,
            true_predicates,
            ..
        } = &self.barrier;
        arrived.set(arrived.get() + 1);
        true_predicates.set(true_predicates.get() + u32::from(predicate));
        let is_last = arrived.get() == self.live.get();
        if is_last {
            self.complete_barrier(Some(site));
        }
        is_last
    }

    /// Returns the result of the barrier from which the running thread resumed.
    #[inline(always)]
    pub(crate) fn outcome(&self) -> BarrierOutcome {
        self.barrier.completed.get()
    }

    /// Completes the barrier if it waited only for a thread that has just exited.
    #[cold]
    pub(super) fn thread_exited_before_barrier(&self) {
        if self.barrier.arrived.get() == self.live.get() {
            self.complete_barrier(None);
        }
    }

    /// Completes the barrier and releases its threads. `last` is the source location of the last
    /// arrival, or `None` if the exit of a thread completed the barrier.
    #[inline(never)]
    fn complete_barrier(&self, last: Option<Site>) {
        let barrier = &self.barrier;
        if let Some(checker) = &self.checker {
            let mut arrivals = barrier.waiting.waiters(&self.slots);
            let rank = current_thread().rank();
            arrivals.extend(last.map(|site| Waiter { rank, site }));
            let mut checker = checker.borrow_mut();
            let exited = self.first_exited_thread(&checker);
            if let Some(error) = checker.barrier_completed(arrivals, exited) {
                self.fail(error);
            }
        }
        self.check_launch();
        let arrived = barrier.arrived.take();
        barrier.completed.set(BarrierOutcome {
            arrived,
            true_predicates: barrier.true_predicates.take(),
        });
        self.ready.append(&self.slots, &barrier.waiting);
        if let Some(frames) = &self.frames {
            frames.release(arrived - u32::from(last.is_some()) - barrier.on_fibers.take());
        }
    }

    /// Returns the lowest rank of the threads that exited the kernel by returning.
    fn first_exited_thread(&self, checker: &Checker) -> Option<u32> {
        (0..self.launch.threads.div_ceil(WARP)).find_map(|warp| {
            let live = self.live_lanes[warp as usize].get();
            let exited = self.launched_lanes(warp) & !live & !checker.faulted_lanes(warp);
            (exited != 0).then(|| warp * WARP + exited.trailing_zeros())
        })
    }
}
