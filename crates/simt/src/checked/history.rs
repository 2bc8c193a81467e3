//! Access history of one granule of memory: the accesses with which a later access can still race.
//!
//! The scheme is FastTrack (Flanagan and Freund, 2009): the last write suffices, and of the reads
//! only those that are not ordered before a later read.

use crate::finding::{Access, Site};

/// One access by one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AccessRecord {
    pub(crate) site: Site,
    /// Linear index of the block.
    pub(crate) block: u32,
    /// Number of barriers that the block had completed.
    pub(crate) epoch: u32,
    /// The thread's own clock, which warp synchronisation advances.
    pub(crate) clock: u32,
    /// Rank of the thread within its block.
    pub(crate) thread: u16,
    pub(crate) access: Access,
}

impl AccessRecord {
    fn is_same_warp(&self, other: &AccessRecord) -> bool {
        self.block == other.block && self.thread / 32 == other.thread / 32
    }
}

/// Happens-before relation at the time of the current access.
pub(crate) trait HappensBefore {
    /// Returns `true` if the earlier access happens before the current one.
    fn is_before(&self, earlier: &AccessRecord) -> bool;

    /// Returns `true` if the warp of the earlier access has arrived at a named barrier since.
    fn is_released(&self, earlier: &AccessRecord) -> bool;

    /// Returns `true` if warps may be ordered by something other than the block's barrier.
    fn has_inter_warp_order(&self) -> bool;
}

/// Mutually unordered accesses of one kind.
#[derive(Clone, Debug, Default)]
enum AccessSet {
    #[default]
    Empty,
    One(AccessRecord),
    Many(Vec<AccessRecord>),
}

impl AccessSet {
    fn as_slice(&self) -> &[AccessRecord] {
        match self {
            AccessSet::Empty => &[],
            AccessSet::One(record) => std::slice::from_ref(record),
            AccessSet::Many(history) => history,
        }
    }

    /// Adds an access and removes the accesses that happen before it: whatever is ordered after the
    /// new access is ordered after them too.
    ///
    /// Redundant accesses are dropped, which keeps the set small if every thread of a grid makes
    /// the access. Accesses of two blocks are never ordered and a finished block does not resume,
    /// so the accesses of one block suffice. While only one warp of the block is present, all of
    /// its accesses are needed. Once there are other warps, one access per warp since its last
    /// named barrier suffices: another warp is ordered after all of them or none, and so is a lane
    /// of the same warp, because it becomes ordered after other warps only by arriving at a barrier
    /// together with its whole warp.
    fn insert(&mut self, now: AccessRecord, order: &impl HappensBefore) {
        match self {
            AccessSet::Empty => *self = AccessSet::One(now),
            AccessSet::One(record) if record.block != now.block => {}
            AccessSet::One(record) if order.is_before(record) => *record = now,
            AccessSet::One(record) => *self = AccessSet::Many(vec![*record, now]),
            AccessSet::Many(history) => {
                if history[0].block != now.block {
                    return;
                }
                // Usually there is nothing to remove and nothing to add.
                let new = history.iter().filter(|one| one.epoch == now.epoch);
                if !order.has_inter_warp_order() && makes_redundant(new, &now, |_| true) {
                    return;
                }
                history.retain(|record| !order.is_before(record));
                if !makes_redundant(history.iter(), &now, |one| !order.is_released(one)) {
                    history.push(now);
                }
            }
        }
    }
}

/// Returns `true` if the accesses include another warp, and one of the warp of `now` that `counts`.
fn makes_redundant<'a>(
    history: impl Iterator<Item = &'a AccessRecord> + Clone,
    now: &AccessRecord,
    counts: impl Fn(&AccessRecord) -> bool,
) -> bool {
    history.clone().any(|one| !one.is_same_warp(now))
        && history
            .clone()
            .any(|one| one.is_same_warp(now) && counts(one))
}

/// Access history of one granule of memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct GranuleHistory {
    write: Option<AccessRecord>,
    reads: AccessSet,
    atomics: AccessSet,
}

impl GranuleHistory {
    /// Returns `true` if any thread has written the granule.
    pub(crate) fn is_written(&self) -> bool {
        self.write.is_some() || !self.atomics.as_slice().is_empty()
    }

    /// Records `now` and returns an earlier access with which it races.
    pub(crate) fn check_and_record(
        &mut self,
        now: AccessRecord,
        order: &impl HappensBefore,
    ) -> Option<AccessRecord> {
        let is_unordered = |record: &&AccessRecord| !order.is_before(record);
        let unordered = |history: &[AccessRecord]| history.iter().find(is_unordered).copied();
        let write = unordered(self.write.as_slice());
        match now.access {
            Access::Read => {
                let race = write.or_else(|| unordered(self.atomics.as_slice()));
                self.reads.insert(now, order);
                race
            }
            Access::Write => {
                let race = write
                    .or_else(|| unordered(self.atomics.as_slice()))
                    .or_else(|| unordered(self.reads.as_slice()));
                *self = GranuleHistory {
                    write: Some(now),
                    ..GranuleHistory::default()
                };
                race
            }
            Access::Atomic | Access::AtomicStore => {
                let race = write.or_else(|| unordered(self.reads.as_slice()));
                self.atomics.insert(now, order);
                race
            }
        }
    }
}
