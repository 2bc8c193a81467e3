//! Direct summation over all sources, with results independent of device and block size.

use crate::arith::div_rem;
use crate::skeleton::field::{
    Exponent, SourceSlices, UnitMetric, VoxelMetric, WorldMetric,
    points::{FAR_AWAY, LANES, Lanes, per_lane},
    tile::weight_at,
};
use cuda_std::{GpuFloat, View, ViewMut, kernel, shared_view, thread};

/// Partial sums per slice and target, to which the sources are assigned cyclically; also the
/// maximum number of threads per target.
pub const PARTIAL_SUMS: u32 = 128;

/// Computes each slice's contribution to the force at the listed voxels, in `f64`.
///
/// Source `i` of a slice is added to partial sum `i mod 128`, and the partial sums are added in
/// order, so the result does not depend on the device or the block size.
///
/// **Mapping:** one block per (voxel, slice) pair; the threads share the partial sums, which occupy
/// 3 KiB of shared memory. **Memory:** reads three floats per voxel and per source of the slice;
/// writes three elements, in the layout of `reduce_force_slices`.
///
/// # Safety
/// `sources` must hold three coordinates per source, `targets` three per target; `sums` must hold
/// three elements per target and slice. Blocks must have at most [`PARTIAL_SUMS`] threads.
#[kernel(fused)]
pub unsafe fn sum_all_pairs(
    sources: View<f32>,
    targets: View<f32>,
    slices: SourceSlices,
    exponent: Exponent,
    sums: ViewMut<f64>,
) {
    sum_slices(UnitMetric, (sources, None), targets, slices, exponent, sums);
}

/// Computes each slice's contribution to the force at the listed voxels, for anisotropic or oblique
/// voxels.
///
/// **Mapping and memory:** as for [`sum_all_pairs`]; also reads one weight per source.
///
/// # Safety
/// As for [`sum_all_pairs`]; `weights` must hold one element per source or be empty, in which case
/// every weight is 1.
#[kernel(fused)]
pub unsafe fn sum_all_pairs_in_world(
    sources: View<f32>,
    weights: View<f32>,
    targets: View<f32>,
    slices: SourceSlices,
    world: WorldMetric,
    exponent: Exponent,
    sums: ViewMut<f64>,
) {
    let sources = (sources, Some(weights));
    sum_slices(world, sources, targets, slices, exponent, sums);
}

/// Writes the slice sums of the calling block's targets.
#[cuda_std::inline_closures]
#[inline(always)]
fn sum_slices<L: VoxelMetric>(
    metric: L,
    sources: (View<f32>, Option<View<f32>>),
    targets: View<f32>,
    slices: SourceSlices,
    exponent: Exponent,
    sums: ViewMut<f64>,
) {
    let partial = shared_view![f64; 3 * PARTIAL_SUMS as usize];
    let thread_index = thread::thread_idx_x() as usize;
    let threads = thread::block_dim_x() as usize;
    let mut part = thread::block_idx_x() as u64;
    while part < slices.targets * slices.count {
        let (slice, target) = div_rem(part, slices.targets);
        let from = 3 * target as usize;
        let at = [0, 1, 2].map(|axis| targets.read(from + axis) as f64);
        let [start, end] = slices.range(slice);
        let mut first = LANES * thread_index;
        while first < PARTIAL_SUMS as usize {
            let range = [start as usize + first, end as usize];
            let lane_sums = sum_partials(metric, sources, range, at, exponent);
            let mut lane = 0;
            while lane < LANES {
                let mut axis = 0;
                while axis < 3 {
                    partial.write(
                        axis * PARTIAL_SUMS as usize + first + lane,
                        lane_sums[axis][lane],
                    );
                    axis += 1;
                }
                lane += 1;
            }
            first += LANES * threads;
        }
        thread::sync_threads();
        let mut axis = thread_index;
        while axis < 3 {
            let (mut sum, mut k) = (0.0, 0);
            while k < PARTIAL_SUMS as usize {
                sum += partial.read(axis * PARTIAL_SUMS as usize + k);
                k += 1;
            }
            sums.write(slices.sum_index(slice, target) + axis, sum);
            axis += threads;
        }
        thread::sync_threads();
        part += thread::grid_dim_x() as u64;
    }
}

/// Computes [`LANES`] consecutive partial sums, the first of which starts at source `first`.
#[cuda_std::inline_closures]
#[inline(always)]
fn sum_partials<L: VoxelMetric>(
    metric: L,
    (sources, weights): (View<f32>, Option<View<f32>>),
    [first, end]: [usize; 2],
    at: [f64; 3],
    exponent: Exponent,
) -> [Lanes; 3] {
    let mut sums = [[0.0; LANES]; 3];
    let mut start = first;
    // all lanes have a source, so no bounds test is needed
    while start + LANES <= end {
        let from = |axis: usize| {
            per_lane(|lane| at[axis] - sources.read(3 * (start + lane) + axis) as f64)
        };
        let [x, y, z] = [from(0), from(1), from(2)];
        let vector =
            |axis: usize| per_lane(|lane| metric.to_world([x[lane], y[lane], z[lane]])[axis]);
        let source_weights = per_lane(|lane| weight_at(weights, start + lane) as f64);
        let source_weights = L::WEIGHTED.then_some(source_weights);
        add(
            &mut sums,
            [vector(0), vector(1), vector(2)],
            source_weights,
            exponent,
        );
        start += PARTIAL_SUMS as usize;
    }
    if start < end {
        // lanes without a source get one so far away that it contributes nothing
        let from = |axis: usize| {
            per_lane(|lane| {
                if start + lane < end {
                    at[axis] - sources.read(3 * (start + lane) + axis) as f64
                } else {
                    FAR_AWAY
                }
            })
        };
        let [x, y, z] = [from(0), from(1), from(2)];
        let vector =
            |axis: usize| per_lane(|lane| metric.to_world([x[lane], y[lane], z[lane]])[axis]);
        let source_weights = per_lane(|lane| {
            if start + lane < end {
                weight_at(weights, start + lane) as f64
            } else {
                0.0
            }
        });
        let source_weights = L::WEIGHTED.then_some(source_weights);
        add(
            &mut sums,
            [vector(0), vector(1), vector(2)],
            source_weights,
            exponent,
        );
    }
    sums
}

/// Adds the contributions of the given differences from sources to the target.
#[cuda_std::inline_closures]
#[inline(always)]
fn add(
    sums: &mut [Lanes; 3],
    [x, y, z]: [Lanes; 3],
    source_weights: Option<Lanes>,
    exponent: Exponent,
) {
    let squared = per_lane(|lane| {
        let across = GpuFloat::mul_add(y[lane], y[lane], z[lane] * z[lane]);
        GpuFloat::mul_add(x[lane], x[lane], across)
    });
    let inverse = per_lane(|lane| 1.0 / squared[lane]);
    let mut weights = exponent.weights(squared, inverse);
    if let Some(source_weights) = source_weights {
        weights = per_lane(|lane| weights[lane] * source_weights[lane]);
    }
    sums[0] = per_lane(|lane| GpuFloat::mul_add(weights[lane], x[lane], sums[0][lane]));
    sums[1] = per_lane(|lane| GpuFloat::mul_add(weights[lane], y[lane], sums[1][lane]));
    sums[2] = per_lane(|lane| GpuFloat::mul_add(weights[lane], z[lane], sums[2][lane]));
}
