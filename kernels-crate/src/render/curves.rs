//! Rendering of curves over an image.

use super::{
    Light,
    cones::{ConeHit, ConeSphere},
};
use crate::{arith::div_rem, rows::Rows};
use cuda_std::{GpuFloat, View, ViewMut, kernel};

/// Parameters of an overlay of curves.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlay {
    /// Image width in pixels.
    pub width: u32,
    /// Number of tiles along x.
    pub tiles_per_row: u32,
    /// Binary logarithm of the side of a tile in pixels.
    pub log2_tile_size: u32,
    /// Rays per pixel along x and y.
    pub rays: u32,
    /// Fraction of the background colour blended into the image below: from 0 to 1.
    pub background_mix: f32,
    /// Depth beyond which curves fade into the background, in pixels.
    pub fade_start: f32,
    /// Fraction by which curves fade per pixel beyond `fade_start`.
    pub fade_per_pixel: f32,
    /// Maximum fraction by which curves fade.
    pub max_fade: f32,
    /// 0 for flat colours, otherwise curves are lit.
    pub is_lit: u32,
    /// 0 for the background of the light, otherwise the background is transparent.
    pub is_transparent: u32,
}

/// Draws cone spheres over an image, in place: the nearest on each ray, averaged over the rays of a
/// pixel. The image below is first blended with the background, or made more transparent if the
/// background is transparent, and occludes nothing.
///
/// The cone spheres visible in tile t, sorted by their minimum depth, are
/// `members[starts[t]..starts[t + 1]]`. Directions of `light` are in image axes: x to the right, y
/// down, z away from the viewer.
///
/// **Mapping:** runs of neighbouring pixels per thread; no shared memory.
///
/// # Safety
/// `cones` has [`CONE_LEN`](super::CONE_LEN) numbers for each index in `members`; `starts` has one
/// element per tile of the image and one more, none beyond the end of `members`; `pixels` holds
/// `rows.nx · rows.ny` elements, and `overlay.width` equals `rows.nx`.
#[kernel]
pub unsafe fn render_curves(
    cones: View<f32>,
    starts: View<u32>,
    members: View<u32>,
    rows: Rows,
    overlay: Overlay,
    light: Light,
    pixels: ViewMut<u32>,
) {
    rows.for_each_run(|run| {
        for x in run.start..run.end {
            let index = run.y as usize * overlay.width as usize + x as usize;
            let background = light.background.map(encode);
            let (below, alpha) = decode(pixels.read(index));
            let is_transparent = overlay.is_transparent != 0;
            let mix = |k: usize| below[k] + overlay.background_mix * (background[k] - below[k]);
            let (below, alpha) = if is_transparent {
                (below, alpha * (1.0 - overlay.background_mix))
            } else {
                ([mix(0), mix(1), mix(2)], 1.0)
            };
            let row_of_tiles =
                (run.y >> overlay.log2_tile_size) as usize * overlay.tiles_per_row as usize;
            let tile = row_of_tiles + (x >> overlay.log2_tile_size) as usize;
            // most pixels of a tile are not near a curve
            let center = [x as f32 + 0.5, run.y as f32 + 0.5];
            let tile_members = [starts.read(tile), starts.read(tile + 1)];
            let [first, end] = members_near(cones, members, tile_members, center);
            let (mut colour, mut cover) = (below, alpha);
            if first < end {
                let rays = overlay.rays;
                // colours are weighted by their opacity, which is 1 for curves
                let mut sum = [0.0f32; 4];
                let mut ray = 0;
                while ray < rays * rays {
                    let (row, column) = div_rem(ray as u64, rays as u64);
                    let px = x as f32 + (column as f32 + 0.5) / rays as f32;
                    let py = run.y as f32 + (row as f32 + 0.5) / rays as f32;
                    let (seen, weight) = match first_cone(cones, members, first, end, px, py) {
                        None => (below, alpha),
                        Some((cone, hit)) => {
                            let along = cone.colour(hit.along);
                            let fades = !is_transparent;
                            (
                                shade_curve(&overlay, &light, along, hit, background, fades),
                                1.0,
                            )
                        }
                    };
                    sum = [
                        sum[0] + weight * seen[0],
                        sum[1] + weight * seen[1],
                        sum[2] + weight * seen[2],
                        sum[3] + weight,
                    ];
                    ray += 1;
                }
                let scale = if sum[3] > 0.0 { 1.0 / sum[3] } else { 0.0 };
                colour = [sum[0] * scale, sum[1] * scale, sum[2] * scale];
                cover = sum[3] / (rays * rays) as f32;
            }
            let [red, green, blue] = colour.map(|channel| (channel * 255.0 + 0.5) as u32);
            let alpha = (cover * 255.0 + 0.5) as u32;
            pixels.write(index, red | green << 8 | blue << 16 | alpha << 24);
        }
    });
}

