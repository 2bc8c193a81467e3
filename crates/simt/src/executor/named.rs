//! Named barriers: warps of the block meet under a number, as many as each of them says. Some wait,
//! others only arrive.
//!
//! As on a device a warp arrives as a whole: its lanes gather, and whoever came first waits for the
//! others. A warp that only arrives goes on then; one that waits goes on when the barrier is
//! complete, which begins anew.

use super::queue::{Queue, Seats};
use super::record::here;
use super::{Executor, MAX_WARPS, WARP, end_thread};
use crate::checked::Checker;
use crate::finding::{FindingKind, Site};
use crate::shape::BARRIERS;
use crate::waiting::Waiter;
use std::cell::{Cell, RefCell};

/// What a thread does at a named barrier.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Call {
    /// From 1.
    pub(crate) barrier: u32,
    /// Threads that the barrier is for.
    pub(crate) threads: u32,
    /// Whether it waits, or only arrives.
    pub(crate) waits: bool,
}

/// The lanes of a warp on their way to a barrier.
struct Gather {
    call: Cell<Call>,
    /// Those that have come, and the first of them.
    lanes: Cell<u32>,
    first: Cell<Option<Waiter>>,
    waiting: Queue,
}

impl Default for Gather {
    fn default() -> Self {
        let call = Call {
            barrier: 0,
            threads: 0,
            waits: false,
        };
        Gather {
            call: Cell::new(call),
            lanes: Cell::new(0),
            first: Cell::new(None),
            waiting: Queue::default(),
        }
    }
}

/// A barrier until it is complete.
#[derive(Default)]
struct Phase {
    /// Threads that it is for, as the first warp said.
    threads: Cell<u32>,
    /// Threads of the warps that have arrived, each counted as a whole, and the first of them.
    arrived: Cell<u32>,
    first: Cell<Option<Waiter>>,
    /// The warps that wait, and their threads.
    warps: Cell<u32>,
    waiting: Queue,
}

impl Phase {
    fn clear(&self) {
        self.arrived.set(0);
        self.warps.set(0);
        self.waiting.clear();
    }
}

/// The named barriers of the block at hand.
#[derive(Default)]
pub(super) struct NamedBarriers {
    gathers: [Gather; MAX_WARPS],
    phases: [Phase; BARRIERS as usize],
}

impl NamedBarriers {
    /// A block begins: barriers at which the one before arrived, and nobody waited, begin anew.
    pub(super) fn begin_block(&self) {
        self.phases.iter().for_each(Phase::clear);
    }

    /// Forgets who waits: the block is given up.
    pub(super) fn clear(&self) {
        self.begin_block();
        for gather in &self.gathers {
            gather.lanes.set(0);
            gather.waiting.clear();
        }
    }

    /// Who waits, and for what.
    pub(super) fn waiters(&self, seats: &Seats) -> Vec<(Waiter, String)> {
        let mut all = Vec::new();
        for gather in self.gathers.iter().filter(|one| one.lanes.get() != 0) {
            let Call { barrier, .. } = gather.call.get();
            let what = format!("named barrier {barrier} for the rest of its warp");
            let waiters = gather.waiting.waiters(seats).into_iter();
            all.extend(waiters.map(|waiter| (waiter, what.clone())));
        }
        for (barrier, phase) in self.phases.iter().enumerate() {
            let (arrived, threads) = (phase.arrived.get(), phase.threads.get());
            let what = format!("named barrier {barrier} ({arrived} of {threads} threads arrived)");
            let waiters = phase.waiting.waiters(seats).into_iter();
            all.extend(waiters.map(|waiter| (waiter, what.clone())));
        }
        all
    }
}

