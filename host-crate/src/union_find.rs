//! Sets that are joined: union-find, in one place for meshes, graphs and the runs of a solid.

use crate::memory::{self, OutOfMemory};
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};

/// A number of a member.
pub(crate) trait Member: Copy + Ord {
    /// A place for a number that several threads read and change.
    type Shared: Send + Sync;

    /// The number, if the type can hold it.
    fn numbered(number: usize) -> Option<Self>;

    /// As an index.
    fn number(self) -> usize;

    /// In a place that threads share.
    fn shared(self) -> Self::Shared;

    /// What is in a place now.
    fn at(place: &Self::Shared) -> Self;

    /// Puts this number into a place.
    fn put(self, place: &Self::Shared);

    /// Puts `new` into the place if this number is there; false if it is not.
    fn replace(self, place: &Self::Shared, new: Self) -> bool;
}

macro_rules! members {
    ($($member:ty: $shared:ty),*) => {$(
        impl Member for $member {
            type Shared = $shared;

            fn numbered(number: usize) -> Option<Self> {
                Self::try_from(number).ok()
            }

            fn number(self) -> usize {
                self as usize
            }

            fn shared(self) -> $shared {
                <$shared>::new(self)
            }

            fn at(place: &$shared) -> Self {
                place.load(Relaxed)
            }

            fn put(self, place: &$shared) {
                place.store(self, Relaxed);
            }

            fn replace(self, place: &$shared, new: Self) -> bool {
                place.compare_exchange(self, new, Relaxed, Relaxed).is_ok()
            }
        }
    )*};
}

members!(u32: AtomicU32, u64: AtomicU64, usize: AtomicUsize);

/// Disjoint sets of numbers from 0 on, each known by its smallest member.
///
/// The smallest member is the root instead of that of the larger set: labels can then be given in
/// one pass in ascending order, and members that are joined in about ascending order, as those of
/// meshes and grids are, make short chains without ranks. Paths are halved at each look.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnionFind<M = usize> {
    parents: Vec<M>,
}

impl<M: Member> UnionFind<M> {
    /// `count` sets of one member, or as many as the type can number; an error where there is no
    /// memory.
    pub fn try_new(count: usize) -> Result<Self, OutOfMemory> {
        let mut parents = Vec::new();
        memory::try_reserve("sets that are joined", &mut parents, count)?;
        parents.extend((0..count).map_while(M::numbered));
        Ok(Self { parents })
    }

    /// The same again, in the same memory.
    pub fn reset(&mut self, count: usize) {
        self.parents.clear();
        self.parents.extend((0..count).map_while(M::numbered));
    }

    /// The smallest member of a member's set.
    pub fn root(&mut self, mut member: M) -> M {
        loop {
            let parent = self.parents[member.number()];
            if parent == member {
                return member;
            }
            let grandparent = self.parents[parent.number()];
            self.parents[member.number()] = grandparent;
            member = grandparent;
        }
    }

    /// Joins the sets of two members; false if they were one.
    pub fn join(&mut self, a: M, b: M) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        self.parents[a.max(b).number()] = a.min(b);
        a != b
    }
}

/// As [`UnionFind`], for several threads at a time.
///
/// A parent's number is smaller than its child's, always, and a member that has a parent never is a
/// root again. So two roots are joined by one exchange of the larger one's parent, which fails if
/// another thread was before it, and no lock is needed (Anderson and Woll 1991). Whatever the
/// threads' order, as many joins give true as there are sets fewer. Which parent a look at a path
/// leaves behind may differ; it is an ancestor in each case.
pub(crate) struct SharedUnionFind<M: Member> {
    parents: Vec<M::Shared>,
}

impl<M: Member> SharedUnionFind<M> {
    /// `count` sets of one member, or as many as the type can number; an error where there is no
    /// memory.
    pub fn try_new(count: usize) -> Result<Self, OutOfMemory> {
        let mut parents = Vec::new();
        memory::try_reserve("sets that are joined", &mut parents, count)?;
        parents.extend((0..count).map_while(|member| M::numbered(member).map(M::shared)));
        Ok(Self { parents })
    }

    /// The smallest member of a member's set, as far as it is known now.
    fn root(&self, mut member: M) -> M {
        loop {
            let place = &self.parents[member.number()];
            let parent = M::at(place);
            if parent == member {
                return member;
            }
            let grandparent = M::at(&self.parents[parent.number()]);
            if grandparent != parent {
                grandparent.put(place);
            }
            member = grandparent;
        }
    }

    /// Joins the sets of two members; false if they were one.
    pub fn join(&self, mut a: M, mut b: M) -> bool {
        loop {
            (a, b) = (self.root(a), self.root(b));
            if a == b {
                return false;
            }
            let larger = a.max(b);
            if larger.replace(&self.parents[larger.number()], a.min(b)) {
                return true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Against labels that are replaced one by one.
        #[test]
        fn sets_are_those_of_labels(joins in prop::collection::vec((0u32..40, 0u32..40), 0..60)) {
            let mut sets = UnionFind::try_new(40).unwrap();
            let shared = SharedUnionFind::try_new(40).unwrap();
            let mut labels: Vec<u32> = (0..40).collect();
            for (a, b) in joins {
                let [of_a, of_b] = [a, b].map(|member| labels[member as usize]);
                prop_assert_eq!(sets.join(a, b), of_a != of_b);
                prop_assert_eq!(shared.join(a, b), of_a != of_b);
                for label in &mut labels {
                    if *label == of_a.max(of_b) {
                        *label = of_a.min(of_b);
                    }
                }
            }
            for member in 0..40 {
                prop_assert_eq!(sets.root(member), labels[member as usize]);
                prop_assert_eq!(shared.root(member), labels[member as usize]);
            }
        }

        /// Several threads that join the same pairs, each from another one on: as many joins as
        /// there are sets fewer.
        #[test]
        fn threads_join_what_one_does(joins in prop::collection::vec((0u32..2000, 0u32..2000), 1000..3000)) {
            let mut sets = UnionFind::try_new(2000).unwrap();
            let expected = joins.iter().filter(|&&(a, b)| sets.join(a, b)).count();
            let shared = SharedUnionFind::try_new(2000).unwrap();
            let count = |thread: usize| {
                let (late, soon) = joins.split_at(thread * joins.len() / 4);
                soon.iter().chain(late).filter(|&&(a, b)| shared.join(a, b)).count()
            };
            let counted: usize = std::thread::scope(|scope| {
                let threads = [0, 1, 2, 3].map(|thread| scope.spawn(move || count(thread)));
                threads.map(|thread| thread.join().unwrap()).into_iter().sum()
            });
            prop_assert_eq!(counted, expected);
            for member in 0..2000 {
                prop_assert_eq!(shared.root(member), sets.root(member));
            }
        }
    }
}
