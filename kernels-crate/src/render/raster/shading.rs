//! Shading of the visible triangles of a picture.

use super::{
    EMPTY_KEY,
    projection::{Covered, Raster, SUBPIXELS, read3},
};
use crate::{
    arith::div_rem_u32,
    render::{
        Light,
        light::{dot, unit},
    },
    rows::Rows,
};
use cuda_std::{GpuFloat, View, ViewMut, inline_closures, kernel};

/// Number of elements per surface in the list of surfaces: linear red, green and blue; opacity; 1
/// for a surface whose vertices have colours of their own, otherwise 0; 1 for a surface with
/// creases, otherwise 0.
///
/// On a surface with creases, the normal of a triangle replaces that of a vertex at which the
/// triangle meets others at a large angle.
pub const SURFACE_LEN: usize = 6;

/// Cosine of the largest angle between the normals of a triangle and of its vertex that is not at a
/// crease: 34 degrees. At a corner of a cube it is 35 degrees or more: there, one face can have two
/// triangles and the others one each.
const CREASE_COSINE: f32 = 0.83;

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
/// As [`raster_triangles`]; `normals` has a vector per vertex, and so has `colours` if a surface
/// has colours per vertex; `surfaces` holds [`SURFACE_LEN`] numbers per surface, `keys`
/// `raster.width · raster.rows` per surface; `pixels` holds the whole picture, and `rows` is the
/// extent of the pixels from row `shading.first` on, whose samples are among those drawn.
///
/// [`raster_triangles`]: super::raster_triangles
#[kernel]
pub unsafe fn shade_surfaces(
    rows: Rows,
    positions: View<f32>,
    normals: View<f32>,
    colours: View<f32>,
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
        colours,
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
pub(super) struct SampledSurfaces<'a> {
    positions: View<'a, f32>,
    normals: View<'a, f32>,
    colours: View<'a, f32>,
    triangles: View<'a, u32>,
    surfaces: View<'a, f32>,
    pub raster: Raster,
    pub shading: Shading,
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
    #[cuda_std::inline_closures]
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
            let visible = self.visible_triangle(key as u32, at);
            let own_light = Light {
                surface: match visible {
                    Some(visible) if own(4) != 0.0 => {
                        let scale = 1.0 / visible.covered.area as f32;
                        let sums = visible.interpolate(|k| self.corner(self.colours, &visible, k));
                        [sums[0] * scale, sums[1] * scale, sums[2] * scale]
                    }
                    _ => [own(0), own(1), own(2)],
                },
                ..*light
            };
            let normal = match visible {
                Some(visible) => self.normal(&visible, own(5) != 0.0),
                None => light.viewer,
            };
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
    pub fn next_key(&self, at: [u32; 2], from: u64) -> (u32, u64) {
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

    /// Returns a triangle with the weights of its vertices at a sample.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn visible_triangle(&self, triangle: u32, [column, row]: [u32; 2]) -> Option<VisibleTriangle> {
        let covered = self
            .raster
            .triangle(self.positions, self.triangles, triangle as usize)?;
        let center = |at: u32| at as i64 * SUBPIXELS + SUBPIXELS / 2;
        let row = self.raster.first + row;
        let weights = covered.weights(center(column), center(row));
        Some(VisibleTriangle {
            triangle,
            covered,
            weights: [weights[0] as f32, weights[1] as f32, weights[2] as f32],
        })
    }

    /// Returns the vector of a corner of a triangle.
    #[inline(always)]
    fn corner(&self, vectors: View<f32>, visible: &VisibleTriangle, k: usize) -> [f32; 3] {
        let vertex = self.triangles.read(3 * visible.triangle as usize + k);
        read3(vectors, vertex)
    }

    /// Returns the unit normal at a sample, on the side that is seen.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn normal(&self, visible: &VisibleTriangle, has_creases: bool) -> [f32; 3] {
        let face = if has_creases {
            self.face_normal(visible)
        } else {
            [0.0; 3]
        };
        let normal = unit(visible.interpolate(|k| {
            let own = self.corner(self.normals, visible, k);
            if has_creases && dot(own, face) < CREASE_COSINE {
                face
            } else {
                own
            }
        }));
        // seen from inside; rows count downwards, which exchanges the sides
        if visible.covered.is_swapped {
            normal
        } else {
            normal.map(|component| -component)
        }
    }

    /// Returns the unit normal of a triangle.
    #[inline(always)]
    fn face_normal(&self, visible: &VisibleTriangle) -> [f32; 3] {
        let [a, b, c] = [
            self.corner(self.positions, visible, 0),
            self.corner(self.positions, visible, 1),
            self.corner(self.positions, visible, 2),
        ];
        let [ux, uy, uz] = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
        let [vx, vy, vz] = [c[0] - a[0], c[1] - a[1], c[2] - a[2]];
        unit([uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx])
    }
}

/// Triangle at a sample.
#[derive(Clone, Copy)]
struct VisibleTriangle {
    triangle: u32,
    covered: Covered,
    /// Weights of the vertices at the sample, times the area.
    weights: [f32; 3],
}

impl VisibleTriangle {
    /// Returns the interpolation of the vectors of the corners at the sample, times the area.
    #[inline(always)]
    #[inline_closures]
    fn interpolate(&self, corner: impl Fn(usize) -> [f32; 3]) -> [f32; 3] {
        let [u, v, w] = self.weights;
        let a = corner(0);
        let (b, c) = if self.covered.is_swapped {
            (corner(2), corner(1))
        } else {
            (corner(1), corner(2))
        };
        let along = |k: usize| u * a[k] + v * b[k] + w * c[k];
        [along(0), along(1), along(2)]
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
