//! How many bits there are, and bits by their indices.

use super::bits::BitRows;
use crate::{arith::div_rem, block, rows::Items};
use cuda_std::{View, ViewMut, kernel, thread};

/// Adds to `count[0]` how many bits are 1.
///
/// A thread takes single words; a block adds up in shared memory, and adds to the count once. Each
/// word is read once.
///
/// # Safety
/// `words` hold `items.count` elements, `count` one.
#[kernel]
pub unsafe fn count_bits(words: View<u32>, items: Items, count: ViewMut<u64>) {
    let mut ones = 0u64;
    items.for_each(|word| ones += words.read(word).count_ones() as u64);
    let total = block::exclusive_sum(ones).total;
    if thread::thread_idx_x() == 0 && total > 0 {
        count.atomic_add(0, total);
    }
}

/// Makes the bits of voxels 1 that are given by their linear indices, x fastest.
///
/// A thread takes single indices: it reads one, and writes one bit. Nothing is shared in the block.
///
/// # Safety
/// `indices` hold `items.count` elements, all less than `bits.grid.samples()`; `words` hold
/// `bits.words()`.
#[kernel]
pub unsafe fn set_bits(indices: View<u64>, bits: BitRows, items: Items, words: ViewMut<u32>) {
    items.for_each(|number| {
        let (row, x) = div_rem(indices.read(number), bits.grid.nx as u64);
        let word = row * bits.per_row as u64 + (x >> 5);
        words.atomic_or(word as usize, 1 << (x & 31));
    });
}
