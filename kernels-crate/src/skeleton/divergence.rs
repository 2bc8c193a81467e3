//! Where the force's direction converges.

use super::field::{NUMBERS, Ranks};
use crate::{distance::sites::BitRows, rows::Rows};
use cuda_std::{View, ViewMut, kernel};

/// The divergence of the force's direction at each voxel that has a force, from the differences of
/// its neighbours across faces; infinite where not all six have a force. Where a force vanishes,
/// its direction is 0.
///
/// A thread takes runs of neighbouring voxels. For each voxel with a force six directions are
/// looked up, and a number is written. Nothing is shared in the block.
///
/// # Safety
/// `words` and `before` hold `bits.words()` elements: the mask of the voxels with a force, and how
/// many come before each word; `forces` hold four numbers for each voxel of the mask, `divergences`
/// one. `rows` are those of the grid of `bits`.
#[kernel]
pub unsafe fn divergence_of_direction(
    words: View<u32>,
    before: View<u64>,
    forces: View<f32>,
    bits: BitRows,
    rows: Rows,
    divergences: ViewMut<f32>,
) {
    let ranks = Ranks {
        words,
        before,
        bits,
    };
    ranks.for_each_in(rows, |voxel, target| {
        divergences.write(target, at(&ranks, forces, voxel));
    });
}

#[inline(always)]
fn at(ranks: &Ranks<'_>, forces: View<f32>, [x, y, z]: [u32; 3]) -> f32 {
    let mut sum = 0.0;
    let mut side = 0;
    while side < 6 {
        let axis = side / 2;
        let forward = side & 1;
        // below 0 wraps around to what is not in the grid
        let step = |on: u32, at: u32| {
            if on != axis {
                at
            } else if forward == 1 {
                at + 1
            } else {
                at.wrapping_sub(1)
            }
        };
        let Some(neighbour) = ranks.of([step(0, x), step(1, y), step(2, z)]) else {
            return f32::INFINITY;
        };
        let along = forces.read(NUMBERS * neighbour as usize + axis as usize);
        sum += if forward == 1 { along } else { -along };
        side += 1;
    }
    0.5 * sum
}
