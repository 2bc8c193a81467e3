//! The picture of an isosurface.

use super::{
    Camera, Light,
    light::unit,
    ray::Span,
    trilinear::{gradient, value},
};
use crate::{arith::div_rem, grid::Grid, rows::Rows, sample::Sample};
use cuda_std::{GpuFloat, View, ViewMut, kernel};

/// Halvings of the step in which the surface was met: it is found to 1/256 of a step.
const HALVINGS: u32 = 8;

/// Draws the isosurface `iso`, as 8-bit sRGB red, green, blue and alpha in the bytes of each pixel
/// from the lowest on.
///
/// A thread takes runs of neighbouring pixels. Per ray it steps through the trilinear interpolant
/// until it is inside (above `iso` where `inside_above` is not 0, else below), halves the last
/// step, and lights the surface by the gradient there, taken to world space by `gradient_to_world`
/// (the transpose of the inverse of the volume's linear part). Where the ray enters the grid
/// inside, the cut is drawn flat. Per step eight samples are read; one pixel is written. Nothing is
/// shared in the block.
///
/// # Safety
/// `samples` holds `grid.samples()` elements, at least one along each axis; `pixels` holds
/// `width · height`; `rows` is the extent of the pixels.
#[kernel(T = [u8, i8, u16, i16, f32])]
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

/// Where a ray meets the surface.
struct Hit {
    /// The gradient there (per voxel), or the inward normal of the grid's face where the surface is
    /// cut.
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
    let inside = |step: f32| sign * (value(samples, grid, camera.at(start, step)) - iso) >= 0.0;
    if inside(enter) {
        // as a gradient that shade() will turn outwards
        let inward = inward.map(|component| component * sign);
        return Some(Hit { inward });
    }
    let mut step = enter;
    let mut left = camera.steps;
    loop {
        // counted, since from 2²⁴ on no number of f32 grows by 1
        if step >= leave || left == 0 {
            return None;
        }
        left -= 1;
        let next = if step + 1.0 < leave {
            step + 1.0
        } else {
            leave
        };
        if inside(next) {
            let (mut outer, mut inner) = (step, next);
            let mut halving = 0;
            while halving < HALVINGS {
                let middle = 0.5 * (outer + inner);
                if inside(middle) {
                    inner = middle;
                } else {
                    outer = middle;
                }
                halving += 1;
            }
            return Some(Hit {
                inward: gradient(samples, grid, camera.at(start, inner)),
            });
        }
        step = next;
    }
}

/// A linear channel as an 8-bit sRGB value, with the transfer curve approximated by a square root.
#[inline(always)]
fn encode(channel: f32) -> u32 {
    let channel = if channel > 0.0 { channel } else { 0.0 };
    let channel = if channel < 1.0 { channel } else { 1.0 };
    (GpuFloat::sqrt(channel) * 255.0 + 0.5) as u32
}
