//! Warp operations: the lanes of a mask wait for one another and exchange values.
//!
//! Lanes are matched by warp, mask and operation, not by source line, like PTX's `*.sync`
//! instructions, so lanes on both sides of a branch can participate. Groups with different masks
//! may be in progress in one warp at the same time.

use super::current_thread::current_thread;
use super::wait_queue::{WaitQueue, WaitSlots};
use super::{Executor, WARP};
use crate::blocked::Waiter;
use crate::finding::{FindingKind, Site};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Kind of a warp operation. Lanes with different kinds never share a rendezvous.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WarpOperation {
    /// Orders memory accesses.
    Sync,
    /// Exchanges values.
    Exchange,
}

/// One rendezvous of lanes. Each lane holds a reference until it has read the values; the last one
/// returns the object for reuse.
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

    /// Returns the values as individual cells.
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

    /// Returns `true` if every expected lane has arrived. `live` are the lanes of the warp that
    /// have not exited.
    fn is_complete(&self, live: u32) -> bool {
        self.mask.get() & live & !self.participants.get() == 0
    }
}

/// Values of the lanes that participated in a warp operation.
pub(crate) enum LaneValues<'a> {
    /// Only the calling lane participated.
    Single { lane: u32, value: u64 },
    /// Several lanes participated; the values are read in place.
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

    /// Returns the values of all lanes, 0 for lanes that did not participate.
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

/// The rendezvous of the current block.
#[derive(Default)]
pub(crate) struct RendezvousTable {
    in_progress: RefCell<Vec<Rc<Rendezvous>>>,
    /// Number of incomplete rendezvous, including warp arrivals at named barriers. Lets an exiting
    /// thread see quickly that nothing waits for it.
    pending: Cell<u32>,
    free: RefCell<Vec<Rc<Rendezvous>>>,
}

impl RendezvousTable {
    #[inline(always)]
    pub(super) fn any_pending(&self) -> bool {
        self.pending.get() != 0
    }

    /// Counts a new incomplete rendezvous.
    pub(super) fn increment_pending(&self) {
        self.pending.set(self.pending.get() + 1);
    }

    /// Counts the completion of a rendezvous.
    pub(super) fn decrement_pending(&self) {
        self.pending.set(self.pending.get() - 1);
    }

    /// Returns the rendezvous in progress for these lanes, or creates one.
    fn find_or_create(&self, warp: u32, mask: u32, operation: WarpOperation) -> Rc<Rendezvous> {
        let mut in_progress = self.in_progress.borrow_mut();
        if let Some(existing) = in_progress
            .iter()
            .find(|one| one.matches(warp, mask, operation))
        {
            return Rc::clone(existing);
        }
        let rendezvous = self.free.borrow_mut().pop().unwrap_or_default();
        rendezvous.warp.set(warp);
        rendezvous.mask.set(mask);
        rendezvous.is_sync.set(operation == WarpOperation::Sync);
        rendezvous.participants.set(0);
        if operation == WarpOperation::Exchange {
            rendezvous.values.set([0; WARP as usize]);
        }
        in_progress.push(Rc::clone(&rendezvous));
        self.increment_pending();
        rendezvous
    }

    /// Releases a lane's reference and keeps the object for reuse if it was the last one.
    #[inline]
    fn release(&self, rendezvous: Rc<Rendezvous>) {
        if Rc::strong_count(&rendezvous) == 1 {
            self.free.borrow_mut().push(rendezvous);
        }
    }

    /// Returns the waiting threads with their operation and mask.
    pub(super) fn waiters(&self, slots: &WaitSlots) -> Vec<(Waiter, WarpOperation, u32)> {
        let in_progress = self.in_progress.borrow();
        let waiting_lanes = |one: &Rc<Rendezvous>| {
            let (operation, mask) = (one.operation(), one.mask.get());
            let waiters = one.waiting.waiters(slots).into_iter();
            waiters.map(move |waiter| (waiter, operation, mask))
        };
        in_progress.iter().flat_map(waiting_lanes).collect()
    }

    /// Discards all rendezvous of an aborted block.
    pub(super) fn clear(&self) {
        self.in_progress.borrow_mut().clear();
        self.free.borrow_mut().clear();
        self.pending.set(0);
    }
}

impl Executor<'_> {
    /// Waits for the lanes of `mask` that have not exited and passes their values to `read`.
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
        let Some((rendezvous, waits)) = self.join_rendezvous(operation, mask, value, site) else {
            let lane = current_thread().rank() % WARP;
            return read(LaneValues::Single { lane, value });
        };
        if waits {
            self.suspend();
        }
        let result = read(LaneValues::Rendezvous(&rendezvous));
        self.rendezvous_table.release(rendezvous);
        result
    }

    /// Records the arrival of the running lane. The second value is `true` if the lane must be
    /// suspended. Returns `None` if the lane participates alone because it unwinds.
    #[inline(never)]
    fn join_rendezvous(
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
        let rendezvous = self.rendezvous_table.find_or_create(warp, mask, operation);
        let participants = rendezvous.participants.get() | 1 << lane;
        rendezvous.participants.set(participants);
        rendezvous.value_cells()[lane as usize].set(value);
        let complete = rendezvous.is_complete(self.live_lanes[warp as usize].get());
        if complete {
            self.complete_rendezvous(&rendezvous, Some(site));
        } else {
            self.enqueue_current(&rendezvous.waiting, site);
        }
        Some((rendezvous, !complete))
    }

    /// Completes the rendezvous that waited only for a lane of `warp` that has exited.
    pub(super) fn complete_rendezvous_without(&self, warp: u32) {
        let live = self.live_lanes[warp as usize].get();
        let in_progress = self.rendezvous_table.in_progress.borrow().clone();
        for rendezvous in in_progress {
            if rendezvous.warp.get() == warp && rendezvous.is_complete(live) {
                self.complete_rendezvous(&rendezvous, None);
            }
        }
    }

    /// Completes a rendezvous and releases its lanes. `last` is the source location of the last
    /// arrival, or `None` if the exit of a lane completed it.
    #[inline(never)]
    fn complete_rendezvous(&self, rendezvous: &Rc<Rendezvous>, last: Option<Site>) {
        let mut in_progress = self.rendezvous_table.in_progress.borrow_mut();
        in_progress.retain(|one| !Rc::ptr_eq(one, rendezvous));
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
        self.check_launch();
        self.ready.append(&self.slots, &rendezvous.waiting);
    }

    /// Returns the mask of the lanes that exist in `warp`; the last warp may be partial.
    pub(super) fn launched_lanes(&self, warp: u32) -> u32 {
        let count = (self.launch.threads - warp * WARP).min(WARP);
        u32::MAX >> (WARP - count)
    }
}
