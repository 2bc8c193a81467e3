//! Warp operations: the lanes of a mask meet, and go on together with one another's values.
//!
//! Lanes meet by warp, mask and operation, not by source line: that is what `*.sync` instructions
//! do, and it lets both sides of a branch take part. Groups with different masks may be under way
//! in one warp at the same time.

use super::queue::{Queue, Seats};
use super::record::here;
use super::{Executor, WARP};
use crate::finding::{FindingKind, Site};
use crate::waiting::Waiter;
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

/// One meeting of lanes. Each lane holds it until it has read it; the last to let go gives it back
/// for reuse.
#[derive(Default)]
pub(crate) struct Meeting {
    warp: Cell<u32>,
    mask: Cell<u32>,
    is_sync: Cell<bool>,
    participants: Cell<u32>,
    values: Cell<[u64; WARP as usize]>,
    waiting: Queue,
}

impl Meeting {
    fn is_of(&self, warp: u32, mask: u32, operation: WarpOperation) -> bool {
        self.warp.get() == warp && self.mask.get() == mask && self.operation() == operation
    }

    /// The values one by one.
    #[inline(always)]
    fn each_value(&self) -> &[Cell<u64>] {
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
pub(crate) enum Lanes<'a> {
    /// The calling lane met nobody else.
    One { lane: u32, value: u64 },
    /// All of them, read in place.
    All(&'a Meeting),
}

impl Lanes<'_> {
    #[inline(always)]
    pub(crate) fn participants(&self) -> u32 {
        match self {
            Lanes::One { lane, .. } => 1 << lane,
            Lanes::All(meeting) => meeting.participants.get(),
        }
    }

    #[inline(always)]
    pub(crate) fn value(&self, lane: u32) -> u64 {
        match self {
            Lanes::One { lane: own, value } if *own == lane => *value,
            Lanes::One { .. } => 0,
            Lanes::All(meeting) => meeting.each_value()[(lane % WARP) as usize].get(),
        }
    }

    /// The values of all lanes, 0 where one took no part.
    #[inline(always)]
    pub(crate) fn values(&self) -> [u64; WARP as usize] {
        match self {
            Lanes::One { lane, value } => {
                let mut values = [0; WARP as usize];
                values[(lane % WARP) as usize] = *value;
                values
            }
            Lanes::All(meeting) => meeting.values.get(),
        }
    }
}

/// The meetings of the block at hand.
#[derive(Default)]
pub(crate) struct Rendezvouses {
    gathering: RefCell<Vec<Rc<Meeting>>>,
    /// How many gather, those on their way to a named barrier too, so that a leaving thread sees at
    /// a glance that nobody waits for it.
    under_way: Cell<u32>,
    free: RefCell<Vec<Rc<Meeting>>>,
}

impl Rendezvouses {
    #[inline(always)]
    pub(super) fn any_gather(&self) -> bool {
        self.under_way.get() != 0
    }

    /// Lanes of another warp gather.
    pub(super) fn one_more(&self) {
        self.under_way.set(self.under_way.get() + 1);
    }

    /// The lanes of a warp have met.
    pub(super) fn one_less(&self) {
        self.under_way.set(self.under_way.get() - 1);
    }

    /// The meeting where these lanes gather: one that is under way, or a new one.
    fn gather(&self, warp: u32, mask: u32, operation: WarpOperation) -> Rc<Meeting> {
        let mut gathering = self.gathering.borrow_mut();
        if let Some(known) = gathering
            .iter()
            .find(|one| one.is_of(warp, mask, operation))
        {
            return Rc::clone(known);
        }
        let meeting = self.free.borrow_mut().pop().unwrap_or_default();
        meeting.warp.set(warp);
        meeting.mask.set(mask);
        meeting.is_sync.set(operation == WarpOperation::Sync);
        meeting.participants.set(0);
        if operation == WarpOperation::Exchange {
            meeting.values.set([0; WARP as usize]);
        }
        gathering.push(Rc::clone(&meeting));
        self.one_more();
        meeting
    }

    /// A lane has read the meeting.
    #[inline]
    fn let_go(&self, meeting: Rc<Meeting>) {
        if Rc::strong_count(&meeting) == 1 {
            self.free.borrow_mut().push(meeting);
        }
    }

