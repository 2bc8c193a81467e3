//! Queues of waiting threads, linked through one seat per fiber: to wait, to go on, and to release
//! all waiters of a barrier at once each take a few stores and no memory of their own.

use crate::finding::Site;
use crate::waiting::Waiter;
use std::cell::Cell;

/// No fiber.
const NONE: u32 = u32::MAX;

/// What is remembered of the thread that waits on a fiber.
struct Seat {
    /// The next fiber of the queue that this one stands in.
    next: Cell<u32>,
    rank: Cell<u32>,
    site: Cell<Option<Site>>,
}

/// One seat for each fiber.
pub(crate) struct Seats {
    seats: Box<[Seat]>,
}

impl Seats {
    pub(super) fn new(fibers: usize) -> Self {
        let vacant = || Seat {
            next: Cell::new(NONE),
            rank: Cell::new(0),
            site: Cell::new(None),
        };
        Seats {
            seats: (0..fibers).map(|_| vacant()).collect(),
        }
    }

    /// Remembers the thread that is about to wait on `fiber`.
    #[inline(always)]
    pub(super) fn seat(&self, fiber: u32, waiter: Waiter) {
        let seat = &self.seats[fiber as usize];
        seat.rank.set(waiter.rank);
        seat.site.set(Some(waiter.site));
    }

    /// The thread that waited last on `fiber`.
    pub(super) fn waiter(&self, fiber: u32) -> Option<Waiter> {
        let seat = &self.seats[fiber as usize];
        let (rank, site) = (seat.rank.get(), seat.site.get()?);
        Some(Waiter { rank, site })
    }
}

/// Fibers in the order in which they came. A fiber stands in at most one queue.
pub(super) struct Queue {
    first: Cell<u32>,
    last: Cell<u32>,
}

impl Default for Queue {
    fn default() -> Self {
        Queue {
            first: Cell::new(NONE),
            last: Cell::new(NONE),
        }
    }
}

impl Queue {
    #[inline(always)]
    pub(super) fn push(&self, seats: &Seats, fiber: u32) {
        seats.seats[fiber as usize].next.set(NONE);
        self.link(seats, fiber);
        self.last.set(fiber);
    }

    #[inline(always)]
    pub(super) fn pop(&self, seats: &Seats) -> Option<u32> {
        let fiber = self.first.get();
        if fiber == NONE {
            return None;
        }
        self.first.set(seats.seats[fiber as usize].next.get());
        Some(fiber)
    }

    /// Takes everybody out of `other`, to stand behind those of this queue.
    pub(super) fn append(&self, seats: &Seats, other: &Queue) {
        if other.first.get() != NONE {
            self.link(seats, other.first.get());
            self.last.set(other.last.get());
            other.clear();
        }
    }

    /// Makes `fiber` follow the last one, or come first. `last` means nothing in an empty queue.
    #[inline(always)]
    fn link(&self, seats: &Seats, fiber: u32) {
        if self.first.get() == NONE {
            self.first.set(fiber);
        } else {
            seats.seats[self.last.get() as usize].next.set(fiber);
        }
    }

    pub(super) fn clear(&self) {
        self.first.set(NONE);
    }

    /// The threads that stand in the queue.
    pub(super) fn waiters(&self, seats: &Seats) -> Vec<Waiter> {
        let mut waiters = Vec::new();
        let mut fiber = self.first.get();
        while fiber != NONE {
            waiters.extend(seats.waiter(fiber));
            fiber = seats.seats[fiber as usize].next.get();
        }
        waiters
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drain(queue: &Queue, seats: &Seats) -> Vec<u32> {
        std::iter::from_fn(|| queue.pop(seats)).collect()
    }

    #[test]
    fn fibers_leave_in_the_order_in_which_they_came() {
        let (seats, queue) = (Seats::new(8), Queue::default());
        assert_eq!(queue.pop(&seats), None);
        for round in [vec![3, 1, 2], vec![7], vec![0, 5]] {
            round.iter().for_each(|&fiber| queue.push(&seats, fiber));
            assert_eq!(drain(&queue, &seats), round);
            assert_eq!(queue.pop(&seats), None);
        }
    }

    #[test]
    fn appending_empties_the_other_queue_and_keeps_the_order() {
        let (seats, front, back) = (Seats::new(8), Queue::default(), Queue::default());
        front.append(&seats, &back);
        assert_eq!(front.pop(&seats), None);
        [1, 2].iter().for_each(|&fiber| back.push(&seats, fiber));
        front.append(&seats, &back);
        [3, 4].iter().for_each(|&fiber| back.push(&seats, fiber));
        front.append(&seats, &back);
        front.push(&seats, 5);
        assert_eq!(back.pop(&seats), None);
        assert_eq!(drain(&front, &seats), [1, 2, 3, 4, 5]);
    }
}
