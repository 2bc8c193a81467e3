//! Asynchronous copies into shared memory: under way until the thread that began them waits.

use crate::finding::{Access, Site};

/// One copy that nobody has waited for.
#[derive(Clone, Copy)]
pub(crate) struct Copy {
    /// Rank of the thread that began it.
    pub(crate) rank: u32,
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) bytes: usize,
    pub(crate) site: Site,
}

/// Those of the block at hand.
#[derive(Default)]
pub(crate) struct Copies {
    under_way: Vec<Copy>,
}

fn overlap(a: usize, a_bytes: usize, b: usize, b_bytes: usize) -> bool {
    a < b.saturating_add(b_bytes) && b < a.saturating_add(a_bytes)
}

impl Copies {
    pub(crate) fn clear(&mut self) {
        self.under_way.clear();
    }

    pub(crate) fn begin(&mut self, copy: Copy) {
        self.under_way.push(copy);
    }

    /// The copies that the thread began: it waits for them.
    pub(crate) fn finish(&mut self, rank: u32) -> Vec<Copy> {
        let (done, left) = self.under_way.drain(..).partition(|copy| copy.rank == rank);
        self.under_way = left;
        done
    }

    /// A copy that an access interferes with: one that writes there, or one that reads where the access writes.
    pub(crate) fn disturbed_by(
        &self,
        access: Access,
        address: usize,
        bytes: usize,
    ) -> Option<Copy> {
        let disturbs = |copy: &&Copy| {
            overlap(copy.to, copy.bytes, address, bytes)
                || access != Access::Read && overlap(copy.from, copy.bytes, address, bytes)
        };
        self.under_way.iter().find(disturbs).copied()
    }
}
