//! What the warps of a block know of one another by named barriers: vector clocks, made when a
//! block uses the first.
//!
//! A warp comes to a named barrier as a whole, so what it learns there of other warps all of its
//! lanes know: one clock for each warp and each thread of the block is enough, and exact.

/// Threads of a warp.
pub(super) const LANES: usize = 32;

/// Clocks that warps know of the threads of other warps.
pub(super) struct InterWarpClocks {
    /// Of the block, in whole warps.
    threads: usize,
    /// By warp and thread: every access that the thread made at or before this clock happens before
    /// what the warp does next.
    known: Vec<u32>,
    /// By thread, its own clock when it came last to a named barrier.
    released: Vec<u32>,
    /// By barrier and thread, what the warps arrived that have arrived; empty where none has.
    arrived: Vec<Vec<u32>>,
}

impl InterWarpClocks {
    pub(super) fn new(threads: usize, barriers: u32) -> Self {
        InterWarpClocks {
            threads,
            known: vec![0; threads / LANES * threads],
            released: vec![0; threads],
            arrived: vec![Vec::new(); barriers as usize],
        }
    }

    /// Barriers that were not complete when their block ended are those of the next.
    pub(super) fn begin_block(&mut self) {
        self.arrived.iter_mut().for_each(Vec::clear);
    }

    fn warp_range(&self, warp: usize) -> std::ops::Range<usize> {
        warp * self.threads..(warp + 1) * self.threads
    }

    /// Up to which clock of `thread` the warp is ordered after it.
    #[inline]
    pub(super) fn known(&self, warp: usize, thread: usize) -> u32 {
        self.known[warp * self.threads + thread]
    }

    /// The own clock that the thread bore when it came last to a named barrier.
    #[inline]
    pub(super) fn released(&self, thread: usize) -> u32 {
        self.released[thread]
    }

    /// The warp brings what it knows of others to the barrier; returned is where to add what its
    /// lanes did and know of each other.
    pub(super) fn arrive(&mut self, barrier: u32, warp: usize) -> &mut [u32] {
        let own = self.warp_range(warp);
        let arrived = &mut self.arrived[barrier as usize];
        arrived.resize(self.threads, 0);
        join(arrived, &self.known[own]);
        let first = warp * LANES;
        &mut arrived[first..first + LANES]
    }

    /// The lane's thread comes to a named barrier when its own clock is this.
    pub(super) fn release(&mut self, thread: usize, clock: u32) {
        self.released[thread] = clock;
    }

    /// The warp learns what was arrived to the barrier; returned is what of that is of its own
    /// lanes.
    pub(super) fn acquire(&mut self, barrier: u32, warp: usize) -> &[u32] {
        let own = self.warp_range(warp);
        let arrived = &self.arrived[barrier as usize];
        join(&mut self.known[own], arrived);
        let first = warp * LANES;
        &arrived[first..first + LANES]
    }

    /// The barrier is complete.
    pub(super) fn complete(&mut self, barrier: u32) {
        self.arrived[barrier as usize].clear();
    }
}

/// The later of the clocks.
pub(super) fn join(clocks: &mut [u32], others: &[u32]) {
    for (clock, &other) in clocks.iter_mut().zip(others) {
        *clock = other.max(*clock);
    }
}
