//! Cells in which the force may vanish.

use super::field::{NUMBERS, Ranks};
use crate::{distance::sites::BitRows, rows::Items};
use cuda_std::{View, ViewMut, kernel};

/// A component that is less than this part of the largest force at the cell's corners may have
/// either sign.
const NO_SIGN: f32 = 1e-9;

/// Writes which cells may have a critical point, as a mask: the cell between voxels (x, y, z) and
/// (x + 1, y + 1, z + 1) is at (x, y, z).
///
/// Such a cell has a force at all eight corners, and no component of it has the same sign at all of
/// them. A thread takes the cells of a word of 32. It reads that word and the next one of four
/// rows, and four numbers for each corner of cells that have a force at all; it writes a word.
/// Nothing is shared in the block.
///
/// # Safety
/// `words`, `before` and `cells` hold `bits.words()` elements, which `items` counts: the mask of
/// the voxels with a force, how many come before each word, and the cells; `forces` hold four
/// numbers for each voxel of the mask.
#[kernel]
pub unsafe fn critical_cells(
    words: View<u32>,
    before: View<u64>,
    forces: View<f32>,
    bits: BitRows,
    items: Items,
    cells: ViewMut<u32>,
) {
    let ranks = Ranks {
        words,
        before,
        bits,
    };
    items.for_each(|item| {
        cells.write(item, vanishing(&ranks, forces, item, |_| 0.0));
    });
}

/// The cells of a word in which the force may vanish, if it may be off by `error` at each corner.
#[cuda_std::inline_closures]
#[inline(always)]
pub(super) fn vanishing(
    ranks: &Ranks<'_>,
    forces: View<f32>,
    item: usize,
    error: impl Fn([u32; 3]) -> f32,
) -> u32 {
    let [in_row, y, z] = ranks.bits.place(item as u64);
    let mut left = with_forces(ranks.words, ranks.bits, item, [in_row, y, z]);
    let mut found = 0;
    while left != 0 {
        let bit = left.trailing_zeros();
        if may_vanish(ranks, forces, [in_row * 32 + bit, y, z], &error) {
            found |= 1 << bit;
        }
        left &= left - 1;
    }
    found
}

/// The cells of a word that have a force at all eight corners.
#[inline(always)]
fn with_forces(words: View<u32>, bits: BitRows, item: usize, [in_row, y, z]: [u32; 3]) -> u32 {
    if y + 1 >= bits.grid.ny || z + 1 >= bits.grid.nz {
        return 0;
    }
    let row = bits.per_row as usize;
    let plane = bits.per_plane() as usize;
    let mut all = u32::MAX;
    let mut k = 0;
    while k < 4 && all != 0 {
        let at = item + (k & 1) * row + (k >> 1) * plane;
        let here = words.read(at);
        let next = if in_row + 1 < bits.per_row {
            words.read(at + 1)
        } else {
            0
        };
        all &= here & (here >> 1 | next << 31);
        k += 1;
    }
    all
}

/// Whether every component of the force has both signs at the corners of a cell, if it may be off
/// by `error` at each.
#[cuda_std::inline_closures]
#[inline(always)]
fn may_vanish(
    ranks: &Ranks<'_>,
    forces: View<f32>,
    [x, y, z]: [u32; 3],
    error: impl Fn([u32; 3]) -> f32,
) -> bool {
    let (mut least, mut most) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    let mut largest = 0.0;
    let mut corner = 0;
    while corner < 8 {
        let at = [x + (corner & 1), y + (corner >> 1 & 1), z + (corner >> 2)];
        if let Some(target) = ranks.of(at) {
            let error = error(at);
            let first = NUMBERS * target as usize;
            let magnitude = forces.read(first + 3);
            largest = if magnitude > largest {
                magnitude
            } else {
                largest
            };
            let mut axis = 0;
            while axis < 3 {
                let component = magnitude * forces.read(first + axis);
                if component - error < least[axis] {
                    least[axis] = component - error;
                }
                if component + error > most[axis] {
                    most[axis] = component + error;
                }
                axis += 1;
            }
        }
        corner += 1;
    }
    let none = NO_SIGN * largest;
    let both = |axis: usize| least[axis] <= none && most[axis] >= -none;
    both(0) && both(1) && both(2)
}
