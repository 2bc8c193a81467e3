//! What is remembered of one piece of memory: the accesses that a later one can still race with.
//!
//! This is the scheme of FastTrack (Flanagan and Freund, 2009): of writes the last is enough, and
//! of reads those that no later read is ordered after.

use crate::finding::{Access, Site};

/// One access by one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Touch {
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

impl Touch {
    fn is_mate(&self, other: &Touch) -> bool {
        self.block == other.block && self.thread / 32 == other.thread / 32
    }
}

/// What is known of the order of accesses when one is made.
pub(crate) trait Order {
    /// Whether the earlier access happens before the one that is made now.
    fn is_before(&self, earlier: &Touch) -> bool;

    /// Whether the earlier access' warp has come to a named barrier since.
    fn is_released(&self, earlier: &Touch) -> bool;

    /// Whether a warp may be ordered after another in any other way than by the block's barrier.
    fn reaches_across(&self) -> bool;
}

/// Accesses of one kind, none of which is ordered after another.
#[derive(Clone, Debug, Default)]
enum TouchSet {
    #[default]
    Empty,
    One(Touch),
    Many(Vec<Touch>),
}

impl TouchSet {
    fn as_slice(&self) -> &[Touch] {
        match self {
            TouchSet::Empty => &[],
            TouchSet::One(touch) => std::slice::from_ref(touch),
            TouchSet::Many(touches) => touches,
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
    fn insert(&mut self, now: Touch, order: &impl Order) {
        match self {
            TouchSet::Empty => *self = TouchSet::One(now),
            TouchSet::One(touch) if touch.block != now.block => {}
            TouchSet::One(touch) if order.is_before(touch) => *touch = now,
            TouchSet::One(touch) => *self = TouchSet::Many(vec![*touch, now]),
            TouchSet::Many(touches) => {
                if touches[0].block != now.block {
                    return;
                }
                // Most often there is nothing to forget, and nothing to add.
                let new = touches.iter().filter(|one| one.epoch == now.epoch);
                if !order.reaches_across() && covers(new, &now, |_| true) {
                    return;
                }
                touches.retain(|touch| !order.is_before(touch));
                if !covers(touches.iter(), &now, |one| !order.is_released(one)) {
                    touches.push(now);
                }
            }
        }
    }
}

/// Whether there are accesses of another warp, and such as count by the warp of `now`.
fn covers<'a>(
    touches: impl Iterator<Item = &'a Touch> + Clone,
    now: &Touch,
    counts: impl Fn(&Touch) -> bool,
) -> bool {
    touches.clone().any(|one| !one.is_mate(now))
        && touches.clone().any(|one| one.is_mate(now) && counts(one))
}

/// What is remembered of a granule of memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Touches {
    write: Option<Touch>,
    reads: TouchSet,
    atomics: TouchSet,
}

impl Touches {
    /// Whether any thread wrote it.
    pub(crate) fn is_written(&self) -> bool {
        self.write.is_some() || !self.atomics.as_slice().is_empty()
    }

    /// Remembers `now`, and returns an earlier access that it races with.
    pub(crate) fn touch(&mut self, now: Touch, order: &impl Order) -> Option<Touch> {
        let is_unordered = |touch: &&Touch| !order.is_before(touch);
        let unordered = |touches: &[Touch]| touches.iter().find(is_unordered).copied();
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
                *self = Touches {
                    write: Some(now),
                    ..Touches::default()
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