    /// Who waits, and for what.
    pub(super) fn waiters(&self, seats: &Seats) -> Vec<(Waiter, WarpOperation, u32)> {
        let gathering = self.gathering.borrow();
        let of_one = |one: &Rc<Meeting>| {
            let (operation, mask) = (one.operation(), one.mask.get());
            let waiters = one.waiting.waiters(seats).into_iter();
            waiters.map(move |waiter| (waiter, operation, mask))
        };
        gathering.iter().flat_map(of_one).collect()
    }

    /// Forgets every meeting: the block is given up.
    pub(super) fn clear(&self) {
        self.gathering.borrow_mut().clear();
        self.free.borrow_mut().clear();
        self.under_way.set(0);
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
        read: impl FnOnce(Lanes<'_>) -> R,
    ) -> R {
        if self.alone && mask & 1 == 1 {
            return read(Lanes::One { lane: 0, value });
        }
        let Some((meeting, waits)) = self.meet(operation, mask, value, site) else {
            let lane = here().rank() % WARP;
            return read(Lanes::One { lane, value });
        };
        if waits {
            self.suspend();
        }
        let result = read(Lanes::All(&meeting));
        self.rendezvouses.let_go(meeting);
        result
    }

    /// The running lane arrives at the meeting of these lanes. The second value says that it stands
    /// among the waiters now and must be suspended. `None` where it meets nobody because it
    /// unwinds.
    #[inline(never)]
    fn meet(
        &self,
        operation: WarpOperation,
        mask: u32,
        value: u64,
        site: Site,
    ) -> Option<(Rc<Meeting>, bool)> {
        let rank = here().rank();
        let (warp, lane) = (rank / WARP, rank % WARP);
        if !self.may_wait() {
            return None;
        }
        if mask >> lane & 1 == 0 {
            self.find(site, FindingKind::LaneNotInMask { lane, mask });
            super::end_thread();
        }
        let meeting = self.rendezvouses.gather(warp, mask, operation);
        let participants = meeting.participants.get() | 1 << lane;
        meeting.participants.set(participants);
        meeting.each_value()[lane as usize].set(value);
        let complete = meeting.is_complete(self.live_lanes[warp as usize].get());
        if complete {
            self.complete_meeting(&meeting, Some(site));
        } else {
            self.stand_in(&meeting.waiting, site);
        }
        Some((meeting, !complete))
    }

    /// A lane of `warp` left the kernel: meetings that waited only for it are complete.
    pub(super) fn lane_left_rendezvouses(&self, warp: u32) {
        let live = self.live_lanes[warp as usize].get();
        let gathering = self.rendezvouses.gathering.borrow().clone();
        for meeting in gathering {
            if meeting.warp.get() == warp && meeting.is_complete(live) {
                self.complete_meeting(&meeting, None);
            }
        }
    }

    /// Lets the lanes that met go on. `last` is where the lane stands that arrived last, if that is
    /// what completed it.
    #[inline(never)]
    fn complete_meeting(&self, meeting: &Rc<Meeting>, last: Option<Site>) {
        let mut gathering = self.rendezvouses.gathering.borrow_mut();
        gathering.retain(|one| !Rc::ptr_eq(one, meeting));
        self.rendezvouses.one_less();
        if let Some(checker) = &self.checker {
            let (warp, mask) = (meeting.warp.get(), meeting.mask.get());
            let (mut checker, present) = (checker.borrow_mut(), meeting.participants.get());
            let absent = mask & self.existing_lanes(warp) & !present;
            let waiters = meeting.waiting.waiters(&self.seats);
            let rank = here().rank();
            let last_step = last.and_then(|site| checker.step(rank, site));
            if let Some(error) = checker.step_each(&waiters).or(last_step) {
                self.fail(error);
            }
            if let Some(site) = last.or(waiters.first().map(|waiter| waiter.site)) {
                checker.lanes_left(warp, mask, present, absent, site);
            }
            if meeting.is_sync.get() {
                checker.warp_synced(warp, present);
            }
        }
        self.ready.append(&self.seats, &meeting.waiting);
    }

    /// The lanes of `warp` that the block has at all: its last warp may be partial.
    pub(super) fn existing_lanes(&self, warp: u32) -> u32 {
        let count = (self.launch.threads - warp * WARP).min(WARP);
        u32::MAX >> (WARP - count)
    }
}
