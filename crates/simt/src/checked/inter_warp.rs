//! Vector clocks between the warps of a block, for named barriers. They are created when a block
//! first uses one.
//!
//! A warp arrives at a named barrier as a whole, so all of its lanes become ordered after the same
//! accesses of other warps. One clock per (warp, thread) pair is therefore sufficient and exact.

/// Threads per warp.
pub(super) const LANES: usize = 32;

/// For each warp of a block, the clocks of all threads up to which it is ordered after them.
pub(super) struct InterWarpClocks {
    /// Threads of the block, rounded up to whole warps.
    threads: usize,
    /// Clock by (warp, thread): every access that the thread made at or before this clock happens
    /// before the next operation of the warp.
    clocks: Vec<u32>,
    /// Own clock of each thread at its most recent arrival at a named barrier.
    released: Vec<u32>,
    /// Joined clocks of the arrived warps, by barrier and thread; empty if no warp has arrived.
    arrived: Vec<Vec<u32>>,
}

impl InterWarpClocks {
    pub(super) fn new(threads: usize, barriers: u32) -> Self {
        InterWarpClocks {
            threads,
            clocks: vec![0; threads / LANES * threads],
            released: vec![0; threads],
            arrived: vec![Vec::new(); barriers as usize],
        }
    }

    /// Discards the arrivals at barriers that were incomplete when the previous block ended.
    pub(super) fn begin_block(&mut self) {
        self.arrived.iter_mut().for_each(Vec::clear);
    }

    fn warp_range(&self, warp: usize) -> std::ops::Range<usize> {
        warp * self.threads..(warp + 1) * self.threads
    }

    /// Returns the latest clock of `thread` after which the warp is ordered.
    #[inline]
    pub(super) fn latest_clock(&self, warp: usize, thread: usize) -> u32 {
        self.clocks[warp * self.threads + thread]
    }

    /// Returns the thread's own clock at its most recent arrival at a named barrier.
    #[inline]
    pub(super) fn released(&self, thread: usize) -> u32 {
        self.released[thread]
    }

    /// Joins the warp's clocks of other warps into the barrier. Returns the barrier's clocks of the
    /// warp's own lanes, for the caller to update.
    pub(super) fn arrive(&mut self, barrier: u32, warp: usize) -> &mut [u32] {
        let own = self.warp_range(warp);
        let arrived = &mut self.arrived[barrier as usize];
        arrived.resize(self.threads, 0);
        join(arrived, &self.clocks[own]);
        let first = warp * LANES;
        &mut arrived[first..first + LANES]
    }

    /// Records that a thread arrives at a named barrier with own clock `clock`.
    pub(super) fn release(&mut self, thread: usize, clock: u32) {
        self.released[thread] = clock;
    }

    /// Joins the barrier's clocks into those of the warp. Returns the barrier's clocks of the
    /// warp's own lanes.
    pub(super) fn acquire(&mut self, barrier: u32, warp: usize) -> &[u32] {
        let own = self.warp_range(warp);
        let arrived = &self.arrived[barrier as usize];
        join(&mut self.clocks[own], arrived);
        let first = warp * LANES;
        &arrived[first..first + LANES]
    }

    /// Completes the barrier: discards its clocks.
    pub(super) fn complete(&mut self, barrier: u32) {
        self.arrived[barrier as usize].clear();
    }
}

/// Replaces each clock by the maximum of the two.
pub(super) fn join(clocks: &mut [u32], others: &[u32]) {
    for (clock, &other) in clocks.iter_mut().zip(others) {
        *clock = other.max(*clock);
    }
}
