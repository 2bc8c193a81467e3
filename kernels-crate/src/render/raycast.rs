//! Ray casting of an isosurface.

use super::{
    Camera, Light,
    light::unit,
    ray::Span,
    trilinear::{gradient, value},
};
use crate::{arith::div_rem, grid::Grid, rows::Rows, sample::Sample};
use cuda_std::{GpuFloat, View, ViewMut, kernel};

/// Number of bisections of the step in which the surface was hit: its position is accurate to 1/256
/// of a step.
const BISECTIONS: u32 = 8;

/// Renders the isosurface `iso` to 8-bit sRGB pixels: red, green, blue and alpha from the lowest
/// byte on.
///
/// A ray marches through the trilinear interpolant until it is inside (above `iso` if
/// `inside_above` is not 0, else below), bisects the last step, and shades the surface by the
/// gradient at the hit, transformed to world space by `gradient_to_world` (the transposed inverse
/// of the volume's linear part). If the ray enters the grid inside, the cut face is shaded flat.
///
/// **Mapping:** runs of neighbouring pixels per thread; no shared memory. **Traffic:** eight
/// samples read per step, one pixel written.
///
/// # Safety
/// `samples` holds `grid.samples()` elements, at least one along each axis; `pixels` holds `width ·
/// height`; `rows` is the extent of the pixels.
#[kernel(T = crate::sample::sample_types!)]
pub unsafe fn render_isosurface<T: Sample>(
    samples: View<T>,
    grid: Grid,
    rows: Rows,
    iso: f32,
    inside_above: u32,
    camera: Camera,
    gradient_to_world: [f32; 9],
    light: Light,
    pixels: ViewMut<u32>,
) {
    let sign = if inside_above != 0 { 1.0 } else { -1.0 };
    rows.for_each_run(|run| {
        for x in run.start..run.end {
            let (mut red, mut green, mut blue) = (0.0f32, 0.0f32, 0.0f32);
            let rays = camera.rays;
            let mut ray = 0;
            while ray < rays * rays {
                let (row, column) = div_rem(ray as u64, rays as u64);
                let px = x as f32 + (column as f32 + 0.5) / rays as f32;
                let py = run.y as f32 + (row as f32 + 0.5) / rays as f32;
                let start = camera.start(px, py);
                let colour = match first_hit(samples, grid, iso, sign, &camera, start) {
                    None => light.background,
                    Some(hit) => {
                        let m = &gradient_to_world;
                        let [gx, gy, gz] = hit.inward;
                        let along = |r: usize| -sign * (m[r] * gx + m[r + 1] * gy + m[r + 2] * gz);
                        light.shade(unit([along(0), along(3), along(6)]))
                    }
                };
                red += colour[0];
                green += colour[1];
                blue += colour[2];
                ray += 1;
            }
            let scale = 1.0 / (rays * rays) as f32;
            let pixel = encode(red * scale)
                | encode(green * scale) << 8
                | encode(blue * scale) << 16
                | 0xff00_0000;
            pixels.write(run.y as usize * camera.width as usize + x as usize, pixel);
        }
    });
}

/// Intersection of a ray with the surface.
struct Hit {
    /// Gradient at the intersection, per voxel, or the inward normal of the face in which the grid
    /// cuts the solid.
    inward: [f32; 3],
}

#[inline(always)]
fn first_hit<T: Sample>(
    samples: View<T>,
    grid: Grid,
    iso: f32,
    sign: f32,
    camera: &Camera,
    start: [f32; 3],
) -> Option<Hit> {
    let Span {
        enter,
        leave,
        inward,
    } = camera.span(start, grid)?;
    let inside =
        |step: f32| sign * (value(samples, grid, camera.point_at(start, step)) - iso) >= 0.0;
    if inside(enter) {
        // `shade()` turns it outward, like a gradient
        let inward = inward.map(|component| component * sign);
        return Some(Hit { inward });
    }
    let mut step = enter;
    let mut steps_left = camera.steps;
    loop {
        // steps are counted, since from 2²⁴ on `f32` cannot be incremented by 1
        if step >= leave || steps_left == 0 {
            return None;
        }
        steps_left -= 1;
        let next = if step + 1.0 < leave {
            step + 1.0
        } else {
            leave
        };
        if inside(next) {
            let (mut outer, mut inner) = (step, next);
            let mut bisection = 0;
            while bisection < BISECTIONS {
                let middle = 0.5 * (outer + inner);
                if inside(middle) {
                    inner = middle;
                } else {
                    outer = middle;
                }
                bisection += 1;
            }
            return Some(Hit {
                inward: gradient(samples, grid, camera.point_at(start, inner)),
            });
        }
        step = next;
    }
}

/// Encodes a linear channel as an 8-bit sRGB value, approximating the transfer curve by a square
/// root.
#[inline(always)]
fn encode(channel: f32) -> u32 {
    let channel = if channel > 0.0 { channel } else { 0.0 };
    let channel = if channel < 1.0 { channel } else { 1.0 };
    (GpuFloat::sqrt(channel) * 255.0 + 0.5) as u32
}
