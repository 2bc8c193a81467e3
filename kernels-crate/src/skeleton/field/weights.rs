//! Weights of surface voxels, where voxels are no cubes.

use super::{finish::Ranks, lengths::World};
use crate::{distance::sites::BitRows, rows::Rows};
use cuda_std::{GpuFloat, View, ViewMut, kernel};

/// How far along each axis a neighbourhood reaches from which the direction of the surface is
/// taken.
const REACH: u32 = 2;

/// The side of a neighbourhood.
const SIDE: u32 = 2 * REACH + 1;

/// Writes for each surface voxel how much more area of the surface it stands for than in a grid of
/// cubes, in squares of the smallest spacing.
///
/// A piece of the surface that lies across `n` in steps of the grid has an area of `|n|` where
/// voxels are cubes, and of the length of the world's area vector of `n` here. `n` is the sum of
/// the ways to all voxels of a neighbourhood of 5 x 5 x 5 that are outside; where they cancel, as
/// on a plate, all directions count the same.
///
/// A thread takes runs of neighbouring voxels. For each voxel of the mask up to two words of 25
/// rows are read, and a weight is written. Nothing is shared in the block.
///
/// # Safety
/// `solid`, `words` and `before` hold `bits.words()` elements: the solid, its surface, and how many
/// voxels of the surface come before each word; `weights` hold one element for each voxel of the
/// surface. `rows` are those of the grid of `bits`.
#[kernel]
pub unsafe fn weigh_surface(
    solid: View<u32>,
    words: View<u32>,
    before: View<u64>,
    bits: BitRows,
    rows: Rows,
    world: World,
    weights: ViewMut<f32>,
) {
    let ranks = Ranks {
        words,
        before,
        bits,
    };
    ranks.for_each_in(rows, |voxel, source| {
        weights.write(source, weight_of(world, across(solid, bits, voxel)));
    });
}

/// The sum of the ways from a voxel to those of the solid around it: towards the inside, in steps
/// of the grid.
#[inline(always)]
fn across(solid: View<u32>, bits: BitRows, [x, y, z]: [u32; 3]) -> [i32; 3] {
    let mut sum = [0; 3];
    let mut row = 0;
    while row < SIDE * SIDE {
        let (dy, dz) = (row % SIDE, row / SIDE);
        // below 0 wraps around to what is not in the grid
        let at = [(y + dy).wrapping_sub(REACH), (z + dz).wrapping_sub(REACH)];
        if at[0] < bits.grid.ny && at[1] < bits.grid.nz {
            let here = window(solid, bits, at, x);
            let count = here.count_ones() as i32;
            // bits 0 to 4 are -2 to 2
            let right = (here >> 3 & 1) + (here >> 4 & 1) * 2;
            let left = (here >> 1 & 1) + (here & 1) * 2;
            sum[0] += right as i32 - left as i32;
            sum[1] += count * (dy as i32 - REACH as i32);
            sum[2] += count * (dz as i32 - REACH as i32);
        }
        row += 1;
    }
    sum
}

/// The voxels of a row from `x - 2` to `x + 2`, as bits; those beyond the grid are 0.
#[inline(always)]
fn window(solid: View<u32>, bits: BitRows, [y, z]: [u32; 2], x: u32) -> u32 {
    let first = x.saturating_sub(REACH);
    let from_first = bits.bits_from(solid, first, y, z) as u32;
    (from_first << (first + REACH - x)) & ((1 << SIDE) - 1)
}

/// The area in the world of a piece of the surface by that in cubes.
#[inline(always)]
fn weight_of(world: World, across: [i32; 3]) -> f32 {
    let [x, y, z] = across.map(|along| along as f64);
    let squared = x * x + y * y + z * z;
    if squared > 0.0 {
        let [ax, ay, az] = world.area([x, y, z]);
        return GpuFloat::sqrt((ax * ax + ay * ay + az * az) / squared) as f32;
    }
    let (mut sum, mut axis) = (0.0, 0);
    while axis < 3 {
        let mut unit = [0.0; 3];
        unit[axis] = 1.0;
        let [ax, ay, az] = world.area(unit);
        sum += ax * ax + ay * ay + az * az;
        axis += 1;
    }
    GpuFloat::sqrt(sum / 3.0) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_areas_of_faces() {
        let flat = World {
            upper: [1.0, 0.0, 0.0, 1.0, 0.0, 5.0],
        };
        assert_eq!(weight_of(flat, [3, 0, 0]), 5.0);
        assert_eq!(weight_of(flat, [0, -7, 0]), 5.0);
        assert_eq!(weight_of(flat, [0, 0, 2]), 1.0);
        // between them
        assert_eq!(weight_of(flat, [1, 0, 1]), 13f32.sqrt());
        assert_eq!(weight_of(flat, [0; 3]), 17f32.sqrt());
        let cubes = World {
            upper: [1.0, 0.0, 0.0, 1.0, 0.0, 1.0],
        };
        for across in [[0; 3], [1, 2, -3], [0, 0, 1]] {
            assert_eq!(weight_of(cubes, across), 1.0);
        }
        // a shear along x keeps the faces across z, and tilts those across x
        let sheared = World {
            upper: [1.0, 0.0, 0.75, 1.0, 0.0, 1.0],
        };
        assert_eq!(weight_of(sheared, [0, 0, 1]), 1.0);
        assert_eq!(weight_of(sheared, [1, 0, 0]), 1.25);
    }
}
