//! Checking and recording of a single access.

use super::clocks::Clocks;
use super::history::{AccessRecord, HappensBefore};
use super::{Checker, shared_location};
use crate::arena::SharedLocation;
use crate::finding::{Access, FindingKind, Site};
use crate::parameter::find_parameter;

/// Memory range of one access.
pub(crate) struct AccessedMemory {
    pub(crate) address: usize,
    pub(crate) bytes: usize,
    /// `true` if the access belongs to the shared address space: it is made through a view of
    /// shared memory, or its address lies in shared memory.
    pub(crate) is_shared: bool,
    /// Position in the executor's shared memory, if the address lies there.
    pub(crate) shared: Option<SharedLocation>,
}

/// Happens-before relation at the time of the current access.
struct ClockOrder<'a> {
    clocks: &'a Clocks,
    now: AccessRecord,
}

impl HappensBefore for ClockOrder<'_> {
    fn is_before(&self, earlier: &AccessRecord) -> bool {
        let (thread, other) = (u32::from(self.now.thread), u32::from(earlier.thread));
        earlier.block == self.now.block
            && (other == thread
                || earlier.epoch < self.now.epoch
                || self.clocks.is_ordered_after(thread, other, earlier.clock))
    }

    fn is_released(&self, earlier: &AccessRecord) -> bool {
        let thread = u32::from(earlier.thread);
        self.clocks.is_released(thread, earlier.clock)
    }

    fn has_inter_warp_order(&self) -> bool {
        self.clocks.has_inter_warp_order()
    }
}

impl Checker {
    /// Checks an access of a thread and records it. `is_unwritten(address, bytes)` returns `true`
    /// if shared memory without a tracked write is unchanged since the block began.
    pub(crate) fn check_and_record(
        &mut self,
        rank: u32,
        access: Access,
        memory: AccessedMemory,
        site: Site,
        is_unwritten: impl Fn(usize, usize) -> bool,
    ) {
        let now = AccessRecord {
            site,
            block: self.block,
            epoch: self.epoch,
            clock: self.clocks.own_clock(rank),
            thread: rank as u16,
            access,
        };
        let order = ClockOrder {
            clocks: &self.clocks,
            now,
        };
        let AccessedMemory {
            address,
            bytes,
            shared,
            is_shared,
        } = memory;
        let shadow = if is_shared {
            &mut self.shared
        } else {
            &mut self.global
        };
        let outcome = shadow.check_and_record(now, address, bytes, &order);
        if !is_shared && let Some((position, _)) = find_parameter(&self.parameters, address) {
            self.access_logs[position].record_access();
        }
        let conflict = self.copies.conflicting_copy(access, address, bytes);
        let location = |checker: &Self, at: usize| match &shared {
            Some(location) => shared_location(location, location.offset + (at - address)),
            None => checker.global_location(at),
        };
        if let Some((earlier, at)) = outcome.race {
            let kind = FindingKind::Race {
                location: location(self, at),
                bytes,
                access,
                other_access: earlier.access,
                other_block: self.shape.grid.index_at(u64::from(earlier.block)),
                other_thread: self.thread_index(u32::from(earlier.thread)),
                other_site: earlier.site,
            };
            self.add(rank, site, kind);
        }
        if let Some(copy) = conflict {
            let kind = FindingKind::AsyncCopyConflict {
                location: location(self, address),
                access,
                copying_thread: self.thread_index(copy.rank),
                copy_site: copy.site,
            };
            self.add(rank, site, kind);
        }
        let reads = matches!(access, Access::Read | Access::Atomic);
        if let (true, true, Some(at)) = (is_shared, reads, outcome.unwritten)
            && is_unwritten(at, outcome.unwritten_bytes)
        {
            let location = location(self, at);
            self.add(
                rank,
                site,
                FindingKind::UninitializedRead { location, bytes },
            );
        }
    }
}

#[cfg(test)]
#[path = "access_tests.rs"]
mod tests;
