//! Convolution with a symmetric kernel along one axis.

use crate::{
    grid::{Grid, X, Y},
    rows::Rows,
    sample::Sample,
};
use cuda_std::{View, ViewMut, kernel};

/// Convolves a volume along one axis (0, 1 or 2) with symmetric weights: `weights[k]` is the weight
/// of the samples `k` steps away on both sides, for `k` up to `radius`; that of the sample itself
/// makes the sum 1. Beyond the border, the outermost sample repeats. The weights apply to the
/// differences from the sample, so that constant regions keep their value exactly.
///
/// **Mapping:** runs of neighbouring samples per thread; no shared memory. **Traffic** per sample:
/// `2 · radius + 1` samples and `radius` weights read, mostly from caches; one write.
///
/// # Safety
/// `samples` and `filtered` hold `grid.samples()` elements, `weights` more than `radius`; `rows` is
/// the extent of the samples.
#[kernel(T = crate::sample::sample_types!)]
pub unsafe fn convolve_axis<T: Sample>(
    grid: Grid,
    rows: Rows,
    axis: u32,
    radius: u32,
    weights: View<f32>,
    samples: View<T>,
    filtered: ViewMut<f32>,
) {
    rows.for_each(|[x, y, z]| {
        let at = grid.sample(x, y, z);
        let (position, len, stride) = if axis == X {
            (x, grid.nx, 1)
        } else if axis == Y {
            (y, grid.ny, grid.nx as usize)
        } else {
            (z, grid.nz, grid.nx as usize * grid.ny as usize)
        };
        let first = at - position as usize * stride;
        let last = len - 1;
        let centre = samples.read(at).value();
        let mut sum = 0.0;
        let mut step = 1;
        while step <= radius {
            let below = position.saturating_sub(step);
            let above = if last - position > step {
                position + step
            } else {
                last
            };
            let below = samples.read(first + below as usize * stride).value();
            let above = samples.read(first + above as usize * stride).value();
            sum += weights.read(step as usize) * ((below - centre) + (above - centre));
            step += 1;
        }
        filtered.write(at, centre + sum);
    });
}
