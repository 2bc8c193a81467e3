//! Named barriers, at which some warps of a block wait and others only arrive, until the given
//! number of threads has arrived.
//!
//! As on a GPU a warp arrives as a whole, so its lanes first wait for one another. A warp that only
//! arrives then continues; a warp that waits continues when the barrier completes. A completed
//! barrier is reset for its next phase.

use super::current_thread::current_thread;
use super::wait_queue::{WaitQueue, WaitSlots};
use super::{Executor, MAX_WARPS, WARP, end_thread};
use crate::blocked::Waiter;
use crate::checked::Checker;
use crate::finding::{FindingKind, Site};
use crate::shape::BARRIERS;
use std::cell::{Cell, RefCell};

/// Arguments of an arrival at a named barrier.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct NamedArrival {
    /// Number of the barrier, from 1.
    pub(crate) barrier: u32,
    /// Number of threads that complete the barrier.
    pub(crate) threads: u32,
    /// `true` if the warp waits for completion; `false` if it only arrives.
    pub(crate) waits: bool,
}

/// An incomplete arrival of a warp, some of whose lanes have yet to arrive.
struct WarpArrival {
    call: Cell<NamedArrival>,
    /// Mask of the lanes that have arrived.
    lanes: Cell<u32>,
    /// First lane that arrived.
    first: Cell<Option<Waiter>>,
    waiting: WaitQueue,
}

impl Default for WarpArrival {
    fn default() -> Self {
        let call = NamedArrival {
            barrier: 0,
            threads: 0,
            waits: false,
        };
        WarpArrival {
            call: Cell::new(call),
            lanes: Cell::new(0),
            first: Cell::new(None),
            waiting: WaitQueue::default(),
        }
    }
}

/// Current phase of a named barrier.
#[derive(Default)]
struct BarrierPhase {
    /// Number of threads that complete the phase, as given by the first warp.
    threads: Cell<u32>,
    /// Number of arrived threads; each warp counts as 32.
    arrived: Cell<u32>,
    /// First thread that arrived.
    first: Cell<Option<Waiter>>,
    /// Mask of the waiting warps.
    warps: Cell<u32>,
    /// Threads of the waiting warps.
    waiting: WaitQueue,
}

impl BarrierPhase {
    fn clear(&self) {
        self.arrived.set(0);
        self.warps.set(0);
        self.waiting.clear();
    }
}

/// The named barriers of the current block.
#[derive(Default)]
pub(super) struct NamedBarriers {
    warp_arrivals: [WarpArrival; MAX_WARPS],
    phases: [BarrierPhase; BARRIERS as usize],
}

impl NamedBarriers {
    /// Resets all barriers for a new block; arrivals of the previous block are discarded.
    pub(super) fn begin_block(&self) {
        self.phases.iter().for_each(BarrierPhase::clear);
    }

    /// Discards the waiting threads of an aborted block.
    pub(super) fn clear(&self) {
        self.begin_block();
        for arrival in &self.warp_arrivals {
            arrival.lanes.set(0);
            arrival.waiting.clear();
        }
    }

    /// Returns the waiting threads, each with a description of what it waits for.
    pub(super) fn waiters(&self, slots: &WaitSlots) -> Vec<(Waiter, String)> {
        let mut all = Vec::new();
        for arrival in self.warp_arrivals.iter().filter(|one| one.lanes.get() != 0) {
            let NamedArrival { barrier, .. } = arrival.call.get();
            let operation = format!("named barrier {barrier} for the other lanes of its warp");
            let waiters = arrival.waiting.waiters(slots).into_iter();
            all.extend(waiters.map(|waiter| (waiter, operation.clone())));
        }
        for (barrier, phase) in self.phases.iter().enumerate() {
            let (arrived, threads) = (phase.arrived.get(), phase.threads.get());
            let operation =
                format!("named barrier {barrier} ({arrived} of {threads} threads arrived)");
            let waiters = phase.waiting.waiters(slots).into_iter();
            all.extend(waiters.map(|waiter| (waiter, operation.clone())));
        }
        all
    }
}

