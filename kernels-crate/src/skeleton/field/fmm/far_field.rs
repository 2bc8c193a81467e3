//! Evaluation of local expansions: the far-field forces (L2P).

use super::{BRICK, BRICK_VOXELS, MAX_ORDER, MAX_TERMS};
use cuda_std::{GpuFloat, SharedView, View, ViewMut, kernel, shared_view, thread};

/// Maximum number of power pairs along x and y.
const MAX_XY_POWERS: usize = ((MAX_ORDER + 1) * (MAX_ORDER + 2) / 2) as usize;

/// Maximum number of powers along one axis.
const MAX_AXIS_POWERS: usize = MAX_ORDER as usize + 1;

/// Voxels along a brick's edge, and in a plane of a brick.
const SIDE: usize = BRICK as usize;
const PLANE: usize = SIDE * SIDE;

/// Range of bricks to evaluate.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FarFieldBatch {
    /// Index of the first brick.
    pub first: u64,
    /// Number of bricks.
    pub bricks: u64,
    /// Order of the expansions.
    pub order: u32,
    /// Number of coefficients per expansion.
    pub terms: u32,
    /// Factor from forces in brick units to forces in lattice units: `BRICK^-m`, negated because
    /// the force is minus the gradient of the potential.
    pub scale: f64,
}

/// Partial sums over one and two of the three powers, in shared memory (34.4 KiB).
#[derive(Clone, Copy)]
struct PartialSums {
    /// Coefficients of the expansion.
    expansion: SharedView<f64>,
    /// Sums over the powers of z, by plane and pair of powers of x and y: value, and derivative
    /// along z.
    along_z: SharedView<f64>,
    /// Sums over the powers of y, by row and power of x: value, and derivatives along y and z.
    along_y: SharedView<f64>,
}

/// Computes the far-field force at each voxel of some bricks: minus the gradient of the brick's
/// local expansion, in `f64`.
///
/// **Mapping:** one brick per block. **Phases**, separated by barriers: (1) load the expansion; (2)
/// sum over the powers of z, (3) of y, (4) of x, so that a voxel costs about 24 products at order
/// 8. **Memory:** 34.4 KiB of shared memory; reads one expansion and writes three elements for each
/// of the 512 voxels, x fastest.
///
/// # Safety
/// `local_expansions` must hold `batch.terms` elements per brick, ordered by the powers of x, y and
/// z, the last fastest. `rows` must hold, for each pair of powers of x and y at `x (order + 1) +
/// y`, the index of its first term. `powers` must hold `u^k / k!` for each position along a brick's
/// edge and each `k` up to the order. `forces` must hold three elements per voxel of `batch.bricks`
/// bricks.
#[kernel(fused)]
pub unsafe fn evaluate_local_expansions(
    local_expansions: View<f32>,
    rows: View<u32>,
    powers: View<f64>,
    batch: FarFieldBatch,
    forces: ViewMut<f64>,
) {
    let partial = PartialSums {
        expansion: shared_view![f64; MAX_TERMS],
        along_z: shared_view![f64; 2 * SIDE * MAX_XY_POWERS],
        along_y: shared_view![f64; 3 * PLANE * MAX_AXIS_POWERS],
    };
    let mut brick_index = thread::block_idx_x() as u64;
    while brick_index < batch.bricks {
        let first_term = (batch.first + brick_index) as usize * batch.terms as usize;
        for_each(batch.terms as usize, |term| {
            partial
                .expansion
                .write(term, local_expansions.read(first_term + term) as f64);
        });
        thread::sync_threads();
        let count = batch.order as usize + 1;
        for_each(SIDE * count * count, |item| {
            let (z, pair) = (item % SIDE, item / SIDE);
            sum_along_z(&partial, rows, powers, batch.order, z, pair);
        });
        thread::sync_threads();
        for_each(PLANE * count, |item| {
            sum_along_y(&partial, powers, batch.order, item % PLANE, item / PLANE);
        });
        thread::sync_threads();
        for_each(BRICK_VOXELS, |voxel| {
            let force = sum_along_x(&partial, powers, batch.order, voxel);
            let first_output = 3 * (brick_index as usize * BRICK_VOXELS + voxel);
            forces.write(first_output, batch.scale * force[0]);
            forces.write(first_output + 1, batch.scale * force[1]);
            forces.write(first_output + 2, batch.scale * force[2]);
        });
        // the next brick overwrites the partial sums
        thread::sync_threads();
        brick_index += thread::grid_dim_x() as u64;
    }
}

