//! Resampling along the axes of the grid.
//!
//! Positions are separable: a table has one entry per target sample along x, then y, then z.

use crate::{
    grid::Grid,
    rows::Rows,
    sample::{Count, Sample},
};
use cuda_std::{View, ViewMut, kernel};

/// Returns the entries of a table for the target sample `[x, y, z]`.
#[inline(always)]
const fn entries(target: Grid, [x, y, z]: [u32; 3]) -> [usize; 3] {
    let (x, y, z) = (x as usize, y as usize, z as usize);
    let (nx, ny) = (target.nx as usize, target.ny as usize);
    [x, nx + y, nx + ny + z]
}

/// Interpolates between two samples; the lower one exactly where `fraction` is 0.
#[inline(always)]
fn interpolate(low: f32, high: f32, fraction: f32) -> f32 {
    if fraction > 0.0 {
        low + fraction * (high - low)
    } else {
        low
    }
}

/// Interpolates a volume trilinearly at the positions `lows + fractions` of a target grid, in
/// samples of the source along each axis.
///
/// **Mapping:** runs of neighbouring target samples per thread; no shared memory. **Traffic** per
/// target sample: up to eight samples and six table entries read, mostly from caches; one write.
///
/// # Safety
/// `samples` holds `grid.samples()` elements and `resampled` `target.samples()`; `rows` is the
/// extent of the target samples. `lows` and `fractions` hold one element per target sample along
/// x, y and z together. Each low index lies on its axis of `grid`, and so does the next one where
/// the fraction is greater than 0.
#[kernel(T = crate::sample::sample_types!)]
pub unsafe fn resample_linear<T: Sample>(
    grid: Grid,
    target: Grid,
    rows: Rows,
    lows: View<u32>,
    fractions: View<f32>,
    samples: View<T>,
    resampled: ViewMut<f32>,
) {
    rows.for_each(|index| {
        let [x, y, z] = entries(target, index);
        let base = grid.sample(lows.read(x), lows.read(y), lows.read(z));
        let (fx, fy, fz) = (fractions.read(x), fractions.read(y), fractions.read(z));
        let row_len = grid.nx as usize;
        let dx = (fx > 0.0) as usize;
        let dy = (fy > 0.0) as usize * row_len;
        let dz = (fz > 0.0) as usize * row_len * grid.ny as usize;
        let row = |first: usize| {
            let low = samples.read(first).value();
            let high = samples.read(first + dx).value();
            interpolate(low, high, fx)
        };
        let plane = |first: usize| interpolate(row(first), row(first + dy), fy);
        let value = interpolate(plane(base), plane(base + dz), fz);
        let [x, y, z] = index;
        resampled.write(target.sample(x, y, z), value);
    });
}

/// Copies the nearest sample to each sample of a target grid. The samples are copied as words, so
/// that every sample type of their size is kept bit for bit.
///
/// **Mapping:** runs of neighbouring target samples per thread; no shared memory. **Traffic** per
/// target sample: one sample and three table entries read; one write.
///
/// # Safety
/// `samples` holds `grid.samples()` elements and `resampled` `target.samples()`; `rows` is the
/// extent of the target samples. `nearest` holds one index of `grid` per target sample along x, y
/// and z together.
#[kernel(T = [u8, u16, u32, u64])]
pub unsafe fn resample_nearest<T: Count>(
    grid: Grid,
    target: Grid,
    rows: Rows,
    nearest: View<u32>,
    samples: View<T>,
    resampled: ViewMut<T>,
) {
    rows.for_each(|index| {
        let [x, y, z] = entries(target, index);
        let from = grid.sample(nearest.read(x), nearest.read(y), nearest.read(z));
        let [x, y, z] = index;
        resampled.write(target.sample(x, y, z), samples.read(from));
    });
}
