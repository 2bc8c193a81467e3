//! Forces from series.

use super::{BRICK, MAX_ORDER, MAX_TERMS, VOXELS};
use cuda_std::{GpuFloat, SharedView, View, ViewMut, kernel, shared_view, thread};

/// Powers of an order that go together along two axes, at most.
const MAX_ROWS: usize = ((MAX_ORDER + 1) * (MAX_ORDER + 2) / 2) as usize;

/// Powers along an axis, at most.
const MAX_POWERS: usize = MAX_ORDER as usize + 1;

/// Voxels along a side, and of a plane, of a brick.
const SIDE: usize = BRICK as usize;
const PLANE: usize = SIDE * SIDE;

/// Bricks whose forces are made.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Far {
    /// The first one's number.
    pub first: u64,
    /// How many.
    pub nodes: u64,
    /// The order of the series.
    pub order: u32,
    /// Its coefficients.
    pub terms: u32,
    /// What a force in sides of a brick is multiplied by: their power `-m`, and -1, since it is
    /// minus a gradient.
    pub scale: f64,
}

/// The sums over one and then two of the three powers, in shared memory: 34.4 KiB.
#[derive(Clone, Copy)]
struct Partial {
    /// The series.
    series: SharedView<f64>,
    /// Summed up along z, for each plane and pair of powers along x and y: the series, and its
    /// derivative along z.
    along_z: SharedView<f64>,
    /// And along y, for each row and power along x: the series, and its derivatives along y and z.
    along_y: SharedView<f64>,
}

/// The force that far bricks exert on each voxel of some bricks: minus the gradient of the brick's
/// series, in `f64`.
///
/// A block takes bricks. Powers are summed up along z, then y, then x, so that a voxel takes some
/// 24 products with order 8. 34.4 KiB are shared in the block. Per brick the series is read, and
/// three numbers for each of its 512 voxels are written, x fastest.
///
/// # Safety
/// `series` hold `far.terms` elements for each brick, in the order of powers along x, y and z, the
/// last fastest; `rows` say for each pair of powers along x and y, `x (order + 1) + y`, where its
/// terms begin; `powers` have for each place along a side of a brick all `u^k / k!` up to the
/// order; `forces` have three elements for each voxel of `far.nodes` bricks.
#[kernel(fused)]
pub unsafe fn far_forces(
    series: View<f32>,
    rows: View<u32>,
    powers: View<f64>,
    far: Far,
    forces: ViewMut<f64>,
) {
    let partial = Partial {
        series: shared_view![f64; MAX_TERMS],
        along_z: shared_view![f64; 2 * SIDE * MAX_ROWS],
        along_y: shared_view![f64; 3 * PLANE * MAX_POWERS],
    };
    let mut node = thread::block_idx_x() as u64;
    while node < far.nodes {
        let from = (far.first + node) as usize * far.terms as usize;
        for_each(far.terms as usize, |term| {
            partial.series.write(term, series.read(from + term) as f64);
        });
        thread::sync_threads();
        let count = far.order as usize + 1;
        for_each(SIDE * count * count, |item| {
            let (z, pair) = (item % SIDE, item / SIDE);
            sum_along_z(&partial, rows, powers, far.order, z, pair);
        });
        thread::sync_threads();
        for_each(PLANE * count, |item| {
            sum_along_y(&partial, powers, far.order, item % PLANE, item / PLANE);
        });
        thread::sync_threads();
        for_each(VOXELS, |voxel| {
            let force = sum_along_x(&partial, powers, far.order, voxel);
            let to = 3 * (node as usize * VOXELS + voxel);
            forces.write(to, far.scale * force[0]);
            forces.write(to + 1, far.scale * force[1]);
            forces.write(to + 2, far.scale * force[2]);
        });
        // the next brick's sums come where these are
        thread::sync_threads();
        node += thread::grid_dim_x() as u64;
    }
}

/// Calls `visit` with the calling thread's items.
#[inline(always)]
fn for_each(count: usize, mut visit: impl FnMut(usize)) {
    let mut item = thread::thread_idx_x() as usize;
    while item < count {
        visit(item);
        item += thread::block_dim_x() as usize;
    }
}

/// Where the sums of a plane and a pair of powers are. There are as many pairs as `i + j` up to the
/// order has.
#[inline(always)]
fn at_z(derivative: usize, z: usize, i: usize, j: usize, order: u32) -> usize {
    // the pairs before those with i: order + 1, order, ...
    let before = i * (2 * order as usize + 3 - i) / 2;
    (derivative * SIDE + z) * MAX_ROWS + before + j
}

#[inline(always)]
fn at_y(derivative: usize, row: usize, i: usize) -> usize {
    (derivative * PLANE + row) * MAX_POWERS + i
}

#[inline(always)]
fn sum_along_z(
    partial: &Partial,
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
    let mut last = 0.0;
    let mut k = 0;
    while k + i + j <= order as usize {
        let coefficient = partial.series.read(first + k);
        let power = powers.read(z * count + k);
        sum = GpuFloat::mul_add(coefficient, power, sum);
        // the derivative of u^k / k! is the one before
        slope = GpuFloat::mul_add(coefficient, last, slope);
        last = power;
        k += 1;
    }
    partial.along_z.write(at_z(0, z, i, j, order), sum);
    partial.along_z.write(at_z(1, z, i, j, order), slope);
}

#[inline(always)]
fn sum_along_y(partial: &Partial, powers: View<f64>, order: u32, row: usize, i: usize) {
    let count = order as usize + 1;
    let (y, z) = (row % SIDE, row / SIDE);
    let (mut sum, mut slope, mut along_z) = (0.0, 0.0, 0.0);
    let mut last = 0.0;
    let mut j = 0;
    while i + j <= order as usize {
        let value = partial.along_z.read(at_z(0, z, i, j, order));
        let derivative = partial.along_z.read(at_z(1, z, i, j, order));
        let power = powers.read(y * count + j);
        sum = GpuFloat::mul_add(value, power, sum);
        slope = GpuFloat::mul_add(value, last, slope);
        along_z = GpuFloat::mul_add(derivative, power, along_z);
        last = power;
        j += 1;
    }
    partial.along_y.write(at_y(0, row, i), sum);
    partial.along_y.write(at_y(1, row, i), slope);
    partial.along_y.write(at_y(2, row, i), along_z);
}

/// The gradient at a voxel.
#[inline(always)]
fn sum_along_x(partial: &Partial, powers: View<f64>, order: u32, voxel: usize) -> [f64; 3] {
    let count = order as usize + 1;
    let (x, row) = (voxel % SIDE, voxel / SIDE);
    let mut sums = [0.0; 3];
    let mut last = 0.0;
    let mut i = 0;
    while i < count {
        let power = powers.read(x * count + i);
        let along = |derivative: usize| partial.along_y.read(at_y(derivative, row, i));
        sums = [
            GpuFloat::mul_add(along(0), last, sums[0]),
            GpuFloat::mul_add(along(1), power, sums[1]),
            GpuFloat::mul_add(along(2), power, sums[2]),
        ];
        last = power;
        i += 1;
    }
    sums
}