/// Calls `visit` for each item of the calling thread.
#[inline(always)]
fn for_each(count: usize, mut visit: impl FnMut(usize)) {
    let mut item = thread::thread_idx_x() as usize;
    while item < count {
        visit(item);
        item += thread::block_dim_x() as usize;
    }
}

/// Returns the index of the sum for a plane `z` and the powers `i` of x and `j` of y, where `i + j`
/// is at most the order.
#[inline(always)]
fn along_z_index(derivative: usize, z: usize, i: usize, j: usize, order: u32) -> usize {
    // number of pairs with a smaller i: order + 1, order, …
    let before = i * (2 * order as usize + 3 - i) / 2;
    (derivative * SIDE + z) * MAX_XY_POWERS + before + j
}

#[inline(always)]
fn along_y_index(derivative: usize, row: usize, i: usize) -> usize {
    (derivative * PLANE + row) * MAX_AXIS_POWERS + i
}

#[inline(always)]
fn sum_along_z(
    partial: &PartialSums,
    rows: View<u32>,
    powers: View<f64>,
    order: u32,
    z: usize,
    pair: usize,
) {
    let count = order as usize + 1;
    let (i, j) = (pair / count, pair % count);
    if i + j > order as usize {
        return;
    }
    let first = rows.read(pair) as usize;
    let (mut sum, mut slope) = (0.0, 0.0);
    let mut previous_power = 0.0;
    let mut k = 0;
    while k + i + j <= order as usize {
        let coefficient = partial.expansion.read(first + k);
        let power = powers.read(z * count + k);
        sum = GpuFloat::mul_add(coefficient, power, sum);
        // the derivative of u^k / k! is u^(k - 1) / (k - 1)!
        slope = GpuFloat::mul_add(coefficient, previous_power, slope);
        previous_power = power;
        k += 1;
    }
    partial.along_z.write(along_z_index(0, z, i, j, order), sum);
    partial
        .along_z
        .write(along_z_index(1, z, i, j, order), slope);
}

#[inline(always)]
fn sum_along_y(partial: &PartialSums, powers: View<f64>, order: u32, row: usize, i: usize) {
    let count = order as usize + 1;
    let (y, z) = (row % SIDE, row / SIDE);
    let (mut sum, mut slope, mut along_z) = (0.0, 0.0, 0.0);
    let mut previous_power = 0.0;
    let mut j = 0;
    while i + j <= order as usize {
        let value = partial.along_z.read(along_z_index(0, z, i, j, order));
        let derivative = partial.along_z.read(along_z_index(1, z, i, j, order));
        let power = powers.read(y * count + j);
        sum = GpuFloat::mul_add(value, power, sum);
        slope = GpuFloat::mul_add(value, previous_power, slope);
        along_z = GpuFloat::mul_add(derivative, power, along_z);
        previous_power = power;
        j += 1;
    }
    partial.along_y.write(along_y_index(0, row, i), sum);
    partial.along_y.write(along_y_index(1, row, i), slope);
    partial.along_y.write(along_y_index(2, row, i), along_z);
}

/// Returns the gradient at a voxel.
#[cuda_std::inline_closures]
#[inline(always)]
fn sum_along_x(partial: &PartialSums, powers: View<f64>, order: u32, voxel: usize) -> [f64; 3] {
    let count = order as usize + 1;
    let (x, row) = (voxel % SIDE, voxel / SIDE);
    let mut sums = [0.0; 3];
    let mut previous_power = 0.0;
    let mut i = 0;
    while i < count {
        let power = powers.read(x * count + i);
        let along = |derivative: usize| partial.along_y.read(along_y_index(derivative, row, i));
        sums = [
            GpuFloat::mul_add(along(0), previous_power, sums[0]),
            GpuFloat::mul_add(along(1), power, sums[1]),
            GpuFloat::mul_add(along(2), power, sums[2]),
        ];
        previous_power = power;
        i += 1;
    }
    sums
}
