//! Warp operations: the lanes of a mask meet, and go on together with one another's values.
//!
//! LaneValues meet by warp, mask and operation, not by source line: that is what `*.sync` instructions
//! do, and it lets both sides of a branch take part. Groups with different masks may be under way
//! in one warp at the same time.

use super::current_thread::current_thread;
use super::wait_queue::{WaitQueue, WaitSlots};
use super::{Executor, WARP};
use crate::blocked::Waiter;
use crate::finding::{FindingKind, Site};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// What the lanes meet for. The two never meet each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WarpOperation {
    /// Orders memory.
    Sync,
    /// Carries values.
    Exchange,
}

/// One rendezvous of lanes. Each lane holds it until it has read it; the last to let go gives it back
/// for reuse.
#[derive(Default)]
pub(crate) struct Rendezvous {
    warp: Cell<u32>,
    mask: Cell<u32>,
    is_sync: Cell<bool>,
    participants: Cell<u32>,
    values: Cell<[u64; WARP as usize]>,
    waiting: WaitQueue,
}

impl Rendezvous {
    fn matches(&self, warp: u32, mask: u32, operation: WarpOperation) -> bool {
        self.warp.get() == warp && self.mask.get() == mask && self.operation() == operation
    }

    /// The values one by one.
    #[inline(always)]
    fn value_cells(&self) -> &[Cell<u64>] {
        let values: &Cell<[u64]> = &self.values;
        values.as_slice_of_cells()
    }

    fn operation(&self) -> WarpOperation {
        if self.is_sync.get() {
            WarpOperation::Sync
        } else {
            WarpOperation::Exchange
        }
    }

    /// Whether every lane that it waits for has arrived, where `live` are the warp's lanes that
    /// have not left.
    fn is_complete(&self, live: u32) -> bool {
        self.mask.get() & live & !self.participants.get() == 0
    }
}

/// What the lanes that met brought.
pub(crate) enum LaneValues<'a> {
    /// The calling lane met nobody else.
    Single { lane: u32, value: u64 },
    /// All of them, read in place.
    Rendezvous(&'a Rendezvous),
}

impl LaneValues<'_> {
    #[inline(always)]
    pub(crate) fn participants(&self) -> u32 {
        match self {
            LaneValues::Single { lane, .. } => 1 << lane,
            LaneValues::Rendezvous(rendezvous) => rendezvous.participants.get(),
        }
    }

    #[inline(always)]
    pub(crate) fn value(&self, lane: u32) -> u64 {
        match self {
            LaneValues::Single { lane: own, value } if *own == lane => *value,
            LaneValues::Single { .. } => 0,
            LaneValues::Rendezvous(rendezvous) => {
                rendezvous.value_cells()[(lane % WARP) as usize].get()
            }
        }
    }

    /// The values of all lanes, 0 where one took no part.
    #[inline(always)]
    pub(crate) fn values(&self) -> [u64; WARP as usize] {
        match self {
            LaneValues::Single { lane, value } => {
                let mut values = [0; WARP as usize];
                values[(lane % WARP) as usize] = *value;
                values
            }
            LaneValues::Rendezvous(rendezvous) => rendezvous.values.get(),
        }
    }
}

/// The meetings of the block at record_handoff.
#[derive(Default)]
pub(crate) struct RendezvousTable {
    gathering: RefCell<Vec<Rc<Rendezvous>>>,
    /// How many gather, those on their way to a named barrier too, so that a leaving thread sees at
    /// a glance that nobody waits for it.
    pending: Cell<u32>,
    free: RefCell<Vec<Rc<Rendezvous>>>,
}

impl RendezvousTable {
    #[inline(always)]
    pub(super) fn any_pending(&self) -> bool {
        self.pending.get() != 0
    }

    /// LaneValues of another warp gather.
    pub(super) fn increment_pending(&self) {
        self.pending.set(self.pending.get() + 1);
    }

    /// The lanes of a warp have met.
    pub(super) fn decrement_pending(&self) {
        self.pending.set(self.pending.get() - 1);
    }

    /// The rendezvous where these lanes gather: one that is under way, or a new one.
    fn gather(&self, warp: u32, mask: u32, operation: WarpOperation) -> Rc<Rendezvous> {
        let mut gathering = self.gathering.borrow_mut();
        if let Some(known) = gathering
            .iter()
            .find(|one| one.matches(warp, mask, operation))
        {
            return Rc::clone(known);
        }
        let rendezvous = self.free.borrow_mut().pop().unwrap_or_default();
        rendezvous.warp.set(warp);
        rendezvous.mask.set(mask);
        rendezvous.is_sync.set(operation == WarpOperation::Sync);
        rendezvous.participants.set(0);
        if operation == WarpOperation::Exchange {
            rendezvous.values.set([0; WARP as usize]);
        }
        gathering.push(Rc::clone(&rendezvous));
        self.increment_pending();
        rendezvous
    }

