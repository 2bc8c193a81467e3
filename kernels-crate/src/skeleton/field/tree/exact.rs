//! Sums over all sources, the same everywhere.

use crate::arith::div_rem;
use crate::skeleton::field::{
    Cubes, Exponent, Lengths, Slices, World,
    points::{LANES, Lanes, NOWHERE, each},
    tile::weight_at,
};
use cuda_std::{GpuFloat, View, ViewMut, kernel, shared_view, thread};

/// Sums that a slice's sources are dealt to, one after the other; and threads that share a target
/// at most.
pub const PARTIAL: u32 = 128;

/// What each slice of the sources adds to the force on voxels, in `f64`.
///
/// Sources are dealt to 128 sums by their numbers, which are then added up in their order: so bits
/// do not depend on the device or the block. A block takes a voxel and a slice at a time, its
/// threads share the sums, which are in 3 KiB of shared memory. Per voxel and slice three numbers
/// are read, and three for each source of the slice; three are written, as `finish_forces` takes
/// them.
///
/// # Safety
/// `sources` hold three coordinates for each source, `places` for each target; `sums` hold three
/// elements for each target and slice. Blocks have at most [`PARTIAL`] threads.
#[kernel(fused)]
pub unsafe fn exact_forces(
    sources: View<f32>,
    places: View<f32>,
    slices: Slices,
    exponent: Exponent,
    sums: ViewMut<f64>,
) {
    add_up(Cubes, (sources, None), places, slices, exponent, sums);
}

/// The same where voxels are no cubes.
///
/// A block takes a voxel and a slice at a time, as in [`exact_forces`], with seven products more
/// for each source, and a weight.
///
/// # Safety
/// As [`exact_forces`]; `weights` hold one element for each source, or none: then each weighs 1.
#[kernel(fused)]
pub unsafe fn exact_forces_in_world(
    sources: View<f32>,
    weights: View<f32>,
    places: View<f32>,
    slices: Slices,
    world: World,
    exponent: Exponent,
    sums: ViewMut<f64>,
) {
    let sources = (sources, Some(weights));
    add_up(world, sources, places, slices, exponent, sums);
}

/// Writes what slices of the sources add at the targets of the calling block.
#[inline(always)]
fn add_up<L: Lengths>(
    lengths: L,
    sources: (View<f32>, Option<View<f32>>),
    places: View<f32>,
    slices: Slices,
    exponent: Exponent,
    sums: ViewMut<f64>,
) {
    let partial = shared_view![f64; 3 * PARTIAL as usize];
    let mine = thread::thread_idx_x() as usize;
    let threads = thread::block_dim_x() as usize;
    let mut part = thread::block_idx_x() as u64;
    while part < slices.targets * slices.count {
        let (slice, target) = div_rem(part, slices.targets);
        let from = 3 * target as usize;
        let at = [0, 1, 2].map(|axis| places.read(from + axis) as f64);
        let [start, end] = slices.range(slice);
        let mut first = LANES * mine;
        while first < PARTIAL as usize {
            let range = [start as usize + first, end as usize];
            let made = sum_of(lengths, sources, range, at, exponent);
            let mut lane = 0;
            while lane < LANES {
                let mut axis = 0;
                while axis < 3 {
                    partial.write(axis * PARTIAL as usize + first + lane, made[axis][lane]);
                    axis += 1;
                }
                lane += 1;
            }
            first += LANES * threads;
        }
        thread::sync_threads();
        let mut axis = mine;
        while axis < 3 {
            let (mut sum, mut other) = (0.0, 0);
            while other < PARTIAL as usize {
                sum += partial.read(axis * PARTIAL as usize + other);
                other += 1;
            }
            sums.write(slices.sums(slice, target) + axis, sum);
            axis += threads;
        }
        thread::sync_threads();
        part += thread::grid_dim_x() as u64;
    }
}

/// What every 128th source makes, from the first on and from those beside it.
#[cuda_std::inline_closures]
#[inline(always)]
fn sum_of<L: Lengths>(
    lengths: L,
    (sources, weights): (View<f32>, Option<View<f32>>),
    [first, end]: [usize; 2],
    at: [f64; 3],
    exponent: Exponent,
) -> [Lanes; 3] {
    let mut sums = [[0.0; LANES]; 3];
    let mut start = first;
    // all lanes have a source, so that nothing is asked for each
    while start + LANES <= end {
        let from =
            |axis: usize| each(|lane| at[axis] - sources.read(3 * (start + lane) + axis) as f64);
        let [x, y, z] = [from(0), from(1), from(2)];
        let vector = |axis: usize| each(|lane| lengths.vector([x[lane], y[lane], z[lane]])[axis]);
        let own = each(|lane| weight_at(weights, start + lane) as f64);
        let own = L::WEIGHTED.then_some(own);
        add(&mut sums, [vector(0), vector(1), vector(2)], own, exponent);
        start += PARTIAL as usize;
    }
    if start < end {
        // where there is none, one so far away that it makes nothing
        let from = |axis: usize| {
            each(|lane| {
                if start + lane < end {
                    at[axis] - sources.read(3 * (start + lane) + axis) as f64
                } else {
                    NOWHERE
                }
            })
        };
        let [x, y, z] = [from(0), from(1), from(2)];
        let vector = |axis: usize| each(|lane| lengths.vector([x[lane], y[lane], z[lane]])[axis]);
        let own = each(|lane| {
            if start + lane < end {
                weight_at(weights, start + lane) as f64
            } else {
                0.0
            }
        });
        let own = L::WEIGHTED.then_some(own);
        add(&mut sums, [vector(0), vector(1), vector(2)], own, exponent);
    }
    sums
}

/// Adds what some sources make: x, y and z from them to the target, and their own weights.
#[cuda_std::inline_closures]
#[inline(always)]
fn add(sums: &mut [Lanes; 3], [x, y, z]: [Lanes; 3], own: Option<Lanes>, exponent: Exponent) {
    let squared = each(|lane| {
        let across = GpuFloat::mul_add(y[lane], y[lane], z[lane] * z[lane]);
        GpuFloat::mul_add(x[lane], x[lane], across)
    });
    let inverse = each(|lane| 1.0 / squared[lane]);
    let mut weights = exponent.weights(squared, inverse);
    if let Some(own) = own {
        weights = each(|lane| weights[lane] * own[lane]);
    }
    sums[0] = each(|lane| GpuFloat::mul_add(weights[lane], x[lane], sums[0][lane]));
    sums[1] = each(|lane| GpuFloat::mul_add(weights[lane], y[lane], sums[1][lane]));
    sums[2] = each(|lane| GpuFloat::mul_add(weights[lane], z[lane], sums[2][lane]));
}
