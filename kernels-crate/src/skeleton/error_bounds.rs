//! Refinement of approximate forces: finds the voxels where the error bound of the fast multipole
//! method cannot rule out a critical point.

use super::{
    critical::cells_with_possible_zero,
    field::{
        FORCE_COMPONENTS, MaskRanks,
        fmm::{Lattice, brick_index},
    },
};
use crate::{distance::sites::BitRows, grid::Grid, rows::Items};
use cuda_std::{View, ViewMut, kernel};

/// Approximate forces with one error bound per brick.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorBoundParams {
    /// Grid of bricks.
    pub grid: Grid,
    /// Position of the voxels among the bricks; `lattice.bits` describes the mask of voxels with a
    /// force.
    pub lattice: Lattice,
    /// Safety factor applied to the bounds.
    pub factor: f64,
    /// Threshold for weak forces: a voxel is also uncertain if its force is at most `weak` times
    /// the bound.
    pub weak: f32,
}

/// Returns the error bound at a voxel, rounded up to `f32`.
#[inline(always)]
fn error_bound_at(bounds: View<f64>, params: ErrorBoundParams, voxel: [u32; 3]) -> f32 {
    let brick = params.lattice.containing_brick(voxel);
    // rounding up: the factor exceeds the relative error of the conversion
    (params.factor * bounds.read(brick_index(params.grid, brick))) as f32 * 1.000_001
}

/// Marks the cells that may contain a critical point if each force is off by up to its error bound.
/// The cell between voxels (x, y, z) and (x + 1, y + 1, z + 1) is stored at bit (x, y, z).
///
/// A cell is excluded only if some component of the force has the same sign at all eight corners
/// and exceeds the error bound at each of them.
///
/// **Mapping:** one word of 32 cells per thread. **Memory:** reads two words in each of four rows,
/// and four floats and a bound per corner of each cell with forces; writes one word; no shared
/// memory.
///
/// # Safety
/// `words`, `before` and `cells` must hold `params.lattice.bits.words()` elements, which must equal
/// `items.count`: the mask of voxels with a force, the number of mask voxels before each word, and
/// the output. `forces` must hold four elements per mask voxel, `bounds` one per brick.
#[kernel(baseline)]
pub unsafe fn mark_uncertain_cells(
    words: View<u32>,
    before: View<u64>,
    forces: View<f32>,
    bounds: View<f64>,
    params: ErrorBoundParams,
    items: Items,
    cells: ViewMut<u32>,
) {
    let ranks = MaskRanks {
        words,
        before,
        bits: params.lattice.bits,
    };
    items.for_each(|item| {
        let found = cells_with_possible_zero(&ranks, forces, item, |at| {
            error_bound_at(bounds, params, at)
        });
        cells.write(item, found);
    });
}

/// Marks the corners of uncertain cells, and the voxels whose force is weak compared with its error
/// bound.
///
/// **Mapping:** one word per thread. **Memory:** reads up to eight words of cells and one magnitude
/// per voxel with a force; writes one word; no shared memory.
///
/// # Safety
/// As for [`mark_uncertain_cells`], whose output is passed as `cells`; `voxels` must hold the same
/// number of words.
#[kernel(baseline)]
pub unsafe fn mark_uncertain_voxels(
    words: View<u32>,
    before: View<u64>,
    forces: View<f32>,
    bounds: View<f64>,
    cells: View<u32>,
    params: ErrorBoundParams,
    items: Items,
    voxels: ViewMut<u32>,
) {
    let bits = params.lattice.bits;
    items.for_each(|item| {
        let [in_row, y, z] = bits.word_position(item as u64);
        let all = words.read(item);
        let (row, plane) = (bits.per_row as usize, bits.per_plane() as usize);
        let mut found = 0;
        let mut k = 0;
        while k < 4 {
            // a voxel is a corner of its own cell and of the preceding one along each axis
            let (dy, dz) = (k & 1, k >> 1);
            if y >= dy && z >= dz {
                let at = item - dy as usize * row - dz as usize * plane;
                let here = cells.read(at);
                let last = if in_row > 0 {
                    cells.read(at - 1) >> 31
                } else {
                    0
                };
                found |= here | here << 1 | last;
            }
            k += 1;
        }
        let mut left = all & !found;
        let mut target = before.read(item);
        let mut counted = 0;
        while left != 0 {
            let bit = left.trailing_zeros();
            let lower = all & ((1 << bit) - 1);
            target += (lower.count_ones() - counted) as u64;
            counted = lower.count_ones();
            let magnitude = forces.read(FORCE_COMPONENTS * target as usize + 3);
            let bound = error_bound_at(bounds, params, [in_row * 32 + bit, y, z]);
            if magnitude <= params.weak * bound && bound > 0.0 {
                found |= 1 << bit;
            }
            left &= left - 1;
        }
        voxels.write(item, found & all);
    });
}

/// Overwrites the forces of the listed voxels.
///
/// **Mapping:** one listed voxel per thread. **Memory:** reads three coordinates and four floats,
/// writes four floats; no shared memory.
///
/// # Safety
/// `words` and `before` must be the mask of voxels with a force, laid out as `bits`, and the number
/// of mask voxels before each word; `forces` must hold four elements per mask voxel.
/// `voxels_to_replace` must hold three coordinates, and `replacements` four elements, for each of
/// the `items.count` listed voxels.
#[kernel(baseline)]
pub unsafe fn replace_forces(
    words: View<u32>,
    before: View<u64>,
    bits: BitRows,
    voxels_to_replace: View<f32>,
    replacements: View<f32>,
    items: Items,
    forces: ViewMut<f32>,
) {
    let ranks = MaskRanks {
        words,
        before,
        bits,
    };
    items.for_each(|item| {
        let at = [0, 1, 2].map(|axis| voxels_to_replace.read(3 * item + axis) as u32);
        if let Some(target) = ranks.rank(at) {
            let mut k = 0;
            while k < FORCE_COMPONENTS {
                let number = replacements.read(FORCE_COMPONENTS * item + k);
                forces.write(FORCE_COMPONENTS * target as usize + k, number);
                k += 1;
            }
        }
    });
}
