//! Which bricks there are.

use super::{BRICK, NONE, lattice::Lattice};
use crate::{arith::div_rem, grid::Grid, rows::Items};
use cuda_std::{View, ViewMut, kernel};

/// The place of a brick, or of a voxel, from its number.
#[inline(always)]
pub fn place(grid: Grid, number: u64) -> [u32; 3] {
    let (row, x) = div_rem(number, grid.nx as u64);
    let (z, y) = div_rem(row, grid.ny as u64);
    [x as u32, y as u32, z as u32]
}

/// The number of a brick from its place.
#[inline(always)]
pub fn number(grid: Grid, [x, y, z]: [u32; 3]) -> usize {
    ((z as u64 * grid.ny as u64 + y as u64) * grid.nx as u64 + x as u64) as usize
}

/// Counts the voxels of a mask in each brick, and marks the bricks that have some with 1.
///
/// A thread takes single bricks: it reads 64 words and writes two numbers. Nothing is shared in the
/// block.
///
/// # Safety
/// `words` are those of the mask of `lattice`; `counts` and `marks` hold an element for each brick
/// of the grid, which `items` counts.
#[kernel]
pub unsafe fn count_bricks(
    words: View<u32>,
    lattice: Lattice,
    bricks: Grid,
    items: Items,
    counts: ViewMut<u32>,
    marks: ViewMut<u32>,
) {
    items.for_each(|item| {
        let [bx, by, bz] = place(bricks, item as u64);
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

/// Marks the bricks of which one of the eight parts is marked.
///
/// A thread takes single bricks: it reads up to eight marks and writes one. Nothing is shared in
/// the block.
///
/// # Safety
/// `parts` hold an element for each brick of the grid `fine`, `marks` for each of `coarse`, which
/// has half as many along each axis, rounded up, and which `items` counts.
#[kernel]
pub unsafe fn coarsen_bricks(
    parts: View<u32>,
    fine: Grid,
    coarse: Grid,
    items: Items,
    marks: ViewMut<u32>,
) {
    items.for_each(|item| {
        let [x, y, z] = place(coarse, item as u64);
        let mut mark = 0;
        let mut octant = 0;
        while octant < 8 {
            let part = [
                2 * x + (octant & 1),
                2 * y + (octant >> 1 & 1),
                2 * z + (octant >> 2),
            ];
            if part[0] < fine.nx && part[1] < fine.ny && part[2] < fine.nz {
                mark |= parts.read(number(fine, part));
            }
            octant += 1;
        }
        marks.write(item, mark);
    });
}

/// Numbers the bricks that are marked, in their order: writes the number of each, [`NONE`] for
/// others, and the brick of each number.
///
/// A thread takes single bricks: it reads two numbers and writes up to two. Nothing is shared in
/// the block.
///
/// # Safety
/// `marks`, `before` and `numbers` hold an element for each brick, which `items` counts; `before`
/// says how many marks come before it, and `bricks` have an element for each mark.
#[kernel]
pub unsafe fn number_bricks(
    marks: View<u32>,
    before: View<u64>,
    items: Items,
    numbers: ViewMut<u32>,
    bricks: ViewMut<u32>,
) {
    items.for_each(|item| {
        let mut number = NONE;
        if marks.read(item) != 0 {
            let before = before.read(item);
            number = before as u32;
            bricks.write(before as usize, item as u32);
        }
        numbers.write(item, number);
    });
}

/// Lists the voxels of a mask brick after brick, each as its place in its brick: x, y and z in a
/// byte each; and where each brick's begin.
///
/// A thread takes single bricks that have voxels: it reads 64 words and writes a number for each
/// voxel, and one for the brick. Nothing is shared in the block.
///
/// # Safety
/// `words` are those of the mask of `lattice`, `bricks` the bricks of `grid` with voxels, which
/// `items` counts; `before` says for each brick of the grid how many voxels come before its own;
/// `starts` hold an element for each brick with voxels and one more, `list` one for each voxel.
#[kernel]
pub unsafe fn list_sources(
    words: View<u32>,
    lattice: Lattice,
    grid: Grid,
    bricks: View<u32>,
    before: View<u64>,
    items: Items,
    starts: ViewMut<u64>,
    list: ViewMut<u32>,
) {
    items.for_each(|item| {
        let brick = bricks.read(item);
        let [bx, by, bz] = place(grid, brick as u64);
        let mut to = before.read(brick as usize);
        starts.write(item, to);
        let mut row = 0;
        while row < BRICK * BRICK {
            let (y, z) = (row % BRICK, row / BRICK);
            let mut left = lattice.row_of_brick(words, bx, by * BRICK + y, bz * BRICK + z);
            while left != 0 {
                list.write(to as usize, left.trailing_zeros() | y << 8 | z << 16);
                left &= left - 1;
                to += 1;
            }
            row += 1;
        }
        if item as u64 + 1 == items.count {
            starts.write(item + 1, to);
        }
    });
}

/// Lists the weights of the voxels of a mask in the same order.
///
/// A thread takes single bricks that have voxels: it reads 64 words, and for each row that has
/// voxels how many come before; it reads and writes a number for each voxel. Nothing is shared in
/// the block.
///
/// # Safety
/// As [`list_sources`]; `known` says how many voxels come before each word, `weights` hold an
/// element for each voxel in the order of the mask, and `list` for each in that of the bricks.
#[kernel]
pub unsafe fn list_weights(
    words: View<u32>,
    lattice: Lattice,
    grid: Grid,
    bricks: View<u32>,
    starts: View<u64>,
    known: View<u64>,
    weights: View<f32>,
    items: Items,
    list: ViewMut<f32>,
) {
    items.for_each(|item| {
        let [bx, by, bz] = place(grid, bricks.read(item) as u64);
        let mut to = starts.read(item);
        let mut row = 0;
        while row < BRICK * BRICK {
            let (y, z) = (by * BRICK + row % BRICK, bz * BRICK + row / BRICK);
            let here = lattice.row_of_brick(words, bx, y, z);
            if here != 0 {
                // along a row they follow each other in the mask too
                let at = [bx * BRICK + here.trailing_zeros(), y, z];
                let first = lattice.number_of(words, known, at);
                let mut k = 0;
                while k < here.count_ones() as u64 {
                    list.write(to as usize, weights.read((first + k) as usize));
                    to += 1;
                    k += 1;
                }
            }
            row += 1;
        }
    });
}
