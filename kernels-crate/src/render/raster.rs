//! Rasterisation of triangle meshes: visibility, and shading of what is visible.

use super::{Light, light::unit};
use crate::{
    arith::{div_rem, div_rem_u32},
    rows::{Items, Rows},
};
use cuda_std::{GpuFloat, View, ViewMut, kernel};

/// Key of a sample that no triangle covers. Keys are stored inverted, so that it is stored as 0.
const EMPTY_KEY: u64 = u64::MAX;

/// Subdivisions of a sample's side in fixed-point coordinates.
const SUBPIXELS: i64 = 256;
/// Largest fixed-point coordinate: products of two differences fit 64 bits.
const MAX_COORDINATE: f32 = 1.0e9;

/// Orthographic projection, and the rows of samples that are drawn.
///
/// A position is projected to samples to the right and down, and to a depth, which is the distance
/// from the viewer in samples: each a product with the first three elements, plus the fourth.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Raster {
    /// Projection to samples to the right.
    pub right: [f32; 4],
    /// Projection to samples down.
    pub down: [f32; 4],
    /// Projection to depths.
    pub depth: [f32; 4],
    /// Samples per row.
    pub width: u32,
    /// First row of samples that is drawn.
    pub first: u32,
    /// Number of rows that are drawn.
    pub rows: u32,
    /// Samples per pixel along x and y.
    pub rays: u32,
    /// Parts of the rows of a triangle that are drawn by separate threads, at least 1.
    pub parts: u32,
}

/// Vertex of a triangle on the picture.
#[derive(Clone, Copy)]
struct Projected {
    x: i64,
    y: i64,
    depth: f32,
}

impl Raster {
    #[inline(always)]
    fn along(row: [f32; 4], [x, y, z]: [f32; 3]) -> f32 {
        row[0] * x + row[1] * y + row[2] * z + row[3]
    }

    /// Projects a vertex, or returns `None` if it is far outside of any picture.
    #[inline(always)]
    fn project(&self, positions: View<f32>, vertex: u32) -> Option<Projected> {
        let position = read3(positions, vertex);
        let x = Self::along(self.right, position) * SUBPIXELS as f32;
        let y = Self::along(self.down, position) * SUBPIXELS as f32;
        let depth = Self::along(self.depth, position);
        let is_near = |value: f32| value > -MAX_COORDINATE && value < MAX_COORDINATE;
        if !(is_near(x) && is_near(y)) {
            return None;
        }
        Some(Projected {
            x: round(x),
            y: round(y),
            depth: if depth > 0.0 { depth } else { 0.0 },
        })
    }

    /// Projects a triangle; `None` if it has no area on the picture. The vertices are exchanged so
    /// that the area is positive.
    #[inline(always)]
    fn triangle(
        &self,
        positions: View<f32>,
        triangles: View<u32>,
        triangle: usize,
    ) -> Option<Covered> {
        let corner = |k: usize| triangles.read(3 * triangle + k);
        let a = self.project(positions, corner(0))?;
        let b = self.project(positions, corner(1))?;
        let c = self.project(positions, corner(2))?;
        let area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
        if area == 0 {
            return None;
        }
        Some(if area > 0 {
            Covered {
                a,
                b,
                c,
                area,
                is_swapped: false,
            }
        } else {
            Covered {
                a,
                b: c,
                c: b,
                area: -area,
                is_swapped: true,
            }
        })
    }
}

#[inline(always)]
fn read3(list: View<f32>, index: u32) -> [f32; 3] {
    let at = 3 * index as usize;
    [list.read(at), list.read(at + 1), list.read(at + 2)]
}

/// Rounds to the nearest integer, halves upwards.
#[inline(always)]
fn round(value: f32) -> i64 {
    GpuFloat::floor(value + 0.5) as i64
}

/// Triangle of positive area on the picture.
#[derive(Clone, Copy)]
struct Covered {
    a: Projected,
    b: Projected,
    c: Projected,
    /// Twice the area, in squared fixed-point units.
    area: i64,
    /// `true` if the second and the third vertex were exchanged.
    is_swapped: bool,
}

impl Covered {
    /// Returns the weights of the vertices at a point, times the area.
    #[inline(always)]
    fn weights(&self, x: i64, y: i64) -> [i64; 3] {
        [
            edge(self.b, self.c, x, y),
            edge(self.c, self.a, x, y),
            edge(self.a, self.b, x, y),
        ]
    }

    /// Returns `true` if the triangle owns a point with these weights. A point on an edge belongs
    /// to one of the two triangles there.
    #[inline(always)]
    fn owns(&self, [u, v, w]: [i64; 3]) -> bool {
        (u > 0 || u == 0 && owns_edge(self.b, self.c))
            && (v > 0 || v == 0 && owns_edge(self.c, self.a))
            && (w > 0 || w == 0 && owns_edge(self.a, self.b))
    }

