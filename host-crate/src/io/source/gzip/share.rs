//! Threads of all decoders.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Decoders that use several threads at present.
pub(super) struct Decoders {
    count: AtomicUsize,
}

impl Decoders {
    pub const fn new() -> Self {
        Self {
            count: AtomicUsize::new(0),
        }
    }

    /// Adds a decoder, unless fewer than `min` of `limit` threads would remain for each.
    pub fn add(&self, limit: usize, min: usize) -> Option<Share<'_>> {
        let add = |count| (limit / (count + 1) >= min).then_some(count + 1);
        self.count.fetch_update(Relaxed, Relaxed, add).ok()?;
        Some(Share {
            decoders: self,
            limit,
        })
    }
}

/// Part of the threads that one decoder uses.
pub(super) struct Share<'a> {
    decoders: &'a Decoders,
    limit: usize,
}

impl Share<'_> {
    /// Returns the current number of threads: fewer while there are more decoders.
    pub fn threads(&self) -> usize {
        (self.limit / self.decoders.count.load(Relaxed)).max(1)
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        self.decoders.count.fetch_sub(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decoders_share_the_threads() {
        let decoders = Decoders::new();
        let first = decoders.add(8, 3).unwrap();
        assert_eq!(first.threads(), 8);
        let second = decoders.add(9, 3).unwrap();
        assert_eq!((first.threads(), second.threads()), (4, 4));
        assert!(decoders.add(8, 3).is_none());
        drop(first);
        assert_eq!(second.threads(), 9);
        assert!(decoders.add(2, 3).is_none());
    }
}
