//! Radix heap: a monotone priority queue of voxels (Ahuja, Mehlhorn, Orlin and Tarjan 1990).
//!
//! An entry is stored in the bucket of the highest bit in which its key differs from the last
//! removed key. Whenever an entry moves, it moves to a lower bucket.

use crate::memory::ExtendOrUnwind;

/// Monotone priority queue. The order of entries with equal keys is determined by the sequence of
/// calls.
pub struct RadixHeap {
    buckets: [Vec<(u64, u32)>; 65],
    /// Key of the most recently removed entry.
    last: u64,
}

impl Default for RadixHeap {
    fn default() -> Self {
        Self {
            buckets: [const { Vec::new() }; 65],
            last: 0,
        }
    }
}

impl RadixHeap {
    /// Adds an entry, whose key must not be less than the last removed key.
    #[inline(always)]
    pub fn push(&mut self, key: u64, value: u32) {
        debug_assert!(key >= self.last);
        let bucket = 64 - (key ^ self.last).leading_zeros();
        self.buckets[bucket as usize].push_or_unwind((key, value));
    }

    /// Removes all entries and allows any key again; keeps the allocations.
    pub fn clear(&mut self) {
        self.buckets.iter_mut().for_each(Vec::clear);
        self.last = 0;
    }

    /// Removes an entry with the smallest key.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<(u64, u32)> {
        if self.buckets[0].is_empty() {
            let first = self.buckets.iter().position(|bucket| !bucket.is_empty())?;
            let mut entries = std::mem::take(&mut self.buckets[first]);
            self.last = entries.iter().map(|&(key, _)| key).min()?;
            for &(key, value) in &entries {
                self.push(key, value);
            }
            // keeps the allocation
            entries.clear();
            self.buckets[first] = entries;
        }
        self.buckets[0].pop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_returned_in_ascending_order() {
        let mut heap = RadixHeap::default();
        let mut state = 5u64;
        let mut random = move |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 20) % below
        };
        for value in 0..50 {
            heap.push(random(1000), value);
        }
        let (mut last, mut count) = (0, 0);
        while let Some((key, value)) = heap.pop() {
            assert!(key >= last);
            (last, count) = (key, count + 1);
            if value < 2000 {
                heap.push(last + random(1 << (value % 40)), value + 50);
            }
        }
        assert_eq!(count, 50 * 40 + 50);
    }
}