    #[inline(always)]
    fn depth(&self, [u, v, w]: [i64; 3]) -> f32 {
        (u as f32 * self.a.depth + v as f32 * self.b.depth + w as f32 * self.c.depth)
            / self.area as f32
    }
}

#[inline(always)]
fn edge(from: Projected, to: Projected, x: i64, y: i64) -> i64 {
    (to.x - from.x) * (y - from.y) - (to.y - from.y) * (x - from.x)
}

/// Returns `true` for left edges and horizontal edges at the top.
#[inline(always)]
fn owns_edge(from: Projected, to: Projected) -> bool {
    to.y < from.y || to.y == from.y && to.x > from.x
}

#[inline(always)]
fn least(a: i64, b: i64) -> i64 {
    if a < b { a } else { b }
}

#[inline(always)]
fn most(a: i64, b: i64) -> i64 {
    if a > b { a } else { b }
}

/// Writes, for each sample that a triangle covers, the smallest key of a depth and a triangle: the
/// bits of the depth in the upper half, and the number of the triangle in the lower half. Keys are
/// stored inverted, from element `first_key` on. The result does not depend on the order of the
/// threads.
///
/// **Mapping:** one part of a triangle per thread; no shared memory. **Traffic:** per triangle,
/// three indices and nine coordinates read; one atomic maximum of 64 bits per covered sample.
///
/// # Safety
/// `triangles` holds three indices per triangle, each below a third of the length of `positions`;
/// `items.count` is the number of triangles from `first_triangle` on, times `raster.parts`; `keys`
/// holds `raster.width · raster.rows` elements from `first_key` on.
#[kernel]
pub unsafe fn raster_triangles(
    items: Items,
    positions: View<f32>,
    triangles: View<u32>,
    first_triangle: u32,
    first_key: u64,
    raster: Raster,
    keys: ViewMut<u64>,
) {
    items.for_each(|item| {
        let (triangle, part) = if raster.parts == 1 {
            (item as u64, 0)
        } else {
            div_rem(item as u64, raster.parts as u64)
        };
        let triangle = first_triangle + triangle as u32;
        if let Some(covered) = raster.triangle(positions, triangles, triangle as usize) {
            let Covered { a, b, c, .. } = covered;
            // samples have their centres at half of their sides
            let first = |low: i64| (low + SUBPIXELS / 2 - 1).div_euclid(SUBPIXELS);
            let last = |high: i64| (high - SUBPIXELS / 2).div_euclid(SUBPIXELS);
            let left = most(first(least(a.x, least(b.x, c.x))), 0);
            let right = least(last(most(a.x, most(b.x, c.x))), raster.width as i64 - 1);
            let top = most(first(least(a.y, least(b.y, c.y))), raster.first as i64);
            let end = raster.first as i64 + raster.rows as i64;
            let bottom = least(last(most(a.y, most(b.y, c.y))), end - 1);
            let mut row = top + part as i64;
            while row <= bottom {
                let y = row * SUBPIXELS + SUBPIXELS / 2;
                let start = first_key as usize
                    + (row - raster.first as i64) as usize * raster.width as usize;
                let mut column = left;
                while column <= right {
                    let x = column * SUBPIXELS + SUBPIXELS / 2;
                    let weights = covered.weights(x, y);
                    if covered.owns(weights) {
                        let depth = covered.depth(weights).to_bits() as u64;
                        let key = depth << 32 | triangle as u64;
                        keys.atomic_max(start + column as usize, !key);
                    }
                    column += 1;
                }
                row += raster.parts as i64;
            }
        }
    });
}

/// Number of elements per surface in the list of surfaces: linear red, green and blue, and opacity.
pub const SURFACE_LEN: usize = 4;

/// Shading of a picture of surfaces.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shading {
    /// First row of pixels that is shaded.
    pub first: u32,
    /// Row of pixels of the first samples.
    pub first_sampled: u32,
    /// Width of the picture in pixels.
    pub width: u32,
    /// Number of surfaces.
    pub surfaces: u32,
    /// 0 for the background of the light, otherwise the background is transparent.
    pub is_transparent: u32,
    /// Radius within which nearer surfaces darken a sample, in samples; 0 for no occlusion.
    pub occlusion_radius: f32,
    /// Fraction by which a surface is darkened that is entirely occluded.
    pub occlusion: f32,
}

