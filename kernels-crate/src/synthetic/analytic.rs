//! Analytic fields.

use crate::{grid::Grid, rows::Rows};
use cuda_std::{GpuFloat, View, ViewMut, kernel};

/// Writes `radius` minus the distance from `centre`, in voxels: a sphere at isovalue 0, inside
/// above.
///
/// **Mapping:** runs of neighbouring samples per thread; no shared memory. **Traffic** per sample:
/// one write.
///
/// # Safety
/// `samples` holds `grid.samples()` elements; `rows` is the extent of the samples.
#[kernel(baseline)]
pub unsafe fn fill_sphere(
    grid: Grid,
    rows: Rows,
    centre: [f32; 3],
    radius: f32,
    samples: ViewMut<f32>,
) {
    rows.for_each_run(|run| {
        for x in run.start..run.end {
            let value = sphere_value([x, run.y, run.z], centre, radius);
            samples.write(grid.sample(x, run.y, run.z), value);
        }
    });
}

/// Returns `radius` minus the distance of a sample from `centre`.
#[inline(always)]
pub(super) fn sphere_value(sample: [u32; 3], centre: [f32; 3], radius: f32) -> f32 {
    let dx = sample[0] as f32 - centre[0];
    let dy = sample[1] as f32 - centre[1];
    let dz = sample[2] as f32 - centre[2];
    radius - GpuFloat::sqrt(dx * dx + dy * dy + dz * dz)
}

/// Writes Schoen's gyroid, `sin z cos y + sin y cos x + sin x cos z`.
///
/// `sines` and `cosines` are those of the x coordinates, then of y, then of z. **Mapping:** runs of
/// neighbouring samples per thread; no shared memory. **Traffic** per sample: two table entries
/// read, one value written.
///
/// # Safety
/// `sines` and `cosines` hold `nx + ny + nz` elements, `samples` `grid.samples()`; `rows` is the
/// extent of the samples.
#[kernel(baseline)]
pub unsafe fn fill_gyroid(
    grid: Grid,
    rows: Rows,
    sines: View<f32>,
    cosines: View<f32>,
    samples: ViewMut<f32>,
) {
    rows.for_each_run(|run| {
        let y = grid.nx as usize + run.y as usize;
        let z = grid.nx as usize + grid.ny as usize + run.z as usize;
        let (sin_y, cos_y) = (sines.read(y), cosines.read(y));
        let (sin_z, cos_z) = (sines.read(z), cosines.read(z));
        for x in run.start..run.end {
            let (sin_x, cos_x) = (sines.read(x as usize), cosines.read(x as usize));
            let value = sin_z * cos_y + sin_y * cos_x + sin_x * cos_z;
            samples.write(grid.sample(x, run.y, run.z), value);
        }
    });
}
