//! Checked mode: detection of races and other violations by happens-before.
//!
//! Two accesses of one block are ordered if the same thread made both, if a block barrier completed
//! between them, if a common `warp_sync` did, or if the warp of the first arrived at a named
//! barrier at which the warp of the second waited, transitively. Accesses of different blocks are
//! never ordered.
//!
//! | step of an access | place |
//! | --- | --- |
//! | a view records it | [`memory::record_read`](crate::memory::record_read) and its siblings |
//! | the address is located in shared memory | `Executor::record_view_access` |
//! | it is compared with the history of its bytes | [`shadow`], [`history`] |
//! | two accesses are ordered or not | `ClockOrder` (barriers), [`Clocks`] (lanes and warps) |
//! | an unordered pair becomes a finding | `Checker::check_and_record`, [`Report`] |

mod access;
mod async_copy;
mod clocks;
mod history;
mod inter_warp;
mod schedule;
mod shadow;
mod step_counter;

pub(crate) use access::AccessedMemory;
pub(crate) use async_copy::AsyncCopy;
pub(crate) use schedule::BlockSchedule;

use crate::arena::{Arena, SharedLocation};
use crate::blocked::Waiter;
use crate::finding::{FindingKind, MemoryLocation, Site};
use crate::parameter::{Parameter, ParameterKind, find_parameter};
use crate::untracked::{AccessLog, TrackingGap, UntrackedMemory};
use crate::watchdog::Heartbeat;
use crate::{Dim3, LaunchError, LaunchShape, Report};
use async_copy::PendingCopies;
use clocks::Clocks;
use schedule::SplitMix64;
use shadow::Shadow;
use std::collections::HashSet;
use std::sync::Arc;
use step_counter::StepCounter;

/// Granularity of [`Checker::borrowed`], in bytes.
const BORROW_GRANULE: usize = 16;

/// State of checked mode: one per launch, since the blocks run one at a time.
pub(crate) struct Checker {
    pub(crate) report: Report,
    order: SplitMix64,
    shape: LaunchShape,
    /// Ranks of the threads of the block yet to start; the last one starts next.
    unstarted: Vec<u32>,
    block: u32,
    block_index: Dim3,
    /// Number of barriers that the block has completed.
    epoch: u32,
    clocks: Clocks,
    global: Shadow,
    shared: Shadow,
    /// Mask, per warp, of the lanes that a finding ended. Their later absence is not another
    /// finding.
    faulted: Vec<u32>,
    steps: StepCounter,
    copies: PendingCopies,
    parameters: Vec<Parameter>,
    /// Access log of each parameter.
    access_logs: Vec<AccessLog>,
    /// Granules of global memory to which the kernel took references from raw pointers.
    borrowed: HashSet<usize>,
}

impl Checker {
    pub(crate) fn new(
        kernel: &str,
        shape: LaunchShape,
        seed: u64,
        parameters: &[Parameter],
        heartbeat: Option<Arc<Heartbeat>>,
    ) -> Self {
        let warps = shape.block.count().div_ceil(32) as usize;
        Checker {
            report: Report::new(kernel, Some(seed)),
            // Independent of the stream that orders the blocks, which is seeded with `seed`.
            order: SplitMix64::new(!seed),
            shape,
            unstarted: Vec::new(),
            block: 0,
            block_index: Dim3::new(0, 0, 0),
            epoch: 0,
            clocks: Clocks::new(warps),
            global: Shadow::default(),
            shared: Shadow::default(),
            faulted: vec![0; warps],
            steps: StepCounter::new(kernel, shape, heartbeat),
            copies: PendingCopies::default(),
            parameters: parameters.to_vec(),
            access_logs: parameters.iter().map(|_| AccessLog::default()).collect(),
            borrowed: HashSet::new(),
        }
    }

    pub(crate) fn begin_block(&mut self, block: u64) {
        self.block = block as u32;
        self.block_index = self.shape.grid.index_at(block);
        self.epoch = 0;
        self.clocks.begin_block();
        self.unstarted = self.order.permutation(self.shape.block.count() as u32);
        self.shared.clear();
        self.faulted.fill(0);
        self.steps.begin_block(block);
        self.copies.clear();
    }

