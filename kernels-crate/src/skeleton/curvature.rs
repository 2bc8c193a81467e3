//! How strongly the surface is curved outwards.

use super::field::Ranks;
use crate::{distance::sites::BitRows, rows::Rows};
use cuda_std::{View, ViewMut, kernel};

/// The radius of the ball whose voxels are counted.
pub const RADIUS: u32 = 4;

/// Voxels of the solid in a ball around each voxel of a mask: the fewer, the more the surface is
/// curved outwards there.
///
/// The share of a ball that is inside falls with the mean curvature (Pottmann and others, 2007). A
/// thread takes runs of neighbouring voxels. For each voxel of the mask up to two words of 81 rows
/// are read, and a count is written. Nothing is shared in the block.
///
/// # Safety
/// `solid`, `words` and `before` hold `bits.words()` elements: the solid, a mask, and how many of
/// its voxels come before each word; `counts` hold one element for each voxel of the mask. `rows`
/// are those of the grid of `bits`.
#[kernel]
pub unsafe fn solid_in_ball(
    solid: View<u32>,
    words: View<u32>,
    before: View<u64>,
    bits: BitRows,
    rows: Rows,
    counts: ViewMut<u32>,
) {
    let ranks = Ranks {
        words,
        before,
        bits,
    };
    ranks.for_each_in(rows, |voxel, target| {
        counts.write(target, count_around(solid, bits, voxel));
    });
}

#[inline(always)]
fn count_around(solid: View<u32>, bits: BitRows, [x, y, z]: [u32; 3]) -> u32 {
    let side = 2 * RADIUS + 1;
    let mut count = 0;
    let mut row = 0;
    while row < side * side {
        let (dy, dz) = (row % side, row / side);
        let across = dy.abs_diff(RADIUS).pow(2) + dz.abs_diff(RADIUS).pow(2);
        // below 0 wraps around to what is not in the grid
        let at = [(y + dy).wrapping_sub(RADIUS), (z + dz).wrapping_sub(RADIUS)];
        if across <= RADIUS * RADIUS && at[0] < bits.grid.ny && at[1] < bits.grid.nz {
            let reach = reach(RADIUS * RADIUS - across);
            count += count_in_row(solid, bits, at, [x, reach]);
        }
        row += 1;
    }
    count
}

/// The whole part of the root of a number up to 16.
#[inline(always)]
fn reach(squared: u32) -> u32 {
    (squared >= 1) as u32 + (squared >= 4) as u32 + (squared >= 9) as u32 + (squared >= 16) as u32
}

/// Voxels of the solid at most `reach` from x in a row.
#[inline(always)]
fn count_in_row(solid: View<u32>, bits: BitRows, [y, z]: [u32; 2], [x, reach]: [u32; 2]) -> u32 {
    let first = x.saturating_sub(reach);
    let len = x + reach - first + 1;
    (bits.bits_from(solid, first, y, z) & ((1 << len) - 1)).count_ones()
}
