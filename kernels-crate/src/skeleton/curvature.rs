//! Surface curvature, estimated from the share of a ball that lies inside the solid.

use super::field::MaskRanks;
use crate::{distance::sites::BitRows, rows::Rows};
use cuda_std::{View, ViewMut, kernel};

/// Radius of the ball, in voxels.
pub const RADIUS: u32 = 4;

/// Counts the solid's voxels in a ball of radius [`RADIUS`] around each voxel of a mask. A low
/// count indicates a strongly convex surface: the count falls with the mean curvature (Pottmann et
/// al. 2007).
///
/// **Mapping:** runs of consecutive voxels per thread. **Memory:** for each mask voxel, reads up to
/// two words in each of 81 rows and writes one count; no shared memory.
///
/// # Safety
/// `solid`, `words` and `before` must hold `bits.words()` elements: the solid, the mask, and the
/// number of mask voxels before each word. `counts` must hold one element per mask voxel. `rows`
/// must be those of `bits.grid`.
#[kernel]
pub unsafe fn count_solid_in_ball(
    solid: View<u32>,
    words: View<u32>,
    before: View<u64>,
    bits: BitRows,
    rows: Rows,
    counts: ViewMut<u32>,
) {
    let ranks = MaskRanks {
        words,
        before,
        bits,
    };
    ranks.for_each_voxel(rows, |voxel, target| {
        counts.write(target, count_in_ball(solid, bits, voxel));
    });
}

#[inline(always)]
fn count_in_ball(solid: View<u32>, bits: BitRows, [x, y, z]: [u32; 3]) -> u32 {
    let side = 2 * RADIUS + 1;
    let mut count = 0;
    let mut row = 0;
    while row < side * side {
        let (dy, dz) = (row % side, row / side);
        let transverse = dy.abs_diff(RADIUS).pow(2) + dz.abs_diff(RADIUS).pow(2);
        // coordinates below 0 wrap around and fail the bounds test
        let at = [(y + dy).wrapping_sub(RADIUS), (z + dz).wrapping_sub(RADIUS)];
        if transverse <= RADIUS * RADIUS && at[0] < bits.grid.ny && at[1] < bits.grid.nz {
            let half_width = half_width(RADIUS * RADIUS - transverse);
            count += count_in_row(solid, bits, at, [x, half_width]);
        }
        row += 1;
    }
    count
}

/// Returns the integer square root of a number up to 16.
#[inline(always)]
fn half_width(squared: u32) -> u32 {
    (squared >= 1) as u32 + (squared >= 4) as u32 + (squared >= 9) as u32 + (squared >= 16) as u32
}

/// Counts the solid's voxels within `half_width` of x in a row.
#[inline(always)]
fn count_in_row(
    solid: View<u32>,
    bits: BitRows,
    [y, z]: [u32; 2],
    [x, half_width]: [u32; 2],
) -> u32 {
    let first = x.saturating_sub(half_width);
    let len = x + half_width - first + 1;
    (bits.bits_from(solid, first, y, z) & ((1 << len) - 1)).count_ones()
}
