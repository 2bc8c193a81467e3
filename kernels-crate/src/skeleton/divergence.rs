//! Divergence of the force's direction field.

use super::field::{FORCE_COMPONENTS, MaskRanks};
use crate::{distance::sites::BitRows, rows::Rows};
use cuda_std::{View, ViewMut, kernel};

/// Computes the divergence of the unit force field at each voxel with a force, by central
/// differences over the six face neighbours. The result is infinite where a neighbour has no force;
/// a vanishing force has direction zero.
///
/// **Mapping:** runs of consecutive voxels per thread. **Memory:** for each voxel with a force,
/// reads six direction components and writes one float; no shared memory.
///
/// # Safety
/// `words` and `before` must hold `bits.words()` elements: the mask of voxels with a force, and the
/// number of mask voxels before each word. `forces` must hold four elements per mask voxel,
/// `divergences` one. `rows` must be those of `bits.grid`.
#[kernel(baseline)]
pub unsafe fn direction_divergence(
    words: View<u32>,
    before: View<u64>,
    forces: View<f32>,
    bits: BitRows,
    rows: Rows,
    divergences: ViewMut<f32>,
) {
    let ranks = MaskRanks {
        words,
        before,
        bits,
    };
    ranks.for_each_voxel(rows, |voxel, target| {
        divergences.write(target, divergence_at(&ranks, forces, voxel));
    });
}

#[cuda_std::inline_closures]
#[inline(always)]
fn divergence_at(ranks: &MaskRanks<'_>, forces: View<f32>, [x, y, z]: [u32; 3]) -> f32 {
    let mut sum = 0.0;
    let mut side = 0;
    while side < 6 {
        let axis = side / 2;
        let forward = side & 1;
        // coordinates below 0 wrap around and fail the bounds test
        let step = |on: u32, coordinate: u32| {
            if on != axis {
                coordinate
            } else if forward == 1 {
                coordinate + 1
            } else {
                coordinate.wrapping_sub(1)
            }
        };
        let Some(neighbour) = ranks.rank([step(0, x), step(1, y), step(2, z)]) else {
            return f32::INFINITY;
        };
        let along = forces.read(FORCE_COMPONENTS * neighbour as usize + axis as usize);
        sum += if forward == 1 { along } else { -along };
        side += 1;
    }
    0.5 * sum
}