    /// A lane has read the rendezvous.
    #[inline]
    fn recycle(&self, rendezvous: Rc<Rendezvous>) {
        if Rc::strong_count(&rendezvous) == 1 {
            self.free.borrow_mut().push(rendezvous);
        }
    }

    /// Who waits, and for what.
    pub(super) fn waiters(&self, slots: &WaitSlots) -> Vec<(Waiter, WarpOperation, u32)> {
        let gathering = self.gathering.borrow();
        let of_one = |one: &Rc<Rendezvous>| {
            let (operation, mask) = (one.operation(), one.mask.get());
            let waiters = one.waiting.waiters(slots).into_iter();
            waiters.map(move |waiter| (waiter, operation, mask))
        };
        gathering.iter().flat_map(of_one).collect()
    }

    /// Forgets every rendezvous: the block is given up.
    pub(super) fn clear(&self) {
        self.gathering.borrow_mut().clear();
        self.free.borrow_mut().clear();
        self.pending.set(0);
    }
}

impl Executor<'_> {
    /// Meets the lanes of `mask` that have not left, and gives `read` the values of all.
    #[inline(always)]
    pub(crate) fn warp_operation<R>(
        &self,
        operation: WarpOperation,
        mask: u32,
        value: u64,
        site: Site,
        read: impl FnOnce(LaneValues<'_>) -> R,
    ) -> R {
        if self.is_single_thread && mask & 1 == 1 {
            return read(LaneValues::Single { lane: 0, value });
        }
        let Some((rendezvous, waits)) = self.meet(operation, mask, value, site) else {
            let lane = current_thread().rank() % WARP;
            return read(LaneValues::Single { lane, value });
        };
        if waits {
            self.suspend();
        }
        let result = read(LaneValues::Rendezvous(&rendezvous));
        self.rendezvous_table.recycle(rendezvous);
        result
    }

    /// The current_executor lane arrives at the rendezvous of these lanes. The second value says that it stands
    /// among the waiters now and must be suspended. `None` where it meets nobody gap it
    /// unwinds.
    #[inline(never)]
    fn meet(
        &self,
        operation: WarpOperation,
        mask: u32,
        value: u64,
        site: Site,
    ) -> Option<(Rc<Rendezvous>, bool)> {
        let rank = current_thread().rank();
        let (warp, lane) = (rank / WARP, rank % WARP);
        if !self.may_wait() {
            return None;
        }
        if mask >> lane & 1 == 0 {
            self.report_finding(site, FindingKind::LaneNotInMask { lane, mask });
            super::end_thread();
        }
        let rendezvous = self.rendezvous_table.gather(warp, mask, operation);
        let participants = rendezvous.participants.get() | 1 << lane;
        rendezvous.participants.set(participants);
        rendezvous.value_cells()[lane as usize].set(value);
        let complete = rendezvous.is_complete(self.live_lanes[warp as usize].get());
        if complete {
            self.complete_meeting(&rendezvous, Some(site));
        } else {
            self.enqueue_current(&rendezvous.waiting, site);
        }
        Some((rendezvous, !complete))
    }

    /// A lane of `warp` left the kernel: meetings that waited only for it are complete.
    pub(super) fn complete_rendezvous_without(&self, warp: u32) {
        let live = self.live_lanes[warp as usize].get();
        let gathering = self.rendezvous_table.gathering.borrow().clone();
        for rendezvous in gathering {
            if rendezvous.warp.get() == warp && rendezvous.is_complete(live) {
                self.complete_meeting(&rendezvous, None);
            }
        }
    }

    /// Lets the lanes that met go on. `last` is where the lane stands that arrived last, if that is
    /// what completed it.
    #[inline(never)]
    fn complete_meeting(&self, rendezvous: &Rc<Rendezvous>, last: Option<Site>) {
        let mut gathering = self.rendezvous_table.gathering.borrow_mut();
        gathering.retain(|one| !Rc::ptr_eq(one, rendezvous));
        self.rendezvous_table.decrement_pending();
        if let Some(checker) = &self.checker {
            let (warp, mask) = (rendezvous.warp.get(), rendezvous.mask.get());
            let (mut checker, present) = (checker.borrow_mut(), rendezvous.participants.get());
            let absent = mask & self.launched_lanes(warp) & !present;
            let waiters = rendezvous.waiting.waiters(&self.slots);
            let rank = current_thread().rank();
            let last_step = last.and_then(|site| checker.count_step(rank, site));
            if let Some(error) = checker.count_steps(&waiters).or(last_step) {
                self.fail(error);
            }
            if let Some(site) = last.or(waiters.first().map(|waiter| waiter.site)) {
                checker.record_exited_lanes(warp, mask, present, absent, site);
            }
            if rendezvous.is_sync.get() {
                checker.warp_synced(warp, present);
            }
        }
        self.ready.append(&self.slots, &rendezvous.waiting);
    }

    /// The lanes of `warp` that the block has at all: its last warp may be partial.
    pub(super) fn launched_lanes(&self, warp: u32) -> u32 {
        let count = (self.launch.threads - warp * WARP).min(WARP);
        u32::MAX >> (WARP - count)
    }
}
