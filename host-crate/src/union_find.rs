//! Sets that are joined: union-find, in one place for meshes, graphs and the runs of a solid.

use crate::memory::{self, OutOfMemory};

/// A number of a member.
pub(crate) trait Member: Copy + Ord {
    /// The number, if the type can hold it.
    fn numbered(number: usize) -> Option<Self>;

    /// As an index.
    fn number(self) -> usize;
}

impl Member for u32 {
    fn numbered(number: usize) -> Option<Self> {
        Self::try_from(number).ok()
    }

    fn number(self) -> usize {
        self as usize
    }
}

impl Member for u64 {
    fn numbered(number: usize) -> Option<Self> {
        Self::try_from(number).ok()
    }

    fn number(self) -> usize {
        self as usize
    }
}

impl Member for usize {
    fn numbered(number: usize) -> Option<Self> {
        Some(number)
    }

    fn number(self) -> usize {
        self
    }
}

/// Disjoint sets of numbers from 0 on, each known by its smallest member.
///
/// The smallest member is the root instead of that of the larger set: labels can then be given in one pass in ascending order, and members that are
/// joined in about ascending order, as those of meshes and grids are, make short chains without ranks. Paths are halved at each look.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnionFind<M = usize> {
    parents: Vec<M>,
}

impl<M: Member> UnionFind<M> {
    /// `count` sets of one member, or as many as the type can number; an error where there is no memory.
    pub fn try_new(count: usize) -> Result<Self, OutOfMemory> {
        let mut parents = Vec::new();
        memory::reserve("sets that are joined", &mut parents, count)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Against labels that are replaced one by one.
        #[test]
        fn sets_are_those_of_labels(joins in prop::collection::vec((0u32..40, 0u32..40), 0..60)) {
            let mut sets = UnionFind::try_new(40).unwrap();
            let mut labels: Vec<u32> = (0..40).collect();
            for (a, b) in joins {
                let [of_a, of_b] = [a, b].map(|member| labels[member as usize]);
                prop_assert_eq!(sets.join(a, b), of_a != of_b);
                for label in &mut labels {
                    if *label == of_a.max(of_b) {
                        *label = of_a.min(of_b);
                    }
                }
            }
            for member in 0..40 {
                prop_assert_eq!(sets.root(member), labels[member as usize]);
            }
        }
    }
}
