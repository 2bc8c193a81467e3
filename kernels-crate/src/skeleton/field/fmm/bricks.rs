//! Kernels that find the occupied bricks and sort the sources by brick.

use super::{BRICK, NO_BRICK, lattice::Lattice};
use crate::{arith::div_rem, grid::Grid, rows::Items};
use cuda_std::{View, ViewMut, kernel};

/// Returns the coordinates of a brick, or of a voxel, from its linear index.
#[inline(always)]
pub fn brick_coords(grid: Grid, index: u64) -> [u32; 3] {
    let (row, x) = div_rem(index, grid.nx as u64);
    let (z, y) = div_rem(row, grid.ny as u64);
    [x as u32, y as u32, z as u32]
}

/// Returns the linear index of a brick from its coordinates.
#[inline(always)]
pub fn brick_index(grid: Grid, [x, y, z]: [u32; 3]) -> usize {
    ((z as u64 * grid.ny as u64 + y as u64) * grid.nx as u64 + x as u64) as usize
}

/// Counts the voxels of a mask in each brick, and flags the bricks that contain any with 1.
///
/// **Mapping:** one brick per thread. **Memory:** reads 64 words, writes a count and a flag; no
/// shared memory.
///
/// # Safety
/// `words` must be the mask of `lattice`; `counts` and `marks` must hold one element for each of
/// the `items.count` bricks of the grid.
#[kernel(baseline)]
pub unsafe fn count_brick_voxels(
    words: View<u32>,
    lattice: Lattice,
    bricks: Grid,
    items: Items,
    counts: ViewMut<u32>,
    marks: ViewMut<u32>,
) {
    items.for_each(|item| {
        let [bx, by, bz] = brick_coords(bricks, item as u64);
        let mut count = 0;
        let mut row = 0;
        while row < BRICK * BRICK {
            let (y, z) = (by * BRICK + row % BRICK, bz * BRICK + row / BRICK);
            count += lattice.row_of_brick(words, bx, y, z).count_ones();
            row += 1;
        }
        counts.write(item, count);
        marks.write(item, (count > 0) as u32);
    });
}

/// Flags the bricks of the next coarser level that have a flagged child.
///
/// **Mapping:** one coarse brick per thread. **Memory:** reads up to eight flags and writes one; no
/// shared memory.
///
/// # Safety
/// `parts` must hold one element per brick of `fine`, `marks` one per brick of `coarse`. `coarse`
/// must have half as many bricks along each axis, rounded up, and `items.count` bricks in total.
#[kernel(baseline)]
pub unsafe fn coarsen_bricks(
    parts: View<u32>,
    fine: Grid,
    coarse: Grid,
    items: Items,
    marks: ViewMut<u32>,
) {
    items.for_each(|item| {
        let [x, y, z] = brick_coords(coarse, item as u64);
        let mut mark = 0;
        let mut octant = 0;
        while octant < 8 {
            let part = [
                2 * x + (octant & 1),
                2 * y + (octant >> 1 & 1),
                2 * z + (octant >> 2),
            ];
            if part[0] < fine.nx && part[1] < fine.ny && part[2] < fine.nz {
                mark |= parts.read(brick_index(fine, part));
            }
            octant += 1;
        }
        marks.write(item, mark);
    });
}

/// Compacts the flagged bricks: writes the index of each brick among the flagged ones ([`NO_BRICK`]
/// for the others), and the brick at each such index.
///
/// **Mapping:** one brick per thread. **Memory:** reads two elements and writes up to two; no
/// shared memory.
///
/// # Safety
/// `marks`, `before` and `indices` must hold one element for each of the `items.count` bricks;
/// `before` must be the exclusive prefix sum of `marks`, and `bricks` must hold one element per
/// flagged brick.
#[kernel(baseline)]
pub unsafe fn compact_bricks(
    marks: View<u32>,
    before: View<u64>,
    items: Items,
    indices: ViewMut<u32>,
    bricks: ViewMut<u32>,
) {
    items.for_each(|item| {
        let mut index = NO_BRICK;
        if marks.read(item) != 0 {
            let before = before.read(item);
            index = before as u32;
            bricks.write(before as usize, item as u32);
        }
        indices.write(item, index);
    });
}

/// Lists the voxels of a mask brick by brick, and the start of each brick's range. A voxel is
/// stored as its position in the brick, with x, y and z in one byte each.
///
/// **Mapping:** one occupied brick per thread. **Memory:** reads 64 words, writes one element per
/// voxel and one per brick; no shared memory.
///
/// # Safety
/// `words` must be the mask of `lattice`, and `bricks` the `items.count` bricks of `grid` that
/// contain voxels. `before` must hold, for each brick of the grid, the number of voxels in
/// preceding bricks. `starts` must hold one element more than there are occupied bricks, `voxels`
/// one per voxel.
#[kernel(baseline)]
pub unsafe fn list_sources_by_brick(
    words: View<u32>,
    lattice: Lattice,
    grid: Grid,
    bricks: View<u32>,
    before: View<u64>,
    items: Items,
    starts: ViewMut<u64>,
    voxels: ViewMut<u32>,
) {
    items.for_each(|item| {
        let brick = bricks.read(item);
        let [bx, by, bz] = brick_coords(grid, brick as u64);
        let mut next = before.read(brick as usize);
        starts.write(item, next);
        let mut row = 0;
        while row < BRICK * BRICK {
            let (y, z) = (row % BRICK, row / BRICK);
            let mut left = lattice.row_of_brick(words, bx, by * BRICK + y, bz * BRICK + z);
            while left != 0 {
                voxels.write(next as usize, left.trailing_zeros() | y << 8 | z << 16);
                left &= left - 1;
                next += 1;
            }
            row += 1;
        }
        if item as u64 + 1 == items.count {
            starts.write(item + 1, next);
        }
    });
}

/// Lists the weights of the voxels of a mask in the order of [`list_sources_by_brick`].
///
/// **Mapping:** one occupied brick per thread. **Memory:** reads 64 words, one prefix count per row
/// with voxels, and one weight per voxel; writes one weight per voxel; no shared memory.
///
/// # Safety
/// As for [`list_sources_by_brick`]. `mask_before` must hold the number of mask voxels before each
/// word, `weights` one element per voxel in mask order, and `voxels` one per voxel in brick order.
#[kernel(baseline)]
pub unsafe fn list_weights_by_brick(
    words: View<u32>,
    lattice: Lattice,
    grid: Grid,
    bricks: View<u32>,
    starts: View<u64>,
    mask_before: View<u64>,
    weights: View<f32>,
    items: Items,
    voxels: ViewMut<f32>,
) {
    items.for_each(|item| {
        let [bx, by, bz] = brick_coords(grid, bricks.read(item) as u64);
        let mut next = starts.read(item);
        let mut row = 0;
        while row < BRICK * BRICK {
            let (y, z) = (by * BRICK + row % BRICK, bz * BRICK + row / BRICK);
            let row_bits = lattice.row_of_brick(words, bx, y, z);
            if row_bits != 0 {
                // voxels of a row are consecutive in the mask's order too
                let at = [bx * BRICK + row_bits.trailing_zeros(), y, z];
                let first = lattice.mask_rank(words, mask_before, at);
                let mut k = 0;
                while k < row_bits.count_ones() as u64 {
                    voxels.write(next as usize, weights.read((first + k) as usize));
                    next += 1;
                    k += 1;
                }
            }
            row += 1;
        }
    });
}
