//! The picture of curves over that of an object.

use super::{
    Light,
    cones::{Cone, ConeHit},
};
use crate::{arith::div_rem, rows::Rows};
use cuda_std::{GpuFloat, View, ViewMut, kernel};

/// How curves are drawn over a picture.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlay {
    /// Pixels along x.
    pub width: u32,
    /// Tiles along x.
    pub tiles: u32,
    /// The side of a tile is 2 to this power of pixels.
    pub tile_power: u32,
    /// Rays per pixel along x and y.
    pub rays: u32,
    /// How much of the picture below gives way to the background: from 0 to 1.
    pub pale: f32,
    /// The depth that curves are paler beyond,
    pub near: f32,
    /// how much of their colour they lose for each pixel beyond it,
    pub fading: f32,
    /// and how much they lose at most.
    pub faded: f32,
    /// Whether curves are lit: 0 for flat colours.
    pub is_lit: u32,
}

/// Draws cones with round ends over a picture, in place: the nearest on each ray, and between the
/// rays of a pixel the mean. The picture below becomes paler first, and hides nothing.
///
/// A tile has the cones that can be seen in it, by number and by the depth that they begin at:
/// those of tile t are `members[starts[t]..starts[t + 1]]`. Directions of `light` are in the
/// picture's own axes: x to the right, y down, z away. A thread takes runs of neighbouring pixels.
/// Nothing is shared in the block.
///
/// # Safety
/// `cones` has [`CONE`](super::CONE) numbers for each that `members` names, `starts` an element for
/// each tile of the picture and one more, none of them beyond the end of `members`; `pixels` holds
/// `rows.nx · rows.ny`, with `overlay.width` the same as `rows.nx`.
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
            let below = decode(pixels.read(index));
            let mix = |k: usize| below[k] + overlay.pale * (background[k] - below[k]);
            let below = [mix(0), mix(1), mix(2)];
            let row_of_tiles = (run.y >> overlay.tile_power) as usize * overlay.tiles as usize;
            let tile = row_of_tiles + (x >> overlay.tile_power) as usize;
            let (first, end) = (starts.read(tile), starts.read(tile + 1));
            let mut colour = below;
            if first < end {
                let rays = overlay.rays;
                let mut sum = [0.0f32; 3];
                let mut ray = 0;
                while ray < rays * rays {
                    let (row, column) = div_rem(ray as u64, rays as u64);
                    let px = x as f32 + (column as f32 + 0.5) / rays as f32;
                    let py = run.y as f32 + (row as f32 + 0.5) / rays as f32;
                    let seen = match first_cone(cones, members, first, end, px, py) {
                        None => below,
                        Some((cone, hit)) => {
                            shown(&overlay, &light, cone.colour(hit.along), hit, background)
                        }
                    };
                    sum = [sum[0] + seen[0], sum[1] + seen[1], sum[2] + seen[2]];
                    ray += 1;
                }
                let scale = 1.0 / (rays * rays) as f32;
                colour = sum.map(|channel| channel * scale);
            }
            let [red, green, blue] = colour.map(|channel| (channel * 255.0 + 0.5) as u32);
            pixels.write(index, red | green << 8 | blue << 16 | 0xff00_0000);
        }
    });
}

/// The cone that a ray meets first, of those in order of the depth that they begin at.
#[inline(always)]
fn first_cone(
    cones: View<f32>,
    members: View<u32>,
    first: u32,
    end: u32,
    px: f32,
    py: f32,
) -> Option<(Cone, ConeHit)> {
    let mut best = f32::MAX;
    let mut found = None;
    let mut at = first;
    while at < end {
        let cone = Cone::read(cones, members.read(at as usize));
        if cone.nearest() >= best {
            break;
        }
        if let Some(hit) = cone.meet(px, py, best) {
            best = hit.depth;
            found = Some((cone, hit));
        }
        at += 1;
    }
    found
}

/// The colour of a place on a curve, lit and paler with its depth, as 8-bit pictures have it: from
/// 0 to 1.
#[inline(always)]
fn shown(
    overlay: &Overlay,
    light: &Light,
    colour: [f32; 3],
    hit: ConeHit,
    background: [f32; 3],
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
    let lost = (hit.depth - overlay.near) * overlay.fading;
    let lost = if lost > 0.0 { lost } else { 0.0 };
    let lost = if lost < overlay.faded {
        lost
    } else {
        overlay.faded
    };
    let mix = |k: usize| colour[k] + lost * (background[k] - colour[k]);
    [mix(0), mix(1), mix(2)]
}

/// A linear channel as pictures have it, from 0 to 1: the transfer curve of sRGB is approximated by
/// a square root.
#[inline(always)]
fn encode(channel: f32) -> f32 {
    let channel = if channel > 0.0 { channel } else { 0.0 };
    GpuFloat::sqrt(if channel < 1.0 { channel } else { 1.0 })
}

/// The channels of a pixel, from 0 to 1.
#[inline(always)]
fn decode(pixel: u32) -> [f32; 3] {
    let channel = |shift: u32| (pixel >> shift & 0xff) as f32 / 255.0;
    [channel(0), channel(8), channel(16)]
}
