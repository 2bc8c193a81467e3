//! One access: what is found of it, and what is remembered.

use super::clocks::Clocks;
use super::touches::{Order, Touch};
use super::{Checker, shared_place};
use crate::arena::SharedPlace;
use crate::finding::{Access, FindingKind, Site};
use crate::parameter::parameter_of;

/// The memory of one access.
pub(crate) struct Memory {
    pub(crate) address: usize,
    pub(crate) bytes: usize,
    pub(crate) is_shared: bool,
    /// Where in the block's shared memory it lies.
    pub(crate) shared: Option<SharedPlace>,
}

/// The order of accesses as one is made.
struct HappensBefore<'a> {
    clocks: &'a Clocks,
    now: Touch,
}

impl Order for HappensBefore<'_> {
    fn is_before(&self, earlier: &Touch) -> bool {
        let (thread, mate) = (u32::from(self.now.thread), u32::from(earlier.thread));
        earlier.block == self.now.block
            && (mate == thread
                || earlier.epoch < self.now.epoch
                || self.clocks.is_after(thread, mate, earlier.clock))
    }

    fn is_released(&self, earlier: &Touch) -> bool {
        let thread = u32::from(earlier.thread);
        self.clocks.is_released(thread, earlier.clock)
    }

    fn reaches_across(&self) -> bool {
        self.clocks.reach_across()
    }
}

impl Checker {
    /// A thread touches memory. `is_unwritten` says of shared memory of which no write was seen
    /// whether it still is as when the block began.
    pub(crate) fn touch(
        &mut self,
        rank: u32,
        access: Access,
        memory: Memory,
        site: Site,
        is_unwritten: impl Fn(usize, usize) -> bool,
    ) {
        let now = Touch {
            site,
            block: self.block,
            epoch: self.epoch,
            clock: self.clocks.own(rank),
            thread: rank as u16,
            access,
        };
        let order = HappensBefore {
            clocks: &self.clocks,
            now,
        };
        let Memory {
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
        let met = shadow.touch(now, address, bytes, &order);
        if !is_shared && let Some((position, _)) = parameter_of(&self.parameters, address) {
            self.seen[position].access();
        }
        let disturbed = self.copies.disturbed_by(access, address, bytes);
        let place = |checker: &Self, at: usize| match &shared {
            Some(place) => shared_place(place, place.offset + (at - address)),
            None => checker.global_place(at),
        };
        if let Some((earlier, at)) = met.race {
            let kind = FindingKind::Race {
                place: place(self, at),
                bytes,
                access,
                other_access: earlier.access,
                other_block: self.shape.grid.index_of(u64::from(earlier.block)),
                other_thread: self.thread_index(u32::from(earlier.thread)),
                other_site: earlier.site,
            };
            self.add(rank, site, kind);
        }
        if let Some(copy) = disturbed {
            let kind = FindingKind::CopyUnderWay {
                place: place(self, address),
                access,
                copying_thread: self.thread_index(copy.rank),
                copy_site: copy.site,
            };
            self.add(rank, site, kind);
        }
        let reads = matches!(access, Access::Read | Access::Atomic);
        if let (true, true, Some(at)) = (is_shared, reads, met.unwritten)
            && is_unwritten(at, met.unwritten_bytes)
        {
            let place = place(self, at);
            self.add(rank, site, FindingKind::Uninitialized { place, bytes });
        }
    }
}

#[cfg(test)]
#[path = "access_tests.rs"]
mod tests;
