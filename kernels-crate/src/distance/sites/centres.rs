//! Conversion of mask voxels to points.

use super::bits::{BitRows, TILE};
use crate::block;
use cuda_std::{View, ViewMut, kernel, thread};

/// Calls `visit` with every tile of the calling block: tile index, index of its first word, and its
/// number of words.
#[inline(always)]
fn for_each_tile(bits: BitRows, mut visit: impl FnMut(u64, u64, u32)) {
    let mut tile = thread::block_idx_x() as u64;
    while tile < bits.tiles() {
        let first = tile * TILE as u64;
        let remaining = bits.words() - first;
        let words = if remaining < TILE as u64 {
            remaining as u32
        } else {
            TILE
        };
        visit(tile, first, words);
        tile += thread::grid_dim_x() as u64;
    }
}

/// Counts the set bits of each tile of [`TILE`] words.
///
/// **Mapping:** one tile per block, one word per thread, followed by a block-wide sum. **Global
/// memory:** reads every word once and writes one count per tile.
///
/// # Safety
/// `words` holds `bits.words()` elements, `counts` holds `bits.tiles()`.
#[kernel]
pub unsafe fn count_tiles(words: View<u32>, bits: BitRows, counts: ViewMut<u64>) {
    for_each_tile(bits, |tile, first, len| {
        let mut ones = 0u64;
        let mut word = thread::thread_idx_x();
        while word < len {
            ones += words.read(first as usize + word as usize).count_ones() as u64;
            word += thread::block_dim_x();
        }
        let total = block::exclusive_sum(ones).total;
        if thread::thread_idx_x() == 0 {
            counts.write(tile as usize, total);
        }
    });
}

/// Writes the centres of all voxels whose bit is set, in voxel order.
///
/// **Mapping:** one tile per block, one word per thread. Output offsets come from `offsets` (the
/// number of points before each tile) and a block-wide exclusive sum. **Global memory:** reads
/// every word once and writes three coordinates per point.
///
/// # Safety
/// `words` holds `bits.words()` elements; `offsets` begins with the exclusive sums of the counts
/// written by [`count_tiles`]; `coordinates` holds three elements per set bit.
#[kernel]
pub unsafe fn emit_centres(
    words: View<u32>,
    bits: BitRows,
    offsets: View<u64>,
    coordinates: ViewMut<f32>,
) {
    for_each_tile(bits, |tile, first, len| {
        let mut before = offsets.read(tile as usize);
        let mut start = 0;
        while start < len {
            let word = start + thread::thread_idx_x();
            let mut left = 0;
            if word < len {
                left = words.read(first as usize + word as usize);
            }
            let sum = block::exclusive_sum(left.count_ones() as u64);
            if left != 0 {
                let [in_row, y, z] = bits.word_position(first + word as u64);
                let mut at = (before + sum.before) as usize * 3;
                while left != 0 {
                    let x = in_row * 32 + left.trailing_zeros();
                    coordinates.write(at, x as f32);
                    coordinates.write(at + 1, y as f32);
                    coordinates.write(at + 2, z as f32);
                    at += 3;
                    left &= left - 1;
                }
            }
            before += sum.total;
            start += thread::block_dim_x();
        }
    });
}
