//! Vector clocks of the lanes of each warp: which of its mates' accesses a lane is ordered after.
//!
//! Across warps only the block's barrier orders, which one epoch counter says; within a warp `warp_sync` does, between
//! the lanes that take part, and for that a lane keeps one clock for each of its mates (Mattern, Virtual time and
//! global states of distributed systems, 1989).

const LANES: usize = 32;

/// `known[lane][mate]`: every access that `mate` made at or before this clock happens before what `lane` does next.
struct WarpClocks {
    known: [[u32; LANES]; LANES],
}

/// The clocks of a block. They only ever grow, so a new block needs no reset: what a lane knew of a mate at the end of
/// one block is less than the mate's own clock.
pub(crate) struct Clocks {
    warps: Vec<WarpClocks>,
}

impl Clocks {
    pub(crate) fn new(warps: usize) -> Self {
        let fresh = || {
            let mut known = [[0; LANES]; LANES];
            for (lane, clocks) in known.iter_mut().enumerate() {
                clocks[lane] = 1;
            }
            WarpClocks { known }
        };
        Clocks {
            warps: (0..warps).map(|_| fresh()).collect(),
        }
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

    /// The lanes of `participants` wait for one another: each is now ordered after all that any of them did or knew.
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
}
