//! Vector clocks of the lanes of each warp (Mattern, *Virtual time and global states of distributed
//! systems*, 1989).
//!
//! Across warps, accesses are ordered by the block's barrier (one epoch counter) and by named
//! barriers ([`inter_warp`](super::inter_warp)). Within a warp `warp_sync` orders the participating
//! lanes, so each lane keeps one clock for every lane of its warp.

use super::inter_warp::{InterWarpClocks, LANES, join};
use crate::shape::BARRIERS;

/// `clocks[lane][other]`: every access that lane `other` made at or before this clock happens
/// before the next operation of `lane`.
struct WarpClocks {
    clocks: [[u32; LANES]; LANES],
}

/// The clocks of a block. They only increase, so a new block needs no reset: at the end of a block,
/// a lane's clock of another lane is less than that lane's own clock.
pub(crate) struct Clocks {
    warps: Vec<WarpClocks>,
    /// Clocks between warps; present once a block has used a named barrier.
    inter_warp: Option<Box<InterWarpClocks>>,
}

impl Clocks {
    pub(crate) fn new(warps: usize) -> Self {
        let new_warp = || {
            let mut clocks = [[0; LANES]; LANES];
            for (lane, clocks) in clocks.iter_mut().enumerate() {
                clocks[lane] = 1;
            }
            WarpClocks { clocks }
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

    /// Returns `true` if warps may be ordered by something other than the block's barrier.
    pub(crate) fn has_inter_warp_order(&self) -> bool {
        self.inter_warp.is_some()
    }

    /// Returns `true` if an access of thread `other` at its clock `clock` happens before the next
    /// operation of `thread`, through `warp_sync` or named barriers.
    pub(crate) fn is_ordered_after(&self, thread: u32, other: u32, clock: u32) -> bool {
        let warp = thread as usize / LANES;
        if other as usize / LANES == warp {
            return self.latest_clock(thread, other) >= clock;
        }
        let inter_warp = self.inter_warp.as_ref();
        inter_warp.is_some_and(|inter_warp| inter_warp.latest_clock(warp, other as usize) >= clock)
    }

    /// Returns `true` if `thread` has arrived at a named barrier since its own clock was `clock`.
    pub(crate) fn is_released(&self, thread: u32, clock: u32) -> bool {
        let inter_warp = self.inter_warp.as_ref();
        inter_warp.is_some_and(|inter_warp| inter_warp.released(thread as usize) >= clock)
    }

    /// Returns the clock of the next access of `thread`.
    pub(crate) fn own_clock(&self, thread: u32) -> u32 {
        self.latest_clock(thread, thread)
    }

    /// Returns the latest clock of `other`, a lane of the same warp, after which `thread` is
    /// ordered.
    pub(crate) fn latest_clock(&self, thread: u32, other: u32) -> u32 {
        let lanes = &self.warps[thread as usize / LANES].clocks;
        lanes[thread as usize % LANES][other as usize % LANES]
    }

    /// Synchronises the lanes in `participants`: each is now ordered after everything that any of
    /// them did or was ordered after.
    pub(crate) fn join(&mut self, warp: u32, participants: u32) {
        let clocks = &mut self.warps[warp as usize].clocks;
        let lanes = || (0..LANES).filter(|&lane| participants >> lane & 1 == 1);
        let mut joined = [0; LANES];
        for lane in lanes() {
            for (joint, &clock) in joined.iter_mut().zip(&clocks[lane]) {
                *joint = clock.max(*joint);
            }
        }
        for lane in lanes() {
            clocks[lane] = joined;
            clocks[lane][lane] += 1;
        }
    }

    /// Records that these lanes arrive at a named barrier: threads that wait there will be ordered
    /// after everything that the lanes did or were ordered after.
    pub(crate) fn arrive(&mut self, barrier: u32, warp: u32, lanes: u32) {
        let warp = warp as usize;
        let threads = self.warps.len() * LANES;
        let new = || Box::new(InterWarpClocks::new(threads, BARRIERS));
        let inter_warp = self.inter_warp.get_or_insert_with(new);
        let clocks = &mut self.warps[warp].clocks;
        let arrived = inter_warp.arrive(barrier, warp);
        let lanes = (0..LANES).filter(|&lane| lanes >> lane & 1 == 1);
        lanes.clone().for_each(|lane| join(arrived, &clocks[lane]));
        for lane in lanes {
            inter_warp.release(warp * LANES + lane, clocks[lane][lane]);
            clocks[lane][lane] += 1;
        }
    }

    /// Completes a named barrier. `waited` yields the warps that waited there, each with its lanes.
    pub(crate) fn complete(&mut self, barrier: u32, waited: impl Iterator<Item = (u32, u32)>) {
        let Some(inter_warp) = &mut self.inter_warp else {
            return;
        };
        for (warp, lanes) in waited {
            let clocks = &mut self.warps[warp as usize].clocks;
            let own = inter_warp.acquire(barrier, warp as usize);
            let lanes = (0..LANES).filter(|&lane| lanes >> lane & 1 == 1);
            lanes.for_each(|lane| join(&mut clocks[lane], own));
        }
        inter_warp.complete(barrier);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joining_orders_earlier_accesses_only() {
        let mut clocks = Clocks::new(1);
        let before = clocks.own_clock(1);
        assert!(clocks.latest_clock(0, 1) < before);
        clocks.join(0, 0b11);
        assert!(clocks.latest_clock(0, 1) >= before);
        assert!(clocks.latest_clock(0, 1) < clocks.own_clock(1));
        assert!(
            clocks.latest_clock(2, 1) < before,
            "lane 2 did not participate"
        );
    }

    #[test]
    fn order_is_transitive() {
        let mut clocks = Clocks::new(2);
        let before = clocks.own_clock(32);
        clocks.join(1, 0b011);
        clocks.join(1, 0b110);
        assert!(clocks.latest_clock(34, 32) >= before);
    }

    #[test]
    fn waiting_warps_are_ordered_after_arriving_warps_only() {
        let mut clocks = Clocks::new(3);
        let (first, second) = (clocks.own_clock(5), clocks.own_clock(40));
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
            !clocks.is_ordered_after(40, 5, clocks.own_clock(5)),
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
        // Through the second warp, the third is ordered after the first.
        clocks.arrive(2, 1, u32::MAX);
        clocks.arrive(2, 2, u32::MAX);
        clocks.complete(2, [(2, u32::MAX)].into_iter());
        assert!(clocks.is_ordered_after(64, 5, first) && clocks.is_ordered_after(64, 40, second));
        // The clocks of the arrivals are discarded when a barrier completes.
        clocks.arrive(1, 2, u32::MAX);
        clocks.complete(1, [(0, u32::MAX)].into_iter());
        assert!(clocks.is_ordered_after(5, 40, second));
        clocks.arrive(2, 0, 0);
        clocks.begin_block();
        clocks.complete(2, [].into_iter());
    }
}
