//! Signed distance field of a smooth union of capsules: bodies with limbs.

use crate::{grid::Grid, rows::Rows};
use cuda_std::{GpuFloat, View, ViewMut, kernel};

/// Map from indices to the coordinates of the capsules: `scale · index + offset` along each axis.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scaling {
    /// Scale along x, y and z.
    pub scale: [f32; 3],
    /// Offset along x, y and z.
    pub offset: [f32; 3],
}

/// Numbers per capsule: centre and radius at one end, then at the other.
pub const CAPSULE_LEN: usize = 8;

/// Returns the signed distance of a point from a capsule, negative inside; a slight underestimate
/// if the radii differ.
#[cuda_std::inline_closures]
#[inline(always)]
fn distance(capsules: View<f32>, capsule: usize, point: [f32; 3]) -> f32 {
    let at = |number: usize| capsules.read(capsule * CAPSULE_LEN + number);
    let from = [at(0), at(1), at(2)];
    let along = [at(4) - from[0], at(5) - from[1], at(6) - from[2]];
    let to = [point[0] - from[0], point[1] - from[1], point[2] - from[2]];
    let length_squared = along[0] * along[0] + along[1] * along[1] + along[2] * along[2];
    let projection = to[0] * along[0] + to[1] * along[1] + to[2] * along[2];
    let part = if projection <= 0.0 {
        0.0
    } else if projection >= length_squared {
        1.0
    } else {
        projection / length_squared
    };
    let away = [
        to[0] - part * along[0],
        to[1] - part * along[1],
        to[2] - part * along[2],
    ];
    let radius = at(3) + part * (at(7) - at(3));
    GpuFloat::sqrt(away[0] * away[0] + away[1] * away[1] + away[2] * away[2]) - radius
}

/// Returns the minimum of two distances, blended smoothly where they differ by less than `blend`.
#[inline(always)]
fn smooth_min(a: f32, b: f32, blend: f32) -> f32 {
    let (near, far) = if a < b { (a, b) } else { (b, a) };
    let apart = far - near;
    if apart >= blend {
        return near;
    }
    let part = (blend - apart) / blend;
    near - part * part * blend * 0.25
}

/// Writes the negated signed distance from the smooth union of capsules: a body at isovalue 0,
/// inside above.
///
/// `capsules` holds [`CAPSULE_LEN`] numbers per capsule. Without capsules all values are the lowest
/// finite number. **Mapping:** runs of neighbouring samples per thread; no shared memory.
/// **Traffic** per sample: every capsule read (the same for the whole warp), one value written.
///
/// # Safety
/// `samples` holds `grid.samples()` elements; `rows` is the extent of the samples.
#[kernel(baseline)]
pub unsafe fn fill_capsules(
    grid: Grid,
    rows: Rows,
    scaling: Scaling,
    capsules: View<f32>,
    blend: f32,
    samples: ViewMut<f32>,
) {
    rows.for_each_run(|run| {
        for x in run.start..run.end {
            let point = [
                scaling.scale[0] * x as f32 + scaling.offset[0],
                scaling.scale[1] * run.y as f32 + scaling.offset[1],
                scaling.scale[2] * run.z as f32 + scaling.offset[2],
            ];
            let mut min = f32::MAX;
            let mut capsule = 0;
            while (capsule + 1) * CAPSULE_LEN <= capsules.len() {
                min = smooth_min(distance(capsules, capsule, point), min, blend);
                capsule += 1;
            }
            samples.write(grid.sample(x, run.y, run.z), -min);
        }
    });
}