    /// Inspects shared memory at the end of a block.
    pub(crate) fn end_block(&mut self, arena: &Arena) {
        let past_end = arena.find_unrecorded_writes(|address| self.shared.is_written(address));
        for (location, site) in past_end {
            let location = shared_location(&location, location.offset);
            self.add(0, site, FindingKind::SharedMemoryOverrun { location });
        }
    }

    /// Returns the arrays of `arena` and the parameters that were not tracked completely.
    pub(crate) fn untracked(&self, arena: &Arena) -> Vec<UntrackedMemory> {
        let hidden = |(parameter, access_logs): (&Parameter, &AccessLog)| {
            let gap = access_logs.gap()?;
            let counts = match parameter.kind {
                // views record every access, unless they are passed on as a slice or pointer
                ParameterKind::View => gap != TrackingGap::Everything,
                ParameterKind::Slice => parameter.elements > 0,
                ParameterKind::Pointer => parameter.address != 0,
            };
            counts.then_some(UntrackedMemory::Parameter {
                name: parameter.name,
                number: parameter.number,
                gap,
            })
        };
        let mut all = arena.untracked();
        all.extend(
            self.parameters
                .iter()
                .zip(&self.access_logs)
                .filter_map(hidden),
        );
        all
    }

    /// Records that a thread starts or resumes. `site` is the location at which it waited.
    pub(crate) fn thread_resumed(&mut self, rank: u32, site: Option<Site>) {
        self.steps.thread_resumed(rank, site);
    }

    /// Counts a step of the thread. Returns an error if it exceeds a limit.
    pub(crate) fn count_step(&mut self, rank: u32, site: Site) -> Option<LaunchError> {
        self.steps.count_step(rank, site)
    }

    /// Records that the kernel takes a reference to global memory from a raw pointer.
    pub(crate) fn record_borrow(&mut self, address: usize, bytes: usize) {
        let last = address.saturating_add(bytes.max(1) - 1);
        self.borrowed
            .extend(address / BORROW_GRANULE..=last / BORROW_GRANULE);
    }

    /// Returns `true` if global memory accessed through a reference belongs to the kernel, that is,
    /// to a parameter or to memory borrowed from a raw pointer, and not to the thread's own
    /// allocations.
    pub(crate) fn is_kernel_memory(&self, address: usize) -> bool {
        self.borrowed.contains(&(address / BORROW_GRANULE))
            || find_parameter(&self.parameters, address).is_some_and(|(_, certain)| certain)
    }

    /// Returns the access log of the parameter that contains `address`.
    pub(crate) fn access_log(&self, address: usize) -> Option<&AccessLog> {
        let (position, _) = find_parameter(&self.parameters, address)?;
        Some(&self.access_logs[position])
    }

    /// Records that a thread begins an asynchronous copy.
    pub(crate) fn begin_async_copy(&mut self, copy: AsyncCopy) {
        self.copies.begin(copy);
    }

    /// Completes the pending copies of a thread, which waits for them, and returns them.
    pub(crate) fn complete_async_copies(&mut self, rank: u32) -> Vec<AsyncCopy> {
        self.copies.finish(rank)
    }

    fn global_location(&self, address: usize) -> MemoryLocation {
        match find_parameter(&self.parameters, address) {
            None => MemoryLocation::Global { address },
            Some((position, _)) => {
                let parameter = self.parameters[position];
                MemoryLocation::Parameter {
                    name: parameter.name,
                    number: parameter.number,
                    element: (address - parameter.address) / parameter.element_bytes.max(1),
                }
            }
        }
    }

    /// Draws the next thread to run: an index below `ready` selects a ready thread, a larger one
    /// starts a new thread. Returns `None` if there is neither.
    pub(crate) fn draw_next(&mut self, ready: usize) -> Option<usize> {
        let candidates = ready + self.unstarted.len();
        (candidates > 0).then(|| self.order.below(candidates))
    }

    /// Returns the rank of the next thread to start.
    pub(crate) fn next_unstarted(&mut self) -> Option<u32> {
        self.unstarted.pop()
    }