/// Shades the pixels of a picture of surfaces from the keys of [`raster_triangles`].
///
/// `keys` holds the samples of one surface after the other. On each sample the surfaces are blended
/// from the nearest to the farthest, and the samples of a pixel are averaged. Triangles that are
/// clockwise on the picture are seen from inside, and their normals are turned.
///
/// **Mapping:** runs of neighbouring pixels per thread; no shared memory.
///
/// # Safety
/// As [`raster_triangles`]; `normals` has a vector per vertex; `surfaces` holds [`SURFACE_LEN`]
/// numbers per surface, `keys` `raster.width · raster.rows` per surface; `pixels` holds the whole
/// picture, and `rows` is the extent of the pixels from row `shading.first` on, whose samples are
/// among those drawn.
#[kernel]
pub unsafe fn shade_surfaces(
    rows: Rows,
    positions: View<f32>,
    normals: View<f32>,
    triangles: View<u32>,
    surfaces: View<f32>,
    raster: Raster,
    shading: Shading,
    light: Light,
    keys: View<u64>,
    pixels: ViewMut<u32>,
) {
    let sampled = SampledSurfaces {
        positions,
        normals,
        triangles,
        surfaces,
        raster,
        shading,
        keys,
    };
    let rays = raster.rays;
    rows.for_each_run(|run| {
        for x in run.start..run.end {
            let mut sum = [0.0f32; 4];
            let mut sample = 0;
            while sample < rays * rays {
                let (row, column) = div_rem_u32(sample, rays);
                let at = [
                    x * rays + column,
                    (shading.first - shading.first_sampled + run.y) * rays + row,
                ];
                let [red, green, blue, cover] = sampled.blend(&light, at);
                sum = [sum[0] + red, sum[1] + green, sum[2] + blue, sum[3] + cover];
                sample += 1;
            }
            let scale = 1.0 / (rays * rays) as f32;
            let [red, green, blue, cover] = sum.map(|channel| channel * scale);
            let pixel = if shading.is_transparent != 0 {
                let part = if cover > 0.0 { 1.0 / cover } else { 0.0 };
                [red, green, blue].map(|channel| channel * part)
            } else {
                let behind = |k: usize, channel: f32| channel + (1.0 - cover) * light.background[k];
                [behind(0, red), behind(1, green), behind(2, blue)]
            };
            let alpha = if shading.is_transparent != 0 {
                (cover * 255.0 + 0.5) as u32
            } else {
                255
            };
            let [red, green, blue] = pixel.map(encode);
            let index = (shading.first + run.y) as usize * shading.width as usize + x as usize;
            pixels.write(index, red | green << 8 | blue << 16 | alpha << 24);
        }
    });
}

/// Samples of a picture and the surfaces that they show.
#[derive(Clone, Copy)]
struct SampledSurfaces<'a> {
    positions: View<'a, f32>,
    normals: View<'a, f32>,
    triangles: View<'a, u32>,
    surfaces: View<'a, f32>,
    raster: Raster,
    shading: Shading,
    keys: View<'a, u64>,
}

