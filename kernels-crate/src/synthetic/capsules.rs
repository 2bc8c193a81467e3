//! The field of a smooth union of capsules: bodies with limbs.

use crate::{grid::Grid, rows::Rows};
use cuda_std::{GpuFloat, View, ViewMut, kernel};

/// From indices to the coordinates that capsules are given in: `scale · index + offset` along each
/// axis.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scaling {
    /// Along x, y and z.
    pub scale: [f32; 3],
    /// Along x, y and z.
    pub offset: [f32; 3],
}

/// Numbers of a capsule: the place and the radius at one end, and at the other.
pub const CAPSULE: usize = 8;

/// The distance of a place from capsule number `capsule`, less than 0 inside. Where the radii
/// differ it is a little less than that.
#[inline(always)]
fn distance(capsules: View<f32>, capsule: usize, place: [f32; 3]) -> f32 {
    let at = |number: usize| capsules.read(capsule * CAPSULE + number);
    let from = [at(0), at(1), at(2)];
    let along = [at(4) - from[0], at(5) - from[1], at(6) - from[2]];
    let to = [place[0] - from[0], place[1] - from[1], place[2] - from[2]];
    let square = along[0] * along[0] + along[1] * along[1] + along[2] * along[2];
    let reach = to[0] * along[0] + to[1] * along[1] + to[2] * along[2];
    let part = if reach <= 0.0 {
        0.0
    } else if reach >= square {
        1.0
    } else {
        reach / square
    };
    let away = [
        to[0] - part * along[0],
        to[1] - part * along[1],
        to[2] - part * along[2],
    ];
    let radius = at(3) + part * (at(7) - at(3));
    GpuFloat::sqrt(away[0] * away[0] + away[1] * away[1] + away[2] * away[2]) - radius
}

/// The lesser of two distances, rounded off where they differ by less than `blend`.
#[inline(always)]
fn smooth_least(a: f32, b: f32, blend: f32) -> f32 {
    let (near, far) = if a < b { (a, b) } else { (b, a) };
    let apart = far - near;
    if apart >= blend {
        return near;
    }
    let part = (blend - apart) / blend;
    near - part * part * blend * 0.25
}

/// Writes how deep samples are in the smooth union of capsules: a body at isovalue 0, inside above.
///
/// `capsules` holds [`CAPSULE`] numbers for each. A thread takes runs of neighbouring samples; per
/// sample it reads every capsule (the same for the whole warp) and writes one value. Without any
/// capsule the values are the least there are.
///
/// # Safety
/// `samples` holds `grid.samples()` elements; `rows` is the extent of the samples.
#[kernel]
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
            let place = [
                scaling.scale[0] * x as f32 + scaling.offset[0],
                scaling.scale[1] * run.y as f32 + scaling.offset[1],
                scaling.scale[2] * run.z as f32 + scaling.offset[2],
            ];
            let mut least = f32::MAX;
            let mut capsule = 0;
            while (capsule + 1) * CAPSULE <= capsules.len() {
                least = smooth_least(distance(capsules, capsule, place), least, blend);
                capsule += 1;
            }
            samples.write(grid.sample(x, run.y, run.z), -least);
        }
    });
}