    pub(crate) fn record_faulted_thread(&mut self, rank: u32) {
        self.faulted[rank as usize / 32] |= 1 << (rank % 32);
    }

    /// Returns the mask of the lanes of `warp` that a finding ended.
    pub(crate) fn faulted_lanes(&self, warp: u32) -> u32 {
        self.faulted[warp as usize]
    }

    fn thread_index(&self, rank: u32) -> Dim3 {
        self.shape.block.index_at(u64::from(rank))
    }

    fn add(&mut self, rank: u32, site: Site, kind: FindingKind) {
        let thread = self.thread_index(rank);
        self.report.add(self.block_index, thread, site, kind);
    }

    /// Completes the block's barrier for `arrivals`. `exited` is a thread that exited the kernel by
    /// returning. Returns an error if one of the threads exceeds its step limit.
    pub(crate) fn barrier_completed(
        &mut self,
        mut arrivals: Vec<Waiter>,
        exited: Option<u32>,
    ) -> Option<LaunchError> {
        self.epoch += 1;
        arrivals.sort_by_key(|arrival| arrival.rank);
        let &first = arrivals.first()?;
        if let Some(other) = arrivals.iter().find(|other| other.site != first.site) {
            let kind = FindingKind::BarrierDivergence {
                other_thread: self.thread_index(other.rank),
                other_site: other.site,
            };
            self.add(first.rank, first.site, kind);
        }
        if let Some(exited) = exited {
            self.record_exit_before_barrier(first, exited);
        }
        self.count_steps(&arrivals)
    }

    /// Reports that `waiter` waits at a barrier that thread `exited`, which exited the kernel, did
    /// not reach.
    pub(crate) fn record_exit_before_barrier(&mut self, waiter: Waiter, exited: u32) {
        let other_thread = self.thread_index(exited);
        let kind = FindingKind::ExitedBeforeBarrier { other_thread };
        self.add(waiter.rank, waiter.site, kind);
    }

    /// Records that these lanes of the warp arrive at a named barrier.
    pub(crate) fn named_barrier_arrived(&mut self, barrier: u32, warp: u32, lanes: u32) {
        self.clocks.arrive(barrier, warp, lanes);
    }

    /// Completes a named barrier. `waited` yields the warps that waited there, each with its lanes.
    pub(crate) fn named_barrier_completed(
        &mut self,
        barrier: u32,
        waited: impl Iterator<Item = (u32, u32)>,
    ) {
        self.clocks.complete(barrier, waited);
    }

    /// Adds a finding of a thread.
    pub(crate) fn record_finding(&mut self, rank: u32, site: Site, kind: FindingKind) {
        self.add(rank, site, kind);
    }

    /// Counts one step of each of these threads. Returns an error if one exceeds a limit.
    pub(crate) fn count_steps(&mut self, waiters: &[Waiter]) -> Option<LaunchError> {
        let steps = waiters
            .iter()
            .map(|one| self.count_step(one.rank, one.site));
        steps.fold(None, Option::or)
    }

    /// Reports lanes in the mask of a warp operation that have exited the kernel.
    pub(crate) fn record_exited_lanes(
        &mut self,
        warp: u32,
        mask: u32,
        present: u32,
        gone: u32,
        site: Site,
    ) {
        let lanes = gone & !self.faulted_lanes(warp);
        if lanes != 0 {
            let rank = warp * 32 + present.trailing_zeros();
            self.add(rank, site, FindingKind::ExitedLanesInMask { lanes, mask });
        }
    }

    /// Orders the memory accesses of these lanes of `warp`.
    pub(crate) fn warp_synced(&mut self, warp: u32, participants: u32) {
        self.clocks.join(warp, participants);
    }
}

/// Returns the byte at `offset` of the array that contains `location`.
fn shared_location(location: &SharedLocation, offset: usize) -> MemoryLocation {
    let size = location.bytes;
    if location.dynamic {
        MemoryLocation::DynamicShared { offset, size }
    } else {
        MemoryLocation::SharedStatic { offset, size }
    }
}
