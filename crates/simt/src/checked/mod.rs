//! Checked mode: what the threads of a launch do to one another, judged by happens-before.
//!
//! Two accesses of one block are ordered if one thread made both, if a barrier of the block
//! completed between them, if `warp_sync` of common lanes did, or if the first one's warp arrived
//! at a named barrier at which the other's waited, transitively; accesses of two blocks never are.

mod access;
mod across;
mod clocks;
mod copies;
mod order;
mod shadow;
mod steps;
mod touches;

pub(crate) use access::Memory;
pub(crate) use copies::Copy;
pub(crate) use order::BlockOrder;

use crate::arena::{Arena, SharedPlace};
use crate::finding::{FindingKind, Place, Site};
use crate::monitor::Beat;
use crate::parameter::{Parameter, Reach, parameter_of};
use crate::unwatched::{Seen, Unseen, Unwatched};
use crate::waiting::Waiter;
use crate::{Dim3, LaunchError, LaunchShape, Report};
use clocks::Clocks;
use copies::Copies;
use order::Random;
use shadow::Shadow;
use std::collections::HashSet;
use std::sync::Arc;
use steps::Steps;

/// Memory that is lent out by reference is remembered in pieces of so many bytes.
const LENT_BYTES: usize = 16;

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
    steps: Steps,
    copies: Copies,
    parameters: Vec<Parameter>,
    /// What is known of the accesses to each of them.
    seen: Vec<Seen>,
    /// Global memory to which the kernel took references from raw pointers.
    lent: HashSet<usize>,
}