/// Distance from the centre of a pixel to its farthest ray, with a margin for rounding.
const PIXEL_MARGIN: f32 = 1.0;

/// Returns the part of a list that contains all cone spheres that rays of a pixel meet.
#[inline(always)]
fn members_near(
    cones: View<f32>,
    members: View<u32>,
    [first, end]: [u32; 2],
    [px, py]: [f32; 2],
) -> [u32; 2] {
    let mut near = [end, first];
    let mut at = first;
    while at < end {
        let cone = ConeSphere::read(cones, members.read(at as usize));
        if cone.is_near(px, py, PIXEL_MARGIN) {
            near = [if near[0] < at { near[0] } else { at }, at + 1];
        }
        at += 1;
    }
    near
}

/// Returns the first cone sphere on a ray, given a list sorted by minimum depth.
#[inline(always)]
fn first_cone(
    cones: View<f32>,
    members: View<u32>,
    first: u32,
    end: u32,
    px: f32,
    py: f32,
) -> Option<(ConeSphere, ConeHit)> {
    let mut best = f32::MAX;
    let mut found = None;
    let mut at = first;
    while at < end {
        let cone = ConeSphere::read(cones, members.read(at as usize));
        if cone.min_depth() >= best {
            break;
        }
        if let Some(hit) = cone.intersect(px, py, best) {
            best = hit.depth;
            found = Some((cone, hit));
        }
        at += 1;
    }
    found
}

/// Returns the encoded colour of a point on a curve, lit, and faded into the background with depth:
/// channels from 0 to 1.
#[cuda_std::inline_closures]
#[inline(always)]
fn shade_curve(
    overlay: &Overlay,
    light: &Light,
    colour: [f32; 3],
    hit: ConeHit,
    background: [f32; 3],
    fades: bool,
) -> [f32; 3] {
    let colour = if overlay.is_lit != 0 {
        let own = Light {
            surface: colour,
            ..*light
        };
        own.shade(hit.normal)
    } else {
        colour
    };
    let colour = colour.map(encode);
    if !fades {
        return colour;
    }
    let fade = (hit.depth - overlay.fade_start) * overlay.fade_per_pixel;
    let fade = if fade > 0.0 { fade } else { 0.0 };
    let fade = if fade < overlay.max_fade {
        fade
    } else {
        overlay.max_fade
    };
    let mix = |k: usize| colour[k] + fade * (background[k] - colour[k]);
    [mix(0), mix(1), mix(2)]
}

/// Encodes a linear channel in 0..1, approximating the sRGB transfer curve by a square root.
#[inline(always)]
fn encode(channel: f32) -> f32 {
    let channel = if channel > 0.0 { channel } else { 0.0 };
    GpuFloat::sqrt(if channel < 1.0 { channel } else { 1.0 })
}

/// Returns the colour of a pixel and its opacity, from 0 to 1.
#[cuda_std::inline_closures]
#[inline(always)]
fn decode(pixel: u32) -> ([f32; 3], f32) {
    let channel = |shift: u32| (pixel >> shift & 0xff) as f32 / 255.0;
    ([channel(0), channel(8), channel(16)], channel(24))
}