impl Executor<'_> {
    /// Arrives at a named barrier. Returns when all lanes of the warp have arrived and, if the call
    /// waits, the barrier is complete.
    #[inline(always)]
    pub(crate) fn named_barrier(&self, call: NamedArrival, site: Site) {
        if self.arrive_at_named(call, site) {
            self.suspend();
        }
    }

    /// Records the arrival of the running thread and returns `true` if it must be suspended.
    #[inline(never)]
    fn arrive_at_named(&self, call: NamedArrival, site: Site) -> bool {
        if !self.may_wait() {
            return false;
        }
        let NamedArrival {
            barrier, threads, ..
        } = call;
        assert!(
            (1..BARRIERS).contains(&barrier),
            "named barrier {barrier} does not exist; use a number from 1 to {}",
            BARRIERS - 1
        );
        let block_threads = self.launch.threads;
        let fits = threads <= block_threads.next_multiple_of(WARP);
        if threads == 0 || !threads.is_multiple_of(WARP) || !fits {
            let kind = FindingKind::InvalidNamedBarrierCount {
                barrier,
                threads,
                block_threads,
            };
            self.report_finding(site, kind);
            end_thread();
        }
        if self.is_single_thread {
            return false;
        }
        let named = self.named.get_or_init(Box::default);
        let rank = current_thread().rank();
        let (warp, lane) = (rank / WARP, rank % WARP);
        let arrival = &named.warp_arrivals[warp as usize];
        match arrival.first.get().filter(|_| arrival.lanes.get() != 0) {
            None => {
                arrival.call.set(call);
                arrival.first.set(Some(Waiter { rank, site }));
                self.rendezvous_table.increment_pending();
            }
            Some(first) => self.check_warp_agrees(arrival.call.get(), first, call, site),
        }
        arrival.lanes.set(arrival.lanes.get() | 1 << lane);
        if arrival.lanes.get() == self.live_lanes[warp as usize].get() {
            return self.warp_arrives(named, warp, Some(site));
        }
        self.enqueue_current(&arrival.waiting, site);
        true
    }

    /// Checks that a lane arrives with the same arguments as the first lane of its warp. A
    /// difference is a finding and ends the running thread; checked mode also reports different
    /// source locations.
    fn check_warp_agrees(
        &self,
        first_call: NamedArrival,
        first: Waiter,
        call: NamedArrival,
        site: Site,
    ) {
        let with_first_count = NamedArrival {
            threads: first_call.threads,
            ..call
        };
        if with_first_count != first_call || self.checker.is_some() && first.site != site {
            let kind = FindingKind::WarpDivergence {
                barrier: call.barrier,
                other_thread: self.thread_index(first.rank),
                other_site: first.site,
            };
            self.report_finding(site, kind);
        } else if call != first_call {
            self.report_finding(site, self.count_mismatch(call, first_call.threads, first));
        }
        if call != first_call {
            end_thread();
        }
    }

    fn count_mismatch(&self, call: NamedArrival, other_threads: u32, other: Waiter) -> FindingKind {
        FindingKind::NamedBarrierCountMismatch {
            barrier: call.barrier,
            threads: call.threads,
            other_threads,
            other_thread: self.thread_index(other.rank),
            other_site: other.site,
        }
    }

    /// Completes the arrival of `warp` if it waited only for a lane that has exited.
    pub(super) fn complete_warp_arrival_without(&self, warp: u32) {
        if let Some(named) = self.named.get() {
            let lanes = named.warp_arrivals[warp as usize].lanes.get();
            if lanes != 0 && lanes == self.live_lanes[warp as usize].get() {
                self.warp_arrives(named, warp, None);
            }
        }
    }

    /// Records that all lanes of the warp have arrived. `last` is the source location of the
    /// running thread if it is one of them. Returns `true` if the running thread must be suspended.
    fn warp_arrives(&self, named: &NamedBarriers, warp: u32, last: Option<Site>) -> bool {
        let arrival = &named.warp_arrivals[warp as usize];
        let (call, lanes, first) = (
            arrival.call.get(),
            arrival.lanes.take(),
            arrival.first.take(),
        );
        self.rendezvous_table.decrement_pending();
        let phase = &named.phases[call.barrier as usize];
        if phase.arrived.get() == 0 {
            phase.threads.set(call.threads);
            phase.first.set(first);
        } else if phase.threads.get() != call.threads
            && let (Some(other), Some(first)) = (phase.first.get(), first)
        {
            // In checked mode the phase continues with the number given by the first warp.
            let kind = self.count_mismatch(call, phase.threads.get(), other);
            self.report_finding_for(first.rank, first.site, kind);
            if self.failing.get() && last.is_some() {
                end_thread();
            }
        }
        if let (Some(checker), Some(first)) = (&self.checker, first) {
            let mut waiters = arrival.waiting.waiters(&self.slots);
            let rank = current_thread().rank();
            waiters.extend(last.map(|site| Waiter { rank, site }));
            self.record_arrival(checker, call, warp, lanes, first, &waiters);
        }
        phase.arrived.set(phase.arrived.get() + WARP);
        if call.waits {
            phase.warps.set(phase.warps.get() | 1 << warp);
            phase.waiting.append(&self.slots, &arrival.waiting);
        } else {
            self.ready.append(&self.slots, &arrival.waiting);
        }
        if phase.arrived.get() >= phase.threads.get() {
            self.complete_named(call.barrier, phase);
            return false;
        }
        match last {
            Some(site) if call.waits => {
                self.enqueue_current(&phase.waiting, site);
                true
            }
            _ => false,
        }
    }

    /// Completes the phase and releases the threads that wait at the barrier.
    fn complete_named(&self, barrier: u32, phase: &BarrierPhase) {
        if let Some(checker) = &self.checker {
            let warps = phase.warps.get();
            let waiting = (0..MAX_WARPS as u32).filter(|warp| warps >> warp & 1 == 1);
            let lanes = waiting.map(|warp| (warp, self.live_lanes[warp as usize].get()));
            checker.borrow_mut().named_barrier_completed(barrier, lanes);
        }
        self.check_launch();
        self.ready.append(&self.slots, &phase.waiting);
        phase.clear();
    }

    /// Records the arrival of a warp, consisting of `waiters`, in the checker.
    fn record_arrival(
        &self,
        checker: &RefCell<Checker>,
        call: NamedArrival,
        warp: u32,
        lanes: u32,
        first: Waiter,
        waiters: &[Waiter],
    ) {
        let mut checker = checker.borrow_mut();
        if let Some(error) = checker.count_steps(waiters) {
            self.fail(error);
        }
        let exited = self.launched_lanes(warp) & !lanes & !checker.faulted_lanes(warp);
        if exited != 0 {
            checker.record_exit_before_barrier(first, warp * WARP + exited.trailing_zeros());
        }
        checker.named_barrier_arrived(call.barrier, warp, lanes);
    }
}
