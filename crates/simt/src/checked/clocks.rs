//! Vector clocks of the lanes of each warp: which of its mates' accesses a lane is ordered after.
//!
//! InterWarpClocks warps the block's barrier orders, which one epoch counter says, and named barriers do
//! (`inter_warp`); within a warp `warp_sync` does, between the lanes that take part, and for that a
//! lane keeps one clock for each of its mates (Mattern, Virtual time and global states of
//! distributed systems, 1989).

use super::inter_warp::{InterWarpClocks, LANES, join};
use crate::shape::BARRIERS;

/// `known[lane][mate]`: every access that `mate` made at or before this clock happens before what
/// `lane` does next.
struct WarpClocks {
    known: [[u32; LANES]; LANES],
}

/// The clocks of a block. They only ever grow, so a new block needs no reset: what a lane knew of a
/// mate at the end of one block is less than the mate's own clock.
pub(crate) struct Clocks {
    warps: Vec<WarpClocks>,
    /// Once a block has used a named barrier.
    inter_warp: Option<Box<InterWarpClocks>>,
}

impl Clocks {
    pub(crate) fn new(warps: usize) -> Self {
        let new_warp = || {
            let mut known = [[0; LANES]; LANES];
            for (lane, clocks) in known.iter_mut().enumerate() {
                clocks[lane] = 1;
            }
            WarpClocks { known }
        };
        Clocks {
            warps: (0..warps).map(|_| new_warp()).collect(),
            inter_warp: None,
        }
    }

    pub(crate) fn begin_block(&mut self) {
        if let Some(inter_warp) = &mut self.inter_warp {
            inter_warp.begin_block();
        }
    }

    /// Whether warps of the launch may know of one another by more than the block's barrier.
    pub(crate) fn has_inter_warp_order(&self) -> bool {
        self.inter_warp.is_some()
    }

    /// Whether what `mate` did when its own clock was `clock` happens before what `thread` does
    /// next, by what their warp or named barriers order.
    pub(crate) fn is_ordered_after(&self, thread: u32, mate: u32, clock: u32) -> bool {
        let warp = thread as usize / LANES;
        if mate as usize / LANES == warp {
            return self.known(thread, mate) >= clock;
        }
        let inter_warp = self.inter_warp.as_ref();
        inter_warp.is_some_and(|inter_warp| inter_warp.known(warp, mate as usize) >= clock)
    }

    /// Whether `thread` has come to a named barrier since its own clock was `clock`.
    pub(crate) fn is_released(&self, thread: u32, clock: u32) -> bool {
        let inter_warp = self.inter_warp.as_ref();
        inter_warp.is_some_and(|inter_warp| inter_warp.released(thread as usize) >= clock)
    }

    /// The clock that the accesses of `thread` bear now.
    pub(crate) fn own(&self, thread: u32) -> u32 {
        self.known(thread, thread)
    }

    /// Up to which clock of its warp mate `mate` the thread is ordered after it.
    pub(crate) fn known(&self, thread: u32, mate: u32) -> u32 {
        let lanes = &self.warps[thread as usize / LANES].known;
        lanes[thread as usize % LANES][mate as usize % LANES]
    }

    /// The lanes of `participants` wait for one another: each is now ordered after all that any of
    /// them did or knew.
    pub(crate) fn join(&mut self, warp: u32, participants: u32) {
        let known = &mut self.warps[warp as usize].known;
        let lanes = || (0..LANES).filter(|&lane| participants >> lane & 1 == 1);
        let mut joined = [0; LANES];
        for lane in lanes() {
            for (joint, &clock) in joined.iter_mut().zip(&known[lane]) {
                *joint = clock.max(*joint);
            }
        }
        for lane in lanes() {
            known[lane] = joined;
            known[lane][lane] += 1;
        }
    }

    /// These lanes of the warp arrive at a named barrier: whoever waits there is ordered after all
    /// that any of them did or knew.
    pub(crate) fn arrive(&mut self, barrier: u32, warp: u32, lanes: u32) {
        let warp = warp as usize;
        let threads = self.warps.len() * LANES;
        let new = || Box::new(InterWarpClocks::new(threads, BARRIERS));
        let inter_warp = self.inter_warp.get_or_insert_with(new);
        let known = &mut self.warps[warp].known;
        let arrived = inter_warp.arrive(barrier, warp);
        let lanes = (0..LANES).filter(|&lane| lanes >> lane & 1 == 1);
        lanes.clone().for_each(|lane| join(arrived, &known[lane]));
        for lane in lanes {
            inter_warp.release(warp * LANES + lane, known[lane][lane]);
            known[lane][lane] += 1;
        }
    }

    /// The barrier is complete, and these lanes of the warps waited there.
    pub(crate) fn complete(&mut self, barrier: u32, waited: impl Iterator<Item = (u32, u32)>) {
        let Some(inter_warp) = &mut self.inter_warp else {
            return;
        };
        for (warp, lanes) in waited {
            let known = &mut self.warps[warp as usize].known;
            let own = inter_warp.acquire(barrier, warp as usize);
            let lanes = (0..LANES).filter(|&lane| lanes >> lane & 1 == 1);
            lanes.for_each(|lane| join(&mut known[lane], own));
        }
        inter_warp.complete(barrier);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joining_orders_the_past_and_not_the_future() {
        let mut clocks = Clocks::new(1);
        let before = clocks.own(1);
        assert!(clocks.known(0, 1) < before);
        clocks.join(0, 0b11);
        assert!(clocks.known(0, 1) >= before);
        assert!(clocks.known(0, 1) < clocks.own(1));
        assert!(clocks.known(2, 1) < before, "lane 2 took no part");
    }

    #[test]
    fn order_is_transitive() {
        let mut clocks = Clocks::new(2);
        let before = clocks.own(32);
        clocks.join(1, 0b011);
        clocks.join(1, 0b110);
        assert!(clocks.known(34, 32) >= before);
    }

    #[test]
    fn who_waits_at_a_named_barrier_is_after_who_arrived_and_not_the_other_way_round() {
        let mut clocks = Clocks::new(3);
        let (first, second) = (clocks.own(5), clocks.own(40));
        assert!(!clocks.is_ordered_after(40, 5, first) && !clocks.is_released(5, first));
        clocks.arrive(1, 0, u32::MAX);
        clocks.arrive(1, 1, u32::MAX);
        assert!(clocks.is_released(5, first));
        clocks.complete(1, [(1, u32::MAX)].into_iter());
        assert!(
            clocks.is_ordered_after(40, 5, first),
            "the second warp waited"
        );
        assert!(
            !clocks.is_ordered_after(40, 5, clocks.own(5)),
            "not the future"
        );
        assert!(
            !clocks.is_ordered_after(5, 40, second),
            "the first only arrived"
        );
        assert!(clocks.is_ordered_after(41, 40, second), "lanes that waited");
        assert!(
            !clocks.is_ordered_after(6, 5, first),
            "lanes that only arrived"
        );
        // By way of the second, the third is after the first.
        clocks.arrive(2, 1, u32::MAX);
        clocks.arrive(2, 2, u32::MAX);
        clocks.complete(2, [(2, u32::MAX)].into_iter());
        assert!(clocks.is_ordered_after(64, 5, first) && clocks.is_ordered_after(64, 40, second));
        // What was arrived to a barrier is gone when it is complete.
        clocks.arrive(1, 2, u32::MAX);
        clocks.complete(1, [(0, u32::MAX)].into_iter());
        assert!(clocks.is_ordered_after(5, 40, second));
        clocks.arrive(2, 0, 0);
        clocks.begin_block();
        clocks.complete(2, [].into_iter());
    }
}
