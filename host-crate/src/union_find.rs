//! Disjoint-set forests (union-find) for meshes, graphs and runs of voxels.

use crate::memory::{self, OutOfMemory};
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};

/// Integer type that identifies the members of disjoint sets.
pub(crate) trait Member: Copy + Ord {
    /// Atomic cell of the type.
    type Shared: Send + Sync;

    /// Converts an index, or returns `None` if the type cannot represent it.
    fn from_index(number: usize) -> Option<Self>;

    /// Returns the member as an index.
    fn index(self) -> usize;

    /// Creates an atomic cell with this value.
    fn into_shared(self) -> Self::Shared;

    /// Loads the value of a cell.
    fn load(cell: &Self::Shared) -> Self;

    /// Stores this value in a cell.
    fn store(self, cell: &Self::Shared);

    /// Stores `new` in a cell if its value is `self`, and returns `true` if it was.
    fn compare_exchange(self, cell: &Self::Shared, new: Self) -> bool;
}

macro_rules! members {
    ($($member:ty: $shared:ty),*) => {$(
        impl Member for $member {
            type Shared = $shared;

            fn from_index(number: usize) -> Option<Self> {
                Self::try_from(number).ok()
            }

            fn index(self) -> usize {
                self as usize
            }

            fn into_shared(self) -> $shared {
                <$shared>::new(self)
            }

            fn load(cell: &$shared) -> Self {
                cell.load(Relaxed)
            }

            fn store(self, cell: &$shared) {
                cell.store(self, Relaxed);
            }

            fn compare_exchange(self, cell: &$shared, new: Self) -> bool {
                cell.compare_exchange(self, new, Relaxed, Relaxed).is_ok()
            }
        }
    )*};
}

members!(u32: AtomicU32, u64: AtomicU64, usize: AtomicUsize);

/// Disjoint sets of consecutive integers from 0, each represented by its smallest member.
///
/// The smallest member is the root, instead of the root of the larger set, so that labels can be
/// assigned in ascending order in one pass. Members that are joined in roughly ascending order, as
/// in meshes and grids, form short chains without ranks. Queries halve the paths.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnionFind<M = usize> {
    parents: Vec<M>,
}

impl<M: Member> UnionFind<M> {
    /// Creates `count` sets of one member, or as many as the type can represent.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn try_new(count: usize) -> Result<Self, OutOfMemory> {
        let mut parents = Vec::new();
        memory::try_reserve("sets that are joined", &mut parents, count)?;
        parents.extend((0..count).map_while(M::from_index));
        Ok(Self { parents })
    }

    /// Resets to `count` sets of one member, reusing the allocation.
    pub fn reset(&mut self, count: usize) {
        self.parents.clear();
        self.parents.extend((0..count).map_while(M::from_index));
    }

    /// Returns the smallest member of a member's set.
    pub fn root(&mut self, mut member: M) -> M {
        loop {
            let parent = self.parents[member.index()];
            if parent == member {
                return member;
            }
            let grandparent = self.parents[parent.index()];
            self.parents[member.index()] = grandparent;
            member = grandparent;
        }
    }

    /// Joins the sets of two members, and returns `true` if they were different.
    pub fn join(&mut self, a: M, b: M) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        self.parents[a.max(b).index()] = a.min(b);
        a != b
    }
}

/// Lock-free [`UnionFind`] for concurrent use (Anderson and Woll 1991).
///
/// A parent is always smaller than its child, and a member with a parent never becomes a root
/// again. Two roots are therefore joined by one compare-exchange of the larger one's parent, which
/// fails if another thread changed it first. The number of joins that return `true` does not depend
/// on the order of the threads. The parents that path halving stores can differ between runs, but
/// are always ancestors.
pub(crate) struct SharedUnionFind<M: Member> {
    parents: Vec<M::Shared>,
}

impl<M: Member> SharedUnionFind<M> {
    /// Creates `count` sets of one member, or as many as the type can represent.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn try_new(count: usize) -> Result<Self, OutOfMemory> {
        let mut parents = Vec::new();
        memory::try_reserve("sets that are joined", &mut parents, count)?;
        parents.extend((0..count).map_while(|member| M::from_index(member).map(M::into_shared)));
        Ok(Self { parents })
    }

    /// Returns the smallest member of a member's set at the time of the call.
    fn root(&self, mut member: M) -> M {
        loop {
            let cell = &self.parents[member.index()];
            let parent = M::load(cell);
            if parent == member {
                return member;
            }
            let grandparent = M::load(&self.parents[parent.index()]);
            if grandparent != parent {
                grandparent.store(cell);
            }
            member = grandparent;
        }
    }

    /// Joins the sets of two members, and returns `true` if they were different.
    pub fn join(&self, mut a: M, mut b: M) -> bool {
        loop {
            (a, b) = (self.root(a), self.root(b));
            if a == b {
                return false;
            }
            let larger = a.max(b);
            if larger.compare_exchange(&self.parents[larger.index()], a.min(b)) {
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
        /// Compares with labels that are replaced one at a time.
        #[test]
        fn sets_match_relabelling(joins in prop::collection::vec((0u32..40, 0u32..40), 0..60)) {
            let mut sets = UnionFind::try_new(40).unwrap();
            let shared = SharedUnionFind::try_new(40).unwrap();
            let mut labels: Vec<u32> = (0..40).collect();
            for (a, b) in joins {
                let [label_a, label_b] = [a, b].map(|member| labels[member as usize]);
                prop_assert_eq!(sets.join(a, b), label_a != label_b);
                prop_assert_eq!(shared.join(a, b), label_a != label_b);
                for label in &mut labels {
                    if *label == label_a.max(label_b) {
                        *label = label_a.min(label_b);
                    }
                }
            }
            for member in 0..40 {
                prop_assert_eq!(sets.root(member), labels[member as usize]);
                prop_assert_eq!(shared.root(member), labels[member as usize]);
            }
        }

        /// Several threads that join the same pairs in different orders count as many successful
        /// joins as one thread.
        #[test]
        fn concurrent_joins_match_sequential_joins(joins in prop::collection::vec((0u32..2000, 0u32..2000), 1000..3000)) {
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
