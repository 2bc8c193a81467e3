//! Counting bits, and setting bits by voxel index.

use super::bits::BitRows;
use crate::{arith::div_rem, block, rows::Items};
use cuda_std::{View, ViewMut, kernel, thread};

/// Adds the number of set bits to `count[0]`.
///
/// **Mapping:** one word per thread; a block reduces its counts in shared memory and performs one
/// atomic addition. **Global memory:** reads every word once.
///
/// # Safety
/// `words` holds `items.count` elements, `count` holds one.
#[kernel]
pub unsafe fn count_bits(words: View<u32>, items: Items, count: ViewMut<u64>) {
    let mut ones = 0u64;
    items.for_each(|word| ones += words.read(word).count_ones() as u64);
    let total = block::exclusive_sum(ones).total;
    if thread::thread_idx_x() == 0 && total > 0 {
        count.atomic_add(0, total);
    }
}

/// Sets the bits of the voxels with the given linear indices (x fastest).
///
/// **Mapping:** one index per thread. **Global memory:** one read and one atomic OR per thread.
/// Shared memory is not used.
///
/// # Safety
/// `indices` holds `items.count` elements, all below `bits.grid.samples()`; `words` holds
/// `bits.words()` elements.
#[kernel]
pub unsafe fn set_bits(indices: View<u64>, bits: BitRows, items: Items, words: ViewMut<u32>) {
    items.for_each(|number| {
        let (row, x) = div_rem(indices.read(number), bits.grid.nx as u64);
        let word = row * bits.per_row as u64 + (x >> 5);
        words.atomic_or(word as usize, 1 << (x & 31));
    });
}
