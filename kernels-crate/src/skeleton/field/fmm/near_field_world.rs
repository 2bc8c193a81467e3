//! Near field for anisotropic or oblique voxels.

use super::near_field::{
    MAX_STAGED, NearFieldBatch, NearFieldInput, RUN, SourceKind, Sums, per_target, run_origin,
    sum_near_field,
};
use crate::skeleton::field::{Exponent, VoxelMetric, WorldMetric, tile::weight_at};
use cuda_std::{GpuFloat, SharedView, View, ViewMut, kernel, shared_view};

/// Adds the near field to the far field, and writes the direction and magnitude of the force at
/// each target, for anisotropic or oblique voxels.
///
/// **Mapping and phases:** as for [`add_near_field`](super::add_near_field), but weights are
/// computed from the distance, in `f64`. **Memory:** 6.6 KiB of shared memory.
///
/// # Safety
/// As for [`add_near_field`](super::add_near_field), except that `weights` must hold one element
/// per source in the order of `sources_by_brick`, or be empty if every source weighs 1. `world`
/// must be the metric of the lattice.
#[kernel(fused)]
pub unsafe fn add_near_field_in_world(
    words: View<u32>,
    before: View<u64>,
    target_bricks: View<u32>,
    source_bricks: View<u32>,
    starts: View<u64>,
    sources_by_brick: View<u32>,
    offsets: View<u32>,
    weights: View<f32>,
    far: View<f64>,
    batch: NearFieldBatch,
    world: WorldMetric,
    exponent: Exponent,
    forces: ViewMut<f32>,
) {
    let staged = WeightedSources {
        positions: shared_view![f64; 4 * MAX_STAGED],
        weights,
        world,
        exponent,
    };
    let input = NearFieldInput {
        words,
        before,
        target_bricks,
        source_bricks,
        starts,
        sources_by_brick,
        offsets,
        batch,
    };
    sum_near_field(staged, &input, far, forces);
}

/// Sources of a brick with their weights, in shared memory (4 KiB).
#[derive(Clone, Copy)]
struct WeightedSources<'v> {
    /// Position in lattice steps relative to the first lattice point of the targets' brick (x, y,
    /// z), and the weight.
    positions: SharedView<f64>,
    weights: View<'v, f32>,
    world: WorldMetric,
    exponent: Exponent,
}

impl WeightedSources<'_> {
    /// Returns `R^-(m + 1)` for each squared distance.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn weights(self, squared: [f64; RUN]) -> [f64; RUN] {
        if cfg!(target_arch = "nvptx64") {
            // not in a loop: a loop around a power is not unrolled, and the array it indexes would
            // not stay in registers
            let weight_of_one = |squared: f64| self.exponent.weights([squared], [1.0 / squared])[0];
            [
                weight_of_one(squared[0]),
                weight_of_one(squared[1]),
                weight_of_one(squared[2]),
                weight_of_one(squared[3]),
            ]
        } else {
            self.exponent
                .weights(squared, per_target(|k| 1.0 / squared[k]))
        }
    }
}

impl SourceKind for WeightedSources<'_> {
    #[inline(always)]
    fn stage(self, i: usize, [x, y, z]: [i32; 3], source: usize) {
        let weight = weight_at(Some(self.weights), source);
        self.positions.write_vector(4 * i, [x as f64, y as f64]);
        self.positions
            .write_vector(4 * i + 2, [z as f64, weight as f64]);
    }

    /// Accumulates weighted differences in lattice steps, which [`SourceKind::force`] converts to
    /// world vectors. A lattice point that is not a target may coincide with a source; its result
    /// is not used.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn add(self, sums: Sums, count: usize, run: usize) -> Sums {
        let [x, y, z] = run_origin(run).map(|coordinate| coordinate as f64);
        let x_scale = self.world.upper[0];
        let [mut along_x, mut along_y, mut along_z] = sums;
        let mut i = 0;
        while i < count {
            let [source_x, source_y] = self.positions.read_vector::<2>(4 * i);
            let [source_z, source_weight] = self.positions.read_vector::<2>(4 * i + 2);
            let (first, dy, dz) = (x - source_x, y - source_y, z - source_z);
            let [x_offset, across_y, across_z] = self.world.to_world([0.0, dy, dz]);
            let transverse = GpuFloat::mul_add(across_y, across_y, across_z * across_z);
            let squared = per_target(|k| {
                let along_x = GpuFloat::mul_add(x_scale, first + k as f64, x_offset);
                GpuFloat::mul_add(along_x, along_x, transverse)
            });
            let weights = self.weights(squared);
            let weights = per_target(|k| weights[k] * source_weight);
            along_x = per_target(|k| GpuFloat::mul_add(weights[k], first + k as f64, along_x[k]));
            along_y = per_target(|k| GpuFloat::mul_add(weights[k], dy, along_y[k]));
            along_z = per_target(|k| GpuFloat::mul_add(weights[k], dz, along_z[k]));
            i += 1;
        }
        [along_x, along_y, along_z]
    }

    #[inline(always)]
    fn force(self, near: [f64; 3], far: [f64; 3]) -> [f64; 3] {
        let near = self.world.to_world(near);
        let far = self.world.gradient_from_slopes(far);
        [near[0] + far[0], near[1] + far[1], near[2] + far[2]]
    }
}
