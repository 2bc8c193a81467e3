//! Checked mode: what the threads of a launch do to one another, judged by happens-before.
//!
//! Two accesses of one block are ordered if one thread made both, if a barrier of the block completed between them,
//! or if `warp_sync` of common lanes did; accesses of two blocks never are.

mod clocks;
mod order;
mod shadow;
mod touches;

pub(crate) use order::BlockOrder;

use crate::arena::SharedPlace;
use crate::finding::{Access, FindingKind, Place, Site};
use crate::waiting::Waiter;
use crate::{Dim3, LaunchShape, Report};
use clocks::Clocks;
use order::Random;
use shadow::Shadow;
use touches::Touch;

/// The state of checked mode: one per launch, since its blocks run one at a time.
pub(crate) struct Checker {
    pub(crate) report: Report,
    order: Random,
    shape: LaunchShape,
    /// Threads of the block yet to start; the last is the next.
    unstarted: Vec<u32>,
    block: u32,
    block_index: Dim3,
    /// Barriers that the block has completed.
    epoch: u32,
    clocks: Clocks,
    global: Shadow,
    shared: Shadow,
    /// Lanes, per warp, that a finding ended: that they are missing later is no finding of its own.
    faulted: Vec<u32>,
}

impl Checker {
    pub(crate) fn new(kernel: &str, shape: LaunchShape, seed: u64) -> Self {
        let warps = shape.block.count().div_ceil(32) as usize;
        Checker {
            report: Report::new(kernel, Some(seed)),
            // Threads draw from a stream of their own: the order of blocks has used this one.
            order: Random::new(!seed),
            shape,
            unstarted: Vec::new(),
            block: 0,
            block_index: Dim3::new(0, 0, 0),
            epoch: 0,
            clocks: Clocks::new(warps),
            global: Shadow::default(),
            shared: Shadow::default(),
            faulted: vec![0; warps],
        }
    }

    pub(crate) fn begin_block(&mut self, block: u64) {
        self.block = block as u32;
        self.block_index = self.shape.grid.index_of(block);
        self.epoch = 0;
        self.unstarted = self.order.permutation(self.shape.block.count() as u32);
        self.shared.clear();
        self.faulted.fill(0);
    }

    /// Draws what goes on next: one of `ready` threads that wait, or (a number from `ready` on) one that has yet to
    /// start. `None` where there is neither.
    pub(crate) fn choose(&mut self, ready: usize) -> Option<usize> {
        let candidates = ready + self.unstarted.len();
        (candidates > 0).then(|| self.order.below(candidates))
    }

    /// The thread to start next.
    pub(crate) fn start(&mut self) -> Option<u32> {
        self.unstarted.pop()
    }

    pub(crate) fn thread_faulted(&mut self, rank: u32) {
        self.faulted[rank as usize / 32] |= 1 << (rank % 32);
    }

    /// Lanes of `warp` that a finding ended.
    pub(crate) fn faulted_lanes(&self, warp: u32) -> u32 {
        self.faulted[warp as usize]
    }

    fn thread_index(&self, rank: u32) -> Dim3 {
        self.shape.block.index_of(u64::from(rank))
    }

    fn add(&mut self, rank: u32, site: Site, kind: FindingKind) {
        let thread = self.thread_index(rank);
        self.report.add(self.block_index, thread, site, kind);
    }

    /// All of `arrivals` go on together; `left` is a thread that left the kernel by returning.
    pub(crate) fn barrier_completed(&mut self, mut arrivals: Vec<Waiter>, left: Option<u32>) {
        self.epoch += 1;
        arrivals.sort_by_key(|arrival| arrival.rank);
        let Some(&first) = arrivals.first() else {
            return;
        };
        if let Some(other) = arrivals.iter().find(|other| other.site != first.site) {
            let kind = FindingKind::DifferentBarriers {
                other_thread: self.thread_index(other.rank),
                other_site: other.site,
            };
            self.add(first.rank, first.site, kind);
        }
        if let Some(left) = left {
            let other_thread = self.thread_index(left);
            let kind = FindingKind::LeftBeforeBarrier { other_thread };
            self.add(first.rank, first.site, kind);
        }
    }

    /// A warp operation went on without lanes of its mask that have left the kernel.
    pub(crate) fn lanes_left(&mut self, warp: u32, mask: u32, present: u32, gone: u32, site: Site) {
        let lanes = gone & !self.faulted_lanes(warp);
        if lanes != 0 {
            let rank = warp * 32 + present.trailing_zeros();
            self.add(rank, site, FindingKind::LanesLeft { lanes, mask });
        }
    }

    /// These lanes of `warp` synchronized their memory accesses.
    pub(crate) fn warp_synced(&mut self, warp: u32, participants: u32) {
        self.clocks.join(warp, participants);
    }

    /// A thread touches memory.
    pub(crate) fn touch(&mut self, rank: u32, access: Access, memory: Memory, site: Site) {
        let now = Touch {
            site,
            block: self.block,
            epoch: self.epoch,
            clock: self.clocks.own(rank),
            thread: rank as u16,
            access,
        };
        let clocks = &self.clocks;
        let ordered = |earlier: &Touch| {
            let (thread, mate) = (rank, u32::from(earlier.thread));
            earlier.block == now.block
                && (mate == thread
                    || earlier.epoch < now.epoch
                    || mate / 32 == thread / 32 && clocks.known(thread, mate) >= earlier.clock)
        };
        let Memory {
            address,
            bytes,
            shared,
            is_shared,
        } = memory;
        let shadow = match is_shared {
            true => &mut self.shared,
            false => &mut self.global,
        };
        let met = shadow.touch(now, address, bytes, ordered);
        let place = |at: usize| match &shared {
            Some(place) if place.dynamic => Place::DynamicShared {
                offset: place.offset + (at - address),
                of: place.bytes,
            },
            Some(place) => Place::SharedStatic {
                offset: place.offset + (at - address),
                of: place.bytes,
            },
            None => Place::Global { address: at },
        };
        if let Some((earlier, at)) = met.race {
            let kind = FindingKind::Race {
                place: place(at),
                bytes,
                access,
                other_access: earlier.access,
                other_block: self.shape.grid.index_of(u64::from(earlier.block)),
                other_thread: self.thread_index(u32::from(earlier.thread)),
                other_site: earlier.site,
            };
            self.add(rank, site, kind);
        }
        if let (true, true, Some(at)) = (is_shared, access != Access::Write, met.unwritten) {
            let place = place(at);
            self.add(rank, site, FindingKind::Uninitialized { place, bytes });
        }
    }
}

/// The memory of one access.
pub(crate) struct Memory {
    pub(crate) address: usize,
    pub(crate) bytes: usize,
    pub(crate) is_shared: bool,
    /// Where in the block's shared memory it lies.
    pub(crate) shared: Option<SharedPlace>,
}
