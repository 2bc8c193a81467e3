//! What is remembered of one piece of memory: the accesses that a later one can still race with.
//!
//! This is the scheme of FastTrack (Flanagan and Freund, 2009): of writes the last is enough, and of reads those that
//! no later read is ordered after.

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
    /// Threads of one domain may be ordered without a barrier; those of two never are.
    fn domain(&self) -> (u32, u16) {
        (self.block, self.thread / 32)
    }
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

    /// Adds an access, and forgets those it is ordered after: who is ordered after it is ordered after them.
    ///
    /// Two domains are enough: a later access is foreign to at least one of them, so adding a third can find no more.
    /// That keeps the set small where every thread of a grid reads the same element.
    fn insert(&mut self, now: Touch, ordered: impl Fn(&Touch) -> bool) {
        match self {
            TouchSet::Empty => *self = TouchSet::One(now),
            TouchSet::One(touch) if ordered(touch) => *touch = now,
            TouchSet::One(touch) => *self = TouchSet::Many(vec![*touch, now]),
            TouchSet::Many(touches) => {
                touches.retain(|touch| !ordered(touch));
                let foreign = |touch: &Touch| touch.domain() != touches[0].domain();
                if !touches.iter().any(foreign) {
                    touches.push(now);
                }
            }
        }
    }
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

    /// Remembers `now`, and returns an earlier access that it races with. `ordered` says whether an earlier access
    /// happens before it.
    pub(crate) fn touch(&mut self, now: Touch, ordered: impl Fn(&Touch) -> bool) -> Option<Touch> {
        let unordered = |touches: &[Touch]| touches.iter().find(|touch| !ordered(touch)).copied();
        let write = unordered(self.write.as_slice());
        match now.access {
            Access::Read => {
                let race = write.or_else(|| unordered(self.atomics.as_slice()));
                self.reads.insert(now, ordered);
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
                self.atomics.insert(now, ordered);
                race
            }
        }
    }
}
