//! Where a bound of the error does not suffice.

use super::{
    critical::vanishing,
    field::{
        NUMBERS, Ranks,
        tree::{Lattice, brick_number},
    },
};
use crate::{distance::sites::BitRows, grid::Grid, rows::Items};
use cuda_std::{View, ViewMut, kernel};

/// Forces with a bound of their error for each brick.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Doubt {
    /// The bricks.
    pub grid: Grid,
    /// Where voxels are among them; its bits are those of the mask of the voxels with a force.
    pub lattice: Lattice,
    /// What the bounds are multiplied by.
    pub factor: f64,
    /// A voxel whose force is no more than the bound times this is in doubt too.
    pub weak: f32,
}

/// The bound at a voxel.
#[inline(always)]
fn bound_at(bounds: View<f64>, doubt: Doubt, voxel: [u32; 3]) -> f32 {
    let brick = doubt.lattice.brick_of(voxel);
    // rounded up
    (doubt.factor * bounds.read(brick_number(doubt.grid, brick))) as f32 * 1.000_001
}

/// Writes which cells may have a critical point if each force is off by its bound, as a mask: the
/// cell between voxels (x, y, z) and (x + 1, y + 1, z + 1) is at (x, y, z).
///
/// A cell is left out only if a component of the force has the same sign at all eight corners, and
/// is farther from 0 than the bound there. A thread takes the cells of a word of 32. It reads that
/// word and the next one of four rows, and four numbers and a bound for each corner of cells that
/// have a force at all; it writes a word. Nothing is shared in the block.
///
/// # Safety
/// `words`, `before` and `cells` hold `doubt.lattice.bits.words()` elements, which `items` counts:
/// the mask of the voxels with a force, how many come before each word, and the cells; `forces`
/// hold four numbers for each voxel of the mask, `bounds` one for each brick.
#[kernel]
pub unsafe fn doubtful_cells(
    words: View<u32>,
    before: View<u64>,
    forces: View<f32>,
    bounds: View<f64>,
    doubt: Doubt,
    items: Items,
    cells: ViewMut<u32>,
) {
    let ranks = Ranks {
        words,
        before,
        bits: doubt.lattice.bits,
    };
    items.for_each(|item| {
        let found = vanishing(&ranks, forces, item, |at| bound_at(bounds, doubt, at));
        cells.write(item, found);
    });
}

/// Writes which voxels are corners of such cells, or have a force that is weak beside the bound, as
/// a mask.
///
/// A thread takes single words: it reads up to eight words of cells, and a magnitude for each voxel
/// with a force; it writes a word. Nothing is shared in the block.
///
/// # Safety
/// As [`doubtful_cells`], whose cells are read; `voxels` hold as many words.
#[kernel]
pub unsafe fn doubtful_voxels(
    words: View<u32>,
    before: View<u64>,
    forces: View<f32>,
    bounds: View<f64>,
    cells: View<u32>,
    doubt: Doubt,
    items: Items,
    voxels: ViewMut<u32>,
) {
    let bits = doubt.lattice.bits;
    items.for_each(|item| {
        let [in_row, y, z] = bits.place(item as u64);
        let all = words.read(item);
        let (row, plane) = (bits.per_row as usize, bits.per_plane() as usize);
        let mut found = 0;
        let mut k = 0;
        while k < 4 {
            // a voxel is a corner of its own cell and of those before it along each axis
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
        let mut seen = 0;
        while left != 0 {
            let bit = left.trailing_zeros();
            let lower = all & ((1 << bit) - 1);
            target += (lower.count_ones() - seen) as u64;
            seen = lower.count_ones();
            let magnitude = forces.read(NUMBERS * target as usize + 3);
            let bound = bound_at(bounds, doubt, [in_row * 32 + bit, y, z]);
            if magnitude <= doubt.weak * bound && bound > 0.0 {
                found |= 1 << bit;
            }
            left &= left - 1;
        }
        voxels.write(item, found & all);
    });
}

/// Replaces the forces of some voxels.
///
/// A thread takes single voxels: it reads three coordinates and four numbers, and writes four.
/// Nothing is shared in the block.
///
/// # Safety
/// `words` and `before` are the mask of the voxels with a force, of `bits`, and how many come
/// before each word, `forces` hold four numbers for each of them. `places` hold three coordinates
/// for each voxel to be replaced, which `items` counts, `better` four numbers.
#[kernel]
pub unsafe fn replace_forces(
    words: View<u32>,
    before: View<u64>,
    bits: BitRows,
    places: View<f32>,
    better: View<f32>,
    items: Items,
    forces: ViewMut<f32>,
) {
    let ranks = Ranks {
        words,
        before,
        bits,
    };
    items.for_each(|item| {
        let at = [0, 1, 2].map(|axis| places.read(3 * item + axis) as u32);
        if let Some(target) = ranks.of(at) {
            let mut k = 0;
            while k < NUMBERS {
                let number = better.read(NUMBERS * item + k);
                forces.write(NUMBERS * target as usize + k, number);
                k += 1;
            }
        }
    });
}