impl SampledSurfaces<'_> {
    /// Returns the key of a surface at a sample.
    #[inline(always)]
    fn key(&self, surface: u32, [column, row]: [u32; 2]) -> u64 {
        let plane = self.raster.width as usize * self.raster.rows as usize;
        let at = row as usize * self.raster.width as usize + column as usize;
        !self.keys.read(surface as usize * plane + at)
    }

    /// Returns the linear colour of a sample times its coverage, and the coverage.
    #[inline(always)]
    fn blend(&self, light: &Light, at: [u32; 2]) -> [f32; 4] {
        let mut colour = [0.0f32; 3];
        let mut remaining = 1.0f32;
        let mut nearest = self.next_key(at, 0);
        while nearest.1 != EMPTY_KEY && remaining > 0.001 {
            let (surface, key) = nearest;
            let first = surface as usize * SURFACE_LEN;
            let own = |k: usize| self.surfaces.read(first + k);
            let opacity = own(3);
            let own_light = Light {
                surface: [own(0), own(1), own(2)],
                ..*light
            };
            let normal = self.normal(light, key as u32, at);
            let lit = own_light.shade(normal);
            let weight =
                remaining * opacity * self.openness(f32::from_bits((key >> 32) as u32), at);
            colour = [
                colour[0] + weight * lit[0],
                colour[1] + weight * lit[1],
                colour[2] + weight * lit[2],
            ];
            remaining *= 1.0 - opacity;
            nearest = self.next_key(at, key + 1);
        }
        [colour[0], colour[1], colour[2], 1.0 - remaining]
    }

    /// Returns the smallest key from `from` on, and its surface.
    #[inline(always)]
    fn next_key(&self, at: [u32; 2], from: u64) -> (u32, u64) {
        let mut found = (0, EMPTY_KEY);
        let mut surface = 0;
        while surface < self.shading.surfaces {
            let key = self.key(surface, at);
            if key >= from && key < found.1 {
                found = (surface, key);
            }
            surface += 1;
        }
        found
    }

    /// Returns the unit normal of a triangle at a sample, on the side that is seen.
    #[inline(always)]
    fn normal(&self, light: &Light, triangle: u32, [column, row]: [u32; 2]) -> [f32; 3] {
        let covered = self
            .raster
            .triangle(self.positions, self.triangles, triangle as usize);
        let Some(covered) = covered else {
            return light.viewer;
        };
        let center = |at: u32| at as i64 * SUBPIXELS + SUBPIXELS / 2;
        let row = self.raster.first + row;
        let [u, v, w] = covered
            .weights(center(column), center(row))
            .map(|it| it as f32);
        let corner = |k: usize| {
            let vertex = self.triangles.read(3 * triangle as usize + k);
            read3(self.normals, vertex)
        };
        let a = corner(0);
        let (b, c) = if covered.is_swapped {
            (corner(2), corner(1))
        } else {
            (corner(1), corner(2))
        };
        let along = |k: usize| u * a[k] + v * b[k] + w * c[k];
        let normal = unit([along(0), along(1), along(2)]);
        // seen from inside; rows count downwards, which exchanges the sides
        if covered.is_swapped {
            normal
        } else {
            normal.map(|component| -component)
        }
    }

    /// Returns the fraction of the light that reaches a sample: less in hollows, where the surface
    /// on opposite sides is nearer to the viewer.
    #[inline(always)]
    fn openness(&self, depth: f32, at: [u32; 2]) -> f32 {
        let radius = self.shading.occlusion_radius;
        if radius <= 0.0 {
            return 1.0;
        }
        let mut hollow = 0.0f32;
        let mut ring = 1;
        while ring <= RINGS {
            let distance = radius * ring as f32 / RINGS as f32;
            let mut number = 0;
            while number < DIRECTIONS {
                let [x, y] = direction(number);
                let ahead = self.rise(depth, at, [x * distance, y * distance], distance);
                let behind = self.rise(depth, at, [-x * distance, -y * distance], distance);
                let mean = 0.5 * (ahead + behind) / distance;
                hollow += if mean > 0.0 { mean } else { 0.0 };
                number += 1;
            }
            ring += 1;
        }
        let part = hollow / (RINGS * DIRECTIONS) as f32 * OCCLUSION_GAIN;
        let part = if part < 1.0 { part } else { 1.0 };
        1.0 - self.shading.occlusion * part
    }

    /// Returns the height of the nearest surface at an offset above a depth, at most `limit` in
    /// magnitude; 0 outside of the samples and of the surfaces.
    #[inline(always)]
    fn rise(&self, depth: f32, [column, row]: [u32; 2], [x, y]: [f32; 2], limit: f32) -> f32 {
        let x = column as f32 + x + 0.5;
        let y = row as f32 + y + 0.5;
        let Raster { width, rows, .. } = self.raster;
        if !(x >= 0.0 && y >= 0.0 && x < width as f32 && y < rows as f32) {
            return 0.0;
        }
        let (_, key) = self.next_key([x as u32, y as u32], 0);
        if key == EMPTY_KEY {
            return 0.0;
        }
        let rise = depth - f32::from_bits((key >> 32) as u32);
        if rise > limit {
            limit
        } else if rise < -limit {
            -limit
        } else {
            rise
        }
    }
}

/// Number of rings of points that are compared for occlusion.
const RINGS: u32 = 3;
/// Factor from the mean slope of the surroundings to the occluded fraction.
const OCCLUSION_GAIN: f32 = 2.2;
/// Number of directions of half of the points of a ring; the others are opposite.
const DIRECTIONS: u32 = 4;

/// Returns a direction of the points of a ring. Selected instead of indexed, because a list with a
/// variable index would be in local memory.
#[inline(always)]
fn direction(number: u32) -> [f32; 2] {
    let select = |a: f32, b: f32, c: f32, d: f32| {
        let low = if number == 0 { a } else { b };
        let high = if number == 2 { c } else { d };
        if number < 2 { low } else { high }
    };
    [
        select(0.966, 0.5, -0.259, -0.866),
        select(0.259, 0.866, 0.966, 0.5),
    ]
}

/// Encodes a linear channel as an 8-bit sRGB value, approximating the transfer curve by a square
/// root.
#[inline(always)]
fn encode(channel: f32) -> u32 {
    let channel = if channel > 0.0 { channel } else { 0.0 };
    let channel = if channel < 1.0 { channel } else { 1.0 };
    (GpuFloat::sqrt(channel) * 255.0 + 0.5) as u32
}
