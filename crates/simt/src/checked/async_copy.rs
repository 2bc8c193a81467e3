//! Asynchronous copies into shared memory, which are pending until the thread that began them
//! waits.

use crate::finding::{Access, Site};
use std::collections::HashMap;

/// Granularity of the bookkeeping, in bytes: copies consist of whole words.
const WORD_BYTES: usize = 4;

/// A copy for which its thread has not waited yet.
#[derive(Clone, Copy)]
pub(crate) struct AsyncCopy {
    /// Rank of the thread that began the copy.
    pub(crate) rank: u32,
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) bytes: usize,
    pub(crate) site: Site,
}

/// Pending copies of the current block.
#[derive(Default)]
pub(crate) struct PendingCopies {
    by_thread: HashMap<u32, Vec<AsyncCopy>>,
    /// Pending copies by the words that they write.
    writing: HashMap<usize, AsyncCopy>,
    /// Pending copies by the words that they read; of several copies that read one word, the most
    /// recent.
    reading: HashMap<usize, AsyncCopy>,
}

/// Returns the indices of the words that contain these bytes.
fn words(address: usize, bytes: usize) -> std::ops::RangeInclusive<usize> {
    let last = address.saturating_add(bytes.max(1) - 1);
    address / WORD_BYTES..=last / WORD_BYTES
}

impl PendingCopies {
    pub(crate) fn clear(&mut self) {
        self.by_thread.clear();
        self.writing.clear();
        self.reading.clear();
    }

    pub(crate) fn begin(&mut self, copy: AsyncCopy) {
        self.by_thread.entry(copy.rank).or_default().push(copy);
        let with_copy = |word| (word, copy);
        self.writing
            .extend(words(copy.to, copy.bytes).map(with_copy));
        self.reading
            .extend(words(copy.from, copy.bytes).map(with_copy));
    }

    /// Removes and returns the pending copies of a thread, which waits for them.
    pub(crate) fn finish(&mut self, rank: u32) -> Vec<AsyncCopy> {
        let done = self.by_thread.remove(&rank).unwrap_or_default();
        for copy in &done {
            for (copies_by_word, address) in
                [(&mut self.writing, copy.to), (&mut self.reading, copy.from)]
            {
                for word in words(address, copy.bytes) {
                    if copies_by_word
                        .get(&word)
                        .is_some_and(|last| last.rank == rank)
                    {
                        copies_by_word.remove(&word);
                    }
                }
            }
        }
        done
    }

    /// Returns a pending copy that conflicts with an access: one that writes the accessed memory,
    /// or one that reads memory that the access writes.
    pub(crate) fn conflicting_copy(
        &self,
        access: Access,
        address: usize,
        bytes: usize,
    ) -> Option<AsyncCopy> {
        if self.by_thread.is_empty() {
            return None;
        }
        words(address, bytes).find_map(|word| {
            let read = (access != Access::Read).then(|| self.reading.get(&word));
            self.writing.get(&word).or(read.flatten()).copied()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::Location;

    #[test]
    fn a_copy_conflicts_until_its_thread_waits() {
        let mut async_copy = PendingCopies::default();
        for rank in [3, 4] {
            async_copy.begin(AsyncCopy {
                rank,
                from: 1000 + 8 * rank as usize,
                to: 64 + 8 * rank as usize,
                bytes: 8,
                site: Location::caller(),
            });
        }
        let by = |async_copy: &PendingCopies, access, address, bytes| {
            let copy = async_copy.conflicting_copy(access, address, bytes);
            copy.map(|copy| copy.rank)
        };
        assert_eq!(by(&async_copy, Access::Read, 88, 4), Some(3));
        assert_eq!(by(&async_copy, Access::Read, 80, 12), Some(3));
        assert_eq!(by(&async_copy, Access::Read, 80, 8), None);
        assert_eq!(by(&async_copy, Access::Read, 1024, 4), None);
        assert_eq!(by(&async_copy, Access::Write, 1032, 4), Some(4));
        assert_eq!(async_copy.finish(3).len(), 1);
        assert_eq!(by(&async_copy, Access::Write, 88, 4), None);
        assert_eq!(by(&async_copy, Access::Read, 96, 1), Some(4));
        assert_eq!(
            (async_copy.finish(3).len(), async_copy.finish(4).len()),
            (0, 1)
        );
        assert_eq!(by(&async_copy, Access::Write, 0, 2000), None);
    }
}
