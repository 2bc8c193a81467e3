//! Trilinear interpolation of a volume at arbitrary points.

use crate::{grid::Grid, rows::Items};
use cuda_std::{View, ViewMut, kernel};

/// Interpolates a volume trilinearly at points given in voxel coordinates. Points outside the
/// volume are clamped to it.
///
/// **Mapping:** one point per thread. **Memory:** reads three coordinates and eight samples, writes
/// one value; no shared memory.
///
/// # Safety
/// `samples` must hold `grid.samples()` elements, at least one. `points` must hold three elements
/// and `values` one for each of the `items.count` points.
#[kernel(baseline)]
pub unsafe fn interpolate_at_points(
    samples: View<f32>,
    grid: Grid,
    points: View<f32>,
    items: Items,
    values: ViewMut<f32>,
) {
    items.for_each(|item| {
        let [x, y, z] = [
            locate(points.read(3 * item), grid.nx),
            locate(points.read(3 * item + 1), grid.ny),
            locate(points.read(3 * item + 2), grid.nz),
        ];
        let mut sum = 0.0;
        let mut corner = 0u32;
        while corner < 8 {
            let [cx, cy, cz] = [
                x.corner(corner & 1),
                y.corner(corner >> 1 & 1),
                z.corner(corner >> 2),
            ];
            let at = (cz.0 * grid.ny as u64 + cy.0) * grid.nx as u64 + cx.0;
            sum += cx.1 * cy.1 * cz.1 * samples.read(at as usize);
            corner += 1;
        }
        values.write(item, sum);
    });
}

/// Two neighbouring samples along an axis, and the position between them.
#[derive(Clone, Copy)]
struct AxisSample {
    low: u32,
    high: u32,
    fraction: f32,
}

impl AxisSample {
    /// Returns the index and the weight of the lower (0) or the upper (1) sample.
    #[inline(always)]
    fn corner(self, which: u32) -> (u64, f32) {
        if which == 0 {
            (self.low as u64, 1.0 - self.fraction)
        } else {
            (self.high as u64, self.fraction)
        }
    }
}

/// Locates a coordinate on an axis of `len` voxels, clamping it to the axis.
#[inline(always)]
fn locate(at: f32, len: u32) -> AxisSample {
    let last = (len - 1) as f32;
    let at = if at > 0.0 { at } else { 0.0 };
    let at = if at < last { at } else { last };
    let low = at as u32;
    AxisSample {
        low,
        high: if low + 1 < len { low + 1 } else { low },
        fraction: at - low as f32,
    }
}
