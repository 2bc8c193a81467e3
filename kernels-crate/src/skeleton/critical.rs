//! Detection of grid cells that may contain a critical point (a zero of the force field).

use super::field::{FORCE_COMPONENTS, MaskRanks};
use crate::{distance::sites::BitRows, rows::Items};
use cuda_std::{View, ViewMut, kernel};

/// Relative tolerance for the sign test: a force component smaller than this fraction of the
/// largest force at the cell's corners counts as both positive and negative.
const NO_SIGN: f32 = 1e-9;

/// Marks the cells that may contain a critical point. The cell between voxels (x, y, z) and (x + 1,
/// y + 1, z + 1) is stored at bit (x, y, z).
///
/// A cell is marked if the force is known at all eight corners and no component has the same strict
/// sign at all of them.
///
/// **Mapping:** one word of 32 cells per thread. **Memory:** reads two words in each of four rows,
/// and four floats per corner of each cell with forces; writes one word; no shared memory.
///
/// # Safety
/// `words`, `before` and `cells` must hold `bits.words()` elements, which must equal `items.count`:
/// the mask of voxels with a force, the number of mask voxels before each word, and the output.
/// `forces` must hold four elements per mask voxel.
#[kernel(baseline)]
pub unsafe fn mark_critical_cells(
    words: View<u32>,
    before: View<u64>,
    forces: View<f32>,
    bits: BitRows,
    items: Items,
    cells: ViewMut<u32>,
) {
    let ranks = MaskRanks {
        words,
        before,
        bits,
    };
    items.for_each(|item| {
        cells.write(
            item,
            cells_with_possible_zero(&ranks, forces, item, |_| 0.0),
        );
    });
}

/// Returns the cells of a word that may contain a zero of the force, assuming each corner's force
/// is accurate to `error(corner)`.
#[cuda_std::inline_closures]
#[inline(always)]
pub(super) fn cells_with_possible_zero(
    ranks: &MaskRanks<'_>,
    forces: View<f32>,
    item: usize,
    error: impl Fn([u32; 3]) -> f32,
) -> u32 {
    let [in_row, y, z] = ranks.bits.word_position(item as u64);
    let mut left = cells_with_force(ranks.words, ranks.bits, item, [in_row, y, z]);
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

/// Returns the cells of a word whose eight corners all have a force.
#[inline(always)]
fn cells_with_force(words: View<u32>, bits: BitRows, item: usize, [in_row, y, z]: [u32; 3]) -> u32 {
    if y + 1 >= bits.grid.ny || z + 1 >= bits.grid.nz {
        return 0;
    }
    let row = bits.per_row as usize;
    let plane = bits.per_plane() as usize;
    let mut corners = u32::MAX;
    let mut k = 0;
    while k < 4 && corners != 0 {
        let at = item + (k & 1) * row + (k >> 1) * plane;
        let here = words.read(at);
        let next = if in_row + 1 < bits.per_row {
            words.read(at + 1)
        } else {
            0
        };
        corners &= here & (here >> 1 | next << 31);
        k += 1;
    }
    corners
}

/// Returns `true` if each component of the force takes both signs over the cell's corners, given
/// errors of up to `error(corner)`.
#[cuda_std::inline_closures]
#[inline(always)]
fn may_vanish(
    ranks: &MaskRanks<'_>,
    forces: View<f32>,
    [x, y, z]: [u32; 3],
    error: impl Fn([u32; 3]) -> f32,
) -> bool {
    let (mut min, mut max) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    let mut largest = 0.0;
    let mut corner = 0;
    while corner < 8 {
        let at = [x + (corner & 1), y + (corner >> 1 & 1), z + (corner >> 2)];
        if let Some(target) = ranks.rank(at) {
            let error = error(at);
            let first = FORCE_COMPONENTS * target as usize;
            let magnitude = forces.read(first + 3);
            largest = if magnitude > largest {
                magnitude
            } else {
                largest
            };
            let mut axis = 0;
            while axis < 3 {
                let component = magnitude * forces.read(first + axis);
                if component - error < min[axis] {
                    min[axis] = component - error;
                }
                if component + error > max[axis] {
                    max[axis] = component + error;
                }
                axis += 1;
            }
        }
        corner += 1;
    }
    let tolerance = NO_SIGN * largest;
    let includes_zero = |axis: usize| min[axis] <= tolerance && max[axis] >= -tolerance;
    includes_zero(0) && includes_zero(1) && includes_zero(2)
}