impl Checker {
    pub(crate) fn new(
        kernel: &str,
        shape: LaunchShape,
        seed: u64,
        parameters: &[Parameter],
        beat: Option<Arc<Beat>>,
    ) -> Self {
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
            steps: Steps::new(kernel, shape, beat),
            copies: Copies::default(),
            parameters: parameters.to_vec(),
            seen: parameters.iter().map(|_| Seen::default()).collect(),
            lent: HashSet::new(),
        }
    }

    pub(crate) fn begin_block(&mut self, block: u64) {
        self.block = block as u32;
        self.block_index = self.shape.grid.index_of(block);
        self.epoch = 0;
        self.clocks.begin_block();
        self.unstarted = self.order.permutation(self.shape.block.count() as u32);
        self.shared.clear();
        self.faulted.fill(0);
        self.steps.begin_block(block);
        self.copies.clear();
    }

    /// The block has ended: looks at what it left in shared memory.
    pub(crate) fn end_block(&mut self, arena: &Arena) {
        let past_end = arena.inspect(|address| self.shared.is_written(address));
        for (place, site) in past_end {
            let place = shared_place(&place, place.offset);
            self.add(0, site, FindingKind::WrittenPastEnd { place });
        }
    }

    /// What was not watched: arrays of `arena`, and parameters.
    pub(crate) fn unwatched(&self, arena: &Arena) -> Vec<Unwatched> {
        let hidden = |(parameter, seen): (&Parameter, &Seen)| {
            let because = seen.unseen()?;
            let counts = match parameter.reach {
                // unless it is passed on as a slice or pointer, the view tells of every access
                Reach::View => because != Unseen::Everything,
                Reach::Slice => parameter.elements > 0,
                Reach::Pointer => parameter.address != 0,
            };
            counts.then_some(Unwatched::Parameter {
                name: parameter.name,
                number: parameter.number,
                because,
            })
        };
        let mut all = arena.unwatched();
        all.extend(self.parameters.iter().zip(&self.seen).filter_map(hidden));
        all
    }

    /// The thread goes on, or starts. `site` is where it waited.
    pub(crate) fn goes_on(&mut self, rank: u32, site: Option<Site>) {
        self.steps.goes_on(rank, site);
    }

    /// The thread makes a step. An error where that is one too many.
    pub(crate) fn step(&mut self, rank: u32, site: Site) -> Option<LaunchError> {
        self.steps.step(rank, site)
    }

    /// The kernel takes a reference to global memory from a raw pointer.
    pub(crate) fn lend(&mut self, address: usize, bytes: usize) {
        let last = address.saturating_add(bytes.max(1) - 1);
        self.lent.extend(address / LENT_BYTES..=last / LENT_BYTES);
    }

    /// Whether global memory that was reached by a reference is the kernel's: that of a parameter,
    /// or such as it took references to. Not so what the thread itself allocated.
    pub(crate) fn is_known(&self, address: usize) -> bool {
        self.lent.contains(&(address / LENT_BYTES))
            || parameter_of(&self.parameters, address).is_some_and(|(_, certain)| certain)
    }

    /// What is known of the accesses to the parameter whose memory `address` lies in.
    pub(crate) fn seen(&self, address: usize) -> Option<&Seen> {
        let (position, _) = parameter_of(&self.parameters, address)?;
        Some(&self.seen[position])
    }

    /// The thread begins an asynchronous copy.
    pub(crate) fn begin_copy(&mut self, copy: Copy) {
        self.copies.begin(copy);
    }

    /// The thread waits for its copies, which are returned: they have written their targets.
    pub(crate) fn finish_copies(&mut self, rank: u32) -> Vec<Copy> {
        self.copies.finish(rank)
    }

    fn global_place(&self, address: usize) -> Place {
        match parameter_of(&self.parameters, address) {
            None => Place::Global { address },
            Some((position, _)) => {
                let parameter = self.parameters[position];
                Place::Parameter {
                    name: parameter.name,
                    number: parameter.number,
                    element: (address - parameter.address) / parameter.element_bytes.max(1),
                }
            }
        }
    }

    /// Draws what goes on next: one of `ready` threads that wait, or (a number from `ready` on) one
    /// that has yet to start. `None` where there is neither.
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

    /// All of `arrivals` go on together; `left` is a thread that left the kernel by returning. An
    /// error where one of them has made too many steps.
    pub(crate) fn barrier_completed(
        &mut self,
        mut arrivals: Vec<Waiter>,
        left: Option<u32>,
    ) -> Option<LaunchError> {
        self.epoch += 1;
        arrivals.sort_by_key(|arrival| arrival.rank);
        let &first = arrivals.first()?;
        if let Some(other) = arrivals.iter().find(|other| other.site != first.site) {
            let kind = FindingKind::DifferentBarriers {
                other_thread: self.thread_index(other.rank),
                other_site: other.site,
            };
            self.add(first.rank, first.site, kind);
        }
        if let Some(left) = left {
            self.left_before(first, left);
        }
        self.step_each(&arrivals)
    }

    /// A barrier is complete, or a warp has come to one, without thread `left`, which left the
    /// kernel by returning.
    pub(crate) fn left_before(&mut self, waiter: Waiter, left: u32) {
        let other_thread = self.thread_index(left);
        let kind = FindingKind::LeftBeforeBarrier { other_thread };
        self.add(waiter.rank, waiter.site, kind);
    }

    /// These lanes of the warp arrive at a named barrier.
    pub(crate) fn named_arrival(&mut self, barrier: u32, warp: u32, lanes: u32) {
        self.clocks.arrive(barrier, warp, lanes);
    }

    /// A named barrier is complete. `waited` are the warps, with their lanes, that waited there.
    pub(crate) fn named_completed(
        &mut self,
        barrier: u32,
        waited: impl Iterator<Item = (u32, u32)>,
    ) {
        self.clocks.complete(barrier, waited);
    }

    /// A thread broke a rule.
    pub(crate) fn found(&mut self, rank: u32, site: Site, kind: FindingKind) {
        self.add(rank, site, kind);
    }

    /// These threads make a step together.
    pub(crate) fn step_each(&mut self, waiters: &[Waiter]) -> Option<LaunchError> {
        let steps = waiters.iter().map(|one| self.step(one.rank, one.site));
        steps.fold(None, Option::or)
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
}

/// The byte `offset` of the array that `place` lies in.
fn shared_place(place: &SharedPlace, offset: usize) -> Place {
    let of = place.bytes;
    if place.dynamic {
        Place::DynamicShared { offset, of }
    } else {
        Place::SharedStatic { offset, of }
    }
}
