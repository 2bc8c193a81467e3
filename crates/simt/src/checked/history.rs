//! What is remembered of one piece of memory: the accesses that a later one can still race with.
//!
//! This is the scheme of FastTrack (Flanagan and Freund, 2009): of writes the last is enough, and
//! of reads those that no later read is ordered after.

use crate::finding::{Access, Site};

/// One access by one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AccessRecord {
    pub(crate) site: Site,
    /// Linear index of the block.
    pub(crate) block: u32,
    /// Barriers that the block had completed.
    pub(crate) epoch: u32,
    /// The thread's own clock, which its warp synchronizations advance.
    pub(crate) clock: u32,
    /// Rank within the block.
    pub(crate) thread: u16,
    pub(crate) access: Access,
}

impl AccessRecord {
    fn is_same_warp(&self, other: &AccessRecord) -> bool {
        self.block == other.block && self.thread / 32 == other.thread / 32
    }
}

/// What is known of the order of accesses when one is made.
pub(crate) trait HappensBefore {
    /// Whether the earlier access happens before the one that is made now.
    fn is_before(&self, earlier: &AccessRecord) -> bool;

    /// Whether the earlier access' warp has come to a named barrier since.
    fn is_released(&self, earlier: &AccessRecord) -> bool;

    /// Whether a warp may be ordered after another in any other way than by the block's barrier.
    fn has_inter_warp_order(&self) -> bool;
}

/// Accesses of one kind, none of which is ordered after another.
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
            AccessSet::One(touch) => std::slice::from_ref(touch),
            AccessSet::Many(history) => history,
        }
    }

    /// Adds an access, and forgets those it is ordered after: who is ordered after it is ordered
    /// after them.
    ///
    /// That keeps the set small where every thread of a grid makes it. Accesses of two blocks are
    /// never ordered, and a block that has ended does not come back: those of one are enough. Of a
    /// warp of the block all are needed while there are no others. Once there are, one is enough of
    /// those that the warp made since it came last to a named barrier: another warp is ordered
    /// after all of them or none, and so is a lane of this one, since it is ordered after other
    /// warps only by coming to a barrier with all of its mates.
    fn insert(&mut self, now: AccessRecord, order: &impl HappensBefore) {
        match self {
            AccessSet::Empty => *self = AccessSet::One(now),
            AccessSet::One(touch) if touch.block != now.block => {}
            AccessSet::One(touch) if order.is_before(touch) => *touch = now,
            AccessSet::One(touch) => *self = AccessSet::Many(vec![*touch, now]),
            AccessSet::Many(history) => {
                if history[0].block != now.block {
                    return;
                }
                // Most often there is nothing to forget, and nothing to add.
                let new = history.iter().filter(|one| one.epoch == now.epoch);
                if !order.has_inter_warp_order() && makes_redundant(new, &now, |_| true) {
                    return;
                }
                history.retain(|touch| !order.is_before(touch));
                if !makes_redundant(history.iter(), &now, |one| !order.is_released(one)) {
                    history.push(now);
                }
            }
        }
    }
}

/// Whether there are accesses of another warp, and such as count by the warp of `now`.
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

/// What is remembered of a granule of memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct GranuleHistory {
    write: Option<AccessRecord>,
    reads: AccessSet,
    atomics: AccessSet,
}

impl GranuleHistory {
    /// Whether any thread wrote it.
    pub(crate) fn is_written(&self) -> bool {
        self.write.is_some() || !self.atomics.as_slice().is_empty()
    }

    /// Remembers `now`, and returns an earlier access that it races with.
    pub(crate) fn touch(
        &mut self,
        now: AccessRecord,
        order: &impl HappensBefore,
    ) -> Option<AccessRecord> {
        let is_unordered = |touch: &&AccessRecord| !order.is_before(touch);
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