impl Executor<'_> {
    /// The running thread comes to a named barrier. It goes on when its warp is there and, if it
    /// waits, the barrier is complete.
    #[inline(always)]
    pub(crate) fn named_barrier(&self, call: Call, site: Site) {
        if self.come_to_named(call, site) {
            self.suspend();
        }
    }

    /// Whether the running thread now stands among those that wait, and must be suspended.
    #[inline(never)]
    fn come_to_named(&self, call: Call, site: Site) -> bool {
        if !self.may_wait() {
            return false;
        }
        let Call {
            barrier, threads, ..
        } = call;
        assert!(
            (1..BARRIERS).contains(&barrier),
            "there is no named barrier {barrier}: they are 1 to {}",
            BARRIERS - 1
        );
        let block_threads = self.launch.threads;
        let fits = threads <= block_threads.next_multiple_of(WARP);
        if threads == 0 || !threads.is_multiple_of(WARP) || !fits {
            let kind = FindingKind::NamedBarrierCount {
                barrier,
                threads,
                block_threads,
            };
            self.find(site, kind);
            end_thread();
        }
        if self.alone {
            return false;
        }
        let named = self.named.get_or_init(Box::default);
        let rank = here().rank();
        let (warp, lane) = (rank / WARP, rank % WARP);
        let gather = &named.gathers[warp as usize];
        match gather.first.get().filter(|_| gather.lanes.get() != 0) {
            None => {
                gather.call.set(call);
                gather.first.set(Some(Waiter { rank, site }));
                self.rendezvouses.one_more();
            }
            Some(first) => self.compare(gather.call.get(), first, call, site),
        }
        gather.lanes.set(gather.lanes.get() | 1 << lane);
        if gather.lanes.get() == self.live_lanes[warp as usize].get() {
            return self.warp_arrives(named, warp, Some(site));
        }
        self.stand_in(&gather.waiting, site);
        true
    }

    /// All lanes of a warp are to come to the same call as the first of them. Another is a finding,
    /// and the running thread ends; checked mode reports another place as well.
    fn compare(&self, of_first: Call, first: Waiter, call: Call, site: Site) {
        let others_count = Call {
            threads: of_first.threads,
            ..call
        };
        if others_count != of_first || self.checker.is_some() && first.site != site {
            let kind = FindingKind::WarpDiverged {
                barrier: call.barrier,
                other_thread: self.index_of(first.rank),
                other_site: first.site,
            };
            self.find(site, kind);
        } else if call != of_first {
            self.find(site, self.other_count(call, of_first.threads, first));
        }
        if call != of_first {
            end_thread();
        }
    }

    fn other_count(&self, call: Call, other_threads: u32, other: Waiter) -> FindingKind {
        FindingKind::NamedBarrierCounts {
            barrier: call.barrier,
            threads: call.threads,
            other_threads,
            other_thread: self.index_of(other.rank),
            other_site: other.site,
        }
    }

    /// A lane of `warp` left the kernel: the others may have waited only for it.
    pub(super) fn lane_left_named(&self, warp: u32) {
        if let Some(named) = self.named.get() {
            let lanes = named.gathers[warp as usize].lanes.get();
            if lanes != 0 && lanes == self.live_lanes[warp as usize].get() {
                self.warp_arrives(named, warp, None);
            }
        }
    }

    /// All lanes of the warp are there. `last` is where the running thread stands, if it is one of
    /// them. Whether that must be suspended.
    fn warp_arrives(&self, named: &NamedBarriers, warp: u32, last: Option<Site>) -> bool {
        let gather = &named.gathers[warp as usize];
        let (call, lanes, first) = (gather.call.get(), gather.lanes.take(), gather.first.take());
        self.rendezvouses.one_less();
        let phase = &named.phases[call.barrier as usize];
        if phase.arrived.get() == 0 {
            phase.threads.set(call.threads);
            phase.first.set(first);
        } else if phase.threads.get() != call.threads
            && let (Some(other), Some(first)) = (phase.first.get(), first)
        {
            // Checked mode goes on with the number that the first warp said.
            let kind = self.other_count(call, phase.threads.get(), other);
            self.find_of(first.rank, first.site, kind);
            if self.failing.get() && last.is_some() {
                end_thread();
            }
        }
        if let (Some(checker), Some(first)) = (&self.checker, first) {
            let mut waiters = gather.waiting.waiters(&self.seats);
            let rank = here().rank();
            waiters.extend(last.map(|site| Waiter { rank, site }));
            self.tell_of_arrival(checker, call, warp, lanes, first, &waiters);
        }
        phase.arrived.set(phase.arrived.get() + WARP);
        if call.waits {
            phase.warps.set(phase.warps.get() | 1 << warp);
            phase.waiting.append(&self.seats, &gather.waiting);
        } else {
            self.ready.append(&self.seats, &gather.waiting);
        }
        if phase.arrived.get() >= phase.threads.get() {
            self.complete_named(call.barrier, phase);
            return false;
        }
        match last {
            Some(site) if call.waits => {
                self.stand_in(&phase.waiting, site);
                true
            }
            _ => false,
        }
    }

    /// Lets everybody go on who waits at the barrier.
    fn complete_named(&self, barrier: u32, phase: &Phase) {
        if let Some(checker) = &self.checker {
            let warps = phase.warps.get();
            let waiting = (0..MAX_WARPS as u32).filter(|warp| warps >> warp & 1 == 1);
            let lanes = waiting.map(|warp| (warp, self.live_lanes[warp as usize].get()));
            checker.borrow_mut().named_completed(barrier, lanes);
        }
        self.ready.append(&self.seats, &phase.waiting);
        phase.clear();
    }

    /// Tells checked mode that a warp arrives, all of `waiters`.
    fn tell_of_arrival(
        &self,
        checker: &RefCell<Checker>,
        call: Call,
        warp: u32,
        lanes: u32,
        first: Waiter,
        waiters: &[Waiter],
    ) {
        let mut checker = checker.borrow_mut();
        if let Some(error) = checker.step_each(waiters) {
            self.fail(error);
        }
        let left = self.existing_lanes(warp) & !lanes & !checker.faulted_lanes(warp);
        if left != 0 {
            checker.left_before(first, warp * WARP + left.trailing_zeros());
        }
        checker.named_arrival(call.barrier, warp, lanes);
    }
}
