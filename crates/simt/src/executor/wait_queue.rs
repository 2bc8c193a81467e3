//! Queues of waiting threads, linked through one slot per fiber. Enqueueing, dequeueing and
//! releasing all waiters of a barrier each take a few stores and no allocation.

use crate::blocked::Waiter;
use crate::finding::Site;
use std::cell::Cell;

/// Marks the absence of a fiber.
const NONE: u32 = u32::MAX;

/// Slot of one fiber: the thread that waits on it, and the queue link.
struct WaitSlot {
    /// Next fiber in the queue that contains this one.
    next: Cell<u32>,
    rank: Cell<u32>,
    site: Cell<Option<Site>>,
}

/// One slot per fiber.
pub(crate) struct WaitSlots {
    slots: Box<[WaitSlot]>,
}

impl WaitSlots {
    pub(super) fn new(fibers: usize) -> Self {
        let vacant = || WaitSlot {
            next: Cell::new(NONE),
            rank: Cell::new(0),
            site: Cell::new(None),
        };
        WaitSlots {
            slots: (0..fibers).map(|_| vacant()).collect(),
        }
    }

    /// Stores the thread that is about to wait on `fiber`.
    #[inline(always)]
    pub(super) fn set_waiter(&self, fiber: u32, waiter: Waiter) {
        let slot = &self.slots[fiber as usize];
        slot.rank.set(waiter.rank);
        slot.site.set(Some(waiter.site));
    }

    /// Returns the thread that most recently waited on `fiber`.
    pub(super) fn waiter(&self, fiber: u32) -> Option<Waiter> {
        let slot = &self.slots[fiber as usize];
        let (rank, site) = (slot.rank.get(), slot.site.get()?);
        Some(Waiter { rank, site })
    }
}

/// FIFO queue of fibers. A fiber is in at most one queue.
pub(super) struct WaitQueue {
    first: Cell<u32>,
    last: Cell<u32>,
}

impl Default for WaitQueue {
    fn default() -> Self {
        WaitQueue {
            first: Cell::new(NONE),
            last: Cell::new(NONE),
        }
    }
}

impl WaitQueue {
    #[inline(always)]
    pub(super) fn push(&self, slots: &WaitSlots, fiber: u32) {
        slots.slots[fiber as usize].next.set(NONE);
        self.link(slots, fiber);
        self.last.set(fiber);
    }

    #[inline(always)]
    pub(super) fn pop(&self, slots: &WaitSlots) -> Option<u32> {
        let fiber = self.first.get();
        if fiber == NONE {
            return None;
        }
        self.first.set(slots.slots[fiber as usize].next.get());
        Some(fiber)
    }

    /// Moves all fibers of `other` to the end of this queue.
    pub(super) fn append(&self, slots: &WaitSlots, other: &WaitQueue) {
        if other.first.get() != NONE {
            self.link(slots, other.first.get());
            self.last.set(other.last.get());
            other.clear();
        }
    }

    /// Links `fiber` behind the last one, or makes it the first. `last` is meaningless in an empty
    /// queue.
    #[inline(always)]
    fn link(&self, slots: &WaitSlots, fiber: u32) {
        if self.first.get() == NONE {
            self.first.set(fiber);
        } else {
            slots.slots[self.last.get() as usize].next.set(fiber);
        }
    }

    pub(super) fn clear(&self) {
        self.first.set(NONE);
    }

    /// Returns the threads in the queue.
    pub(super) fn waiters(&self, slots: &WaitSlots) -> Vec<Waiter> {
        let mut waiters = Vec::new();
        let mut fiber = self.first.get();
        while fiber != NONE {
            waiters.extend(slots.waiter(fiber));
            fiber = slots.slots[fiber as usize].next.get();
        }
        waiters
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drain(queue: &WaitQueue, slots: &WaitSlots) -> Vec<u32> {
        std::iter::from_fn(|| queue.pop(slots)).collect()
    }

    #[test]
    fn fibers_are_dequeued_in_fifo_order() {
        let (slots, queue) = (WaitSlots::new(8), WaitQueue::default());
        assert_eq!(queue.pop(&slots), None);
        for round in [vec![3, 1, 2], vec![7], vec![0, 5]] {
            round.iter().for_each(|&fiber| queue.push(&slots, fiber));
            assert_eq!(drain(&queue, &slots), round);
            assert_eq!(queue.pop(&slots), None);
        }
    }

    #[test]
    fn appending_empties_the_other_queue_and_keeps_the_order() {
        let (slots, front, back) = (
            WaitSlots::new(8),
            WaitQueue::default(),
            WaitQueue::default(),
        );
        front.append(&slots, &back);
        assert_eq!(front.pop(&slots), None);
        [1, 2].iter().for_each(|&fiber| back.push(&slots, fiber));
        front.append(&slots, &back);
        [3, 4].iter().for_each(|&fiber| back.push(&slots, fiber));
        front.append(&slots, &back);
        front.push(&slots, 5);
        assert_eq!(back.pop(&slots), None);
        assert_eq!(drain(&front, &slots), [1, 2, 3, 4, 5]);
    }
}
