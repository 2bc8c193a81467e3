//! The same where voxels are no cubes.

use super::near::{Acting, Near, Places, RUN, STAGED, Sums, add_near, each, place_of_run};
use crate::skeleton::field::{Exponent, Lengths, World, tile::weight_at};
use cuda_std::{GpuFloat, SharedView, View, ViewMut, kernel, shared_view};

/// Adds what near bricks exert to what far ones do, and writes directions and magnitudes of the
/// targets, where voxels are no cubes.
///
/// A block takes bricks, as in [`near_forces`](super::near_forces). What a source of a distance
/// weighs is computed, in `f64`. 6.6 KiB are shared in the block.
///
/// # Safety
/// As [`near_forces`](super::near_forces), with what each source weighs in `weights`, in the order
/// of `list`, or none: then each weighs 1. `world` is the way from steps of the lattice.
#[kernel(fused)]
pub unsafe fn near_forces_in_world(
    words: View<u32>,
    before: View<u64>,
    targets: View<u32>,
    sources: View<u32>,
    starts: View<u64>,
    list: View<u32>,
    offsets: View<u32>,
    weights: View<f32>,
    far: View<f64>,
    near: Near,
    world: World,
    exponent: Exponent,
    forces: ViewMut<f32>,
) {
    let staged = Weighted {
        places: shared_view![f64; 4 * STAGED],
        weights,
        world,
        exponent,
    };
    let places = Places {
        words,
        before,
        targets,
        sources,
        starts,
        list,
        offsets,
        near,
    };
    add_near(staged, &places, far, forces);
}

/// Sources of a brick with their weights, in shared memory: 4 KiB.
#[derive(Clone, Copy)]
struct Weighted<'v> {
    /// x, y, z in steps from the first place of the targets' brick, and the weight.
    places: SharedView<f64>,
    weights: View<'v, f32>,
    world: World,
    exponent: Exponent,
}

impl Weighted<'_> {
    /// What squared distances weigh.
    #[inline(always)]
    fn weights(self, squared: [f64; RUN]) -> [f64; RUN] {
        if cfg!(target_arch = "nvptx64") {
            // one by one: a loop around a power is not unrolled, and what it indexes is not kept in
            // registers
            let one = |squared: f64| self.exponent.weights([squared], [1.0 / squared])[0];
            [
                one(squared[0]),
                one(squared[1]),
                one(squared[2]),
                one(squared[3]),
            ]
        } else {
            self.exponent.weights(squared, each(|k| 1.0 / squared[k]))
        }
    }
}

impl Acting for Weighted<'_> {
    #[inline(always)]
    fn stage(self, i: usize, [x, y, z]: [i32; 3], source: usize) {
        let weight = weight_at(Some(self.weights), source);
        self.places.write_vector(4 * i, [x as f64, y as f64]);
        self.places
            .write_vector(4 * i + 2, [z as f64, weight as f64]);
    }

    /// Sums of steps with weights, of which [`Acting::force`] makes vectors. A place that is no
    /// target may be that of a source; what it makes is not used.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn add(self, sums: Sums, here: usize, run: usize) -> Sums {
        let [x, y, z] = place_of_run(run).map(|along| along as f64);
        let along = self.world.upper[0];
        let [mut along_x, mut along_y, mut along_z] = sums;
        let mut i = 0;
        while i < here {
            let [from_x, from_y] = self.places.read_vector::<2>(4 * i);
            let [from_z, own] = self.places.read_vector::<2>(4 * i + 2);
            let (first, dy, dz) = (x - from_x, y - from_y, z - from_z);
            let [beside, across_y, across_z] = self.world.vector([0.0, dy, dz]);
            let across = GpuFloat::mul_add(across_y, across_y, across_z * across_z);
            let squared = each(|k| {
                let along = GpuFloat::mul_add(along, first + k as f64, beside);
                GpuFloat::mul_add(along, along, across)
            });
            let weights = self.weights(squared);
            let weights = each(|k| weights[k] * own);
            along_x = each(|k| GpuFloat::mul_add(weights[k], first + k as f64, along_x[k]));
            along_y = each(|k| GpuFloat::mul_add(weights[k], dy, along_y[k]));
            along_z = each(|k| GpuFloat::mul_add(weights[k], dz, along_z[k]));
            i += 1;
        }
        [along_x, along_y, along_z]
    }

    #[inline(always)]
    fn force(self, near: [f64; 3], far: [f64; 3]) -> [f64; 3] {
        let near = self.world.vector(near);
        let far = self.world.gradient(far);
        [near[0] + far[0], near[1] + far[1], near[2] + far[2]]
    }
}
