//! Projection of triangles onto the samples of a picture, in fixed-point coordinates.

use cuda_std::{GpuFloat, View};

/// Subdivisions of a sample's side in fixed-point coordinates.
pub(super) const SUBPIXELS: i64 = 256;
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
pub(super) struct Projected {
    pub x: i64,
    pub y: i64,
    pub depth: f32,
}

impl Raster {
    #[inline(always)]
    fn along(row: [f32; 4], [x, y, z]: [f32; 3]) -> f32 {
        row[0] * x + row[1] * y + row[2] * z + row[3]
    }

    /// Projects a vertex, or returns `None` if it is far outside of any picture.
    #[cuda_std::inline_closures]
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
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub(super) fn triangle(
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
pub(super) fn read3(list: View<f32>, index: u32) -> [f32; 3] {
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
pub(super) struct Covered {
    pub a: Projected,
    pub b: Projected,
    pub c: Projected,
    /// Twice the area, in squared fixed-point units.
    pub area: i64,
    /// `true` if the second and the third vertex were exchanged.
    pub is_swapped: bool,
}

impl Covered {
    /// Returns the weights of the vertices at a point, times the area.
    #[inline(always)]
    pub fn weights(&self, x: i64, y: i64) -> [i64; 3] {
        [
            edge(self.b, self.c, x, y),
            edge(self.c, self.a, x, y),
            edge(self.a, self.b, x, y),
        ]
    }

    /// Returns `true` if the triangle owns a point with these weights. A point on an edge belongs
    /// to one of the two triangles there.
    #[inline(always)]
    pub fn owns(&self, [u, v, w]: [i64; 3]) -> bool {
        (u > 0 || u == 0 && owns_edge(self.b, self.c))
            && (v > 0 || v == 0 && owns_edge(self.c, self.a))
            && (w > 0 || w == 0 && owns_edge(self.a, self.b))
    }

    #[inline(always)]
    pub fn depth(&self, [u, v, w]: [i64; 3]) -> f32 {
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
