//! Trilinear interpolation of the samples.

use crate::{grid::Grid, sample::Sample};
use cuda_std::{GpuFloat, View};

/// Returns the trilinear interpolant at an index position, clamped to the grid. Not finite if a
/// sample around it is not.
#[inline(always)]
pub fn value<T: Sample>(samples: View<T>, grid: Grid, at: [f32; 3]) -> f32 {
    let (x, fx, dx) = cell(at[0], grid.nx);
    let (y, fy, dy) = cell(at[1], grid.ny);
    let (z, fz, dz) = cell(at[2], grid.nz);
    let base = grid.sample(x, y, z);
    let (dy, dz) = (
        dy as usize * grid.nx as usize,
        dz as usize * grid.nx as usize * grid.ny as usize,
    );
    let row = |offset: usize| {
        let low = samples.read(base + offset).value();
        let high = samples.read(base + offset + dx as usize).value();
        low + fx * (high - low)
    };
    let plane = |offset: usize| {
        let low = row(offset);
        let high = row(offset + dy);
        low + fy * (high - low)
    };
    let low = plane(0);
    let high = plane(dz);
    low + fz * (high - low)
}

/// Returns the gradient of the interpolant per voxel, by central differences two voxels wide;
/// narrower ones make the cells visible.
#[inline(always)]
pub fn gradient<T: Sample>(samples: View<T>, grid: Grid, at: [f32; 3]) -> [f32; 3] {
    let [x, y, z] = at;
    let field = |x, y, z| value(samples, grid, [x, y, z]);
    [
        0.5 * (field(x + 1.0, y, z) - field(x - 1.0, y, z)),
        0.5 * (field(x, y + 1.0, z) - field(x, y - 1.0, z)),
        0.5 * (field(x, y, z + 1.0) - field(x, y, z - 1.0)),
    ]
}

/// Returns the cell along one axis that contains `at`: index of the lower sample, fraction, and the
/// step to the upper sample.
#[inline(always)]
fn cell(at: f32, count: u32) -> (u32, f32, u32) {
    let last = (count - 1) as f32;
    let at = if at > 0.0 { at } else { 0.0 };
    let at = if at < last { at } else { last };
    let mut low = GpuFloat::floor(at) as u32;
    if low + 1 >= count && low > 0 {
        low -= 1;
    }
    (low, at - low as f32, (count > 1) as u32)
}
