//! Weights of surface voxels, for anisotropic or oblique voxels.

use super::{metric::WorldMetric, rank::MaskRanks};
use crate::{distance::sites::BitRows, rows::Rows};
use cuda_std::{GpuFloat, View, ViewMut, kernel};

/// Radius, in voxels, of the neighbourhood from which the surface normal is estimated.
const RADIUS: u32 = 2;

/// Edge length of the neighbourhood, in voxels.
const SIDE: u32 = 2 * RADIUS + 1;

/// Computes a weight for each surface voxel: the surface area it represents, relative to a grid of
/// cubic voxels, in units of the smallest spacing squared.
///
/// A surface element with normal `n` in voxel units has area `|n|` on cubic voxels; its area in the
/// world is the length of the world area vector of `n`. `n` is the sum of the vectors to all
/// background voxels in a neighbourhood of 5 × 5 × 5; where they cancel, as on a thin plate, all
/// directions are averaged.
///
/// **Mapping:** runs of consecutive voxels per thread. **Memory:** for each surface voxel, reads up
/// to two words in each of 25 rows and writes one weight; no shared memory.
///
/// # Safety
/// `solid`, `words` and `before` must hold `bits.words()` elements: the solid, its surface, and the
/// number of surface voxels before each word. `weights` must hold one element per surface voxel.
/// `rows` must be those of `bits.grid`.
#[kernel(baseline)]
pub unsafe fn compute_surface_weights(
    solid: View<u32>,
    words: View<u32>,
    before: View<u64>,
    bits: BitRows,
    rows: Rows,
    world: WorldMetric,
    weights: ViewMut<f32>,
) {
    let ranks = MaskRanks {
        words,
        before,
        bits,
    };
    ranks.for_each_voxel(rows, |voxel, source| {
        weights.write(source, area_ratio(world, inward_normal(solid, bits, voxel)));
    });
}

/// Returns the sum of the vectors from a voxel to the solid's voxels around it, which points
/// inwards, in voxel units.
#[inline(always)]
fn inward_normal(solid: View<u32>, bits: BitRows, [x, y, z]: [u32; 3]) -> [i32; 3] {
    let mut sum = [0; 3];
    let mut row = 0;
    while row < SIDE * SIDE {
        let (dy, dz) = (row % SIDE, row / SIDE);
        // coordinates below 0 wrap around and fail the bounds test
        let at = [(y + dy).wrapping_sub(RADIUS), (z + dz).wrapping_sub(RADIUS)];
        if at[0] < bits.grid.ny && at[1] < bits.grid.nz {
            let window_bits = window(solid, bits, at, x);
            let count = window_bits.count_ones() as i32;
            // bits 0 to 4 are offsets -2 to 2
            let right = (window_bits >> 3 & 1) + (window_bits >> 4 & 1) * 2;
            let left = (window_bits >> 1 & 1) + (window_bits & 1) * 2;
            sum[0] += right as i32 - left as i32;
            sum[1] += count * (dy as i32 - RADIUS as i32);
            sum[2] += count * (dz as i32 - RADIUS as i32);
        }
        row += 1;
    }
    sum
}

/// Returns the voxels of a row from `x - 2` to `x + 2` as bits; voxels outside the grid are 0.
#[inline(always)]
fn window(solid: View<u32>, bits: BitRows, [y, z]: [u32; 2], x: u32) -> u32 {
    let first = x.saturating_sub(RADIUS);
    let from_first = bits.bits_from(solid, first, y, z) as u32;
    (from_first << (first + RADIUS - x)) & ((1 << SIDE) - 1)
}

/// Returns the ratio of a surface element's world area to its area on cubic voxels.
#[cuda_std::inline_closures]
#[inline(always)]
fn area_ratio(world: WorldMetric, normal: [i32; 3]) -> f32 {
    let [x, y, z] = normal.map(|component| component as f64);
    let squared = x * x + y * y + z * z;
    if squared > 0.0 {
        let [ax, ay, az] = world.area_vector([x, y, z]);
        return GpuFloat::sqrt((ax * ax + ay * ay + az * az) / squared) as f32;
    }
    let (mut sum, mut axis) = (0.0, 0);
    while axis < 3 {
        let mut unit = [0.0; 3];
        unit[axis] = 1.0;
        let [ax, ay, az] = world.area_vector(unit);
        sum += ax * ax + ay * ay + az * az;
        axis += 1;
    }
    GpuFloat::sqrt(sum / 3.0) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axis_aligned_weights_are_face_areas() {
        let anisotropic = WorldMetric {
            upper: [1.0, 0.0, 0.0, 1.0, 0.0, 5.0],
        };
        assert_eq!(area_ratio(anisotropic, [3, 0, 0]), 5.0);
        assert_eq!(area_ratio(anisotropic, [0, -7, 0]), 5.0);
        assert_eq!(area_ratio(anisotropic, [0, 0, 2]), 1.0);
        // oblique to the axes
        assert_eq!(area_ratio(anisotropic, [1, 0, 1]), 13f32.sqrt());
        assert_eq!(area_ratio(anisotropic, [0; 3]), 17f32.sqrt());
        let cubes = WorldMetric {
            upper: [1.0, 0.0, 0.0, 1.0, 0.0, 1.0],
        };
        for normal in [[0; 3], [1, 2, -3], [0, 0, 1]] {
            assert_eq!(area_ratio(cubes, normal), 1.0);
        }
        // a shear along x keeps faces normal to z, and tilts those normal to x
        let oblique = WorldMetric {
            upper: [1.0, 0.0, 0.75, 1.0, 0.0, 1.0],
        };
        assert_eq!(area_ratio(oblique, [0, 0, 1]), 1.0);
        assert_eq!(area_ratio(oblique, [1, 0, 0]), 1.25);
    }
}
