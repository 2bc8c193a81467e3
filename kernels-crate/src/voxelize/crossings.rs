//! Crossings of rays along x with triangles.

use crate::{arith::div_rem, distance::sites::BitRows, rows::Items};
use cuda_std::{View, ViewMut, kernel};

/// Triangles, and their distribution over threads.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Triangles {
    /// Number of triangles.
    pub count: u64,
    /// Number of fractional bits of fixed-point coordinates: the voxel spacing is 2 to this power.
    pub fraction_bits: u32,
    /// Number of items among which the rays of one triangle are distributed, at least 1.
    pub items_per_triangle: u32,
}

impl Triangles {
    /// Returns the number of items of a launch.
    pub const fn items(self) -> u64 {
        self.count * self.items_per_triangle as u64
    }
}

/// A vertex in fixed-point coordinates relative to the centre of voxel (0, 0, 0).
#[derive(Clone, Copy)]
struct Vertex {
    x: i64,
    y: i64,
    z: i64,
}

#[inline(always)]
fn vertex(vertices: View<i32>, number: u32) -> Vertex {
    let at = number as usize * 3;
    Vertex {
        x: vertices.read(at) as i64,
        y: vertices.read(at + 1) as i64,
        z: vertices.read(at + 2) as i64,
    }
}

/// Returns the edge function: twice the signed area of the triangle of an edge and a ray, projected
/// along x; positive if the ray is to the left of the edge.
#[inline(always)]
fn edge_function(from: Vertex, to: Vertex, y: i64, z: i64) -> i64 {
    (to.y - from.y) * (z - from.z) - (to.z - from.z) * (y - from.y)
}

/// Returns `true` if a ray with this edge function is to the left of the edge, where ties are
/// broken as if the ray were displaced infinitesimally along y, and by a smaller order along z.
#[inline(always)]
fn is_left(value: i64, from: Vertex, to: Vertex) -> bool {
    value > 0 || value == 0 && (to.z < from.z || to.z == from.z && to.y > from.y)
}

#[inline(always)]
fn min3(a: i64, b: i64, c: i64) -> i64 {
    let ab = if a < b { a } else { b };
    if ab < c { ab } else { c }
}

/// Returns the first and one past the last of `count` voxels whose centres lie between the minimum
/// and maximum of three coordinates.
#[inline(always)]
fn voxel_range(a: i64, b: i64, c: i64, fraction_bits: u32, count: u32) -> (i64, i64) {
    let (low, high) = (min3(a, b, c), -min3(-a, -b, -c));
    let first = (low + (1 << fraction_bits) - 1) >> fraction_bits;
    let end = (high >> fraction_bits) + 1;
    let first = if first < 0 { 0 } else { first };
    let end = if end > count as i64 {
        count as i64
    } else {
        end
    };
    (first, end)
}

/// Returns `x` rounded up, for magnitudes below 2⁶².
#[inline(always)]
fn ceiling(x: f64) -> i64 {
    let whole = x as i64;
    if (whole as f64) < x { whole + 1 } else { whole }
}

/// Toggles the bit of the first voxel behind each crossing of a ray along x with a triangle.
///
/// **Mapping:** one triangle, or every `items_per_triangle`-th ray of it, per thread; neighbouring
/// threads process neighbouring rays; no shared memory. **Traffic:** three vertices read; per ray
/// through the triangle, one word changed atomically.
///
/// # Safety
/// `corners` hold three elements per triangle, `vertices` three per vertex index in `corners`;
/// `crossings` hold `bits.words()` elements. All fixed-point coordinates, and those of the grid,
/// are within ±2³⁰. `items` is the number of items of `triangles`.
#[kernel(baseline)]
pub unsafe fn toggle_crossings(
    vertices: View<i32>,
    corners: View<u32>,
    triangles: Triangles,
    items: Items,
    bits: BitRows,
    crossings: ViewMut<u32>,
) {
    items.for_each(|item| {
        let (triangle, part) = div_rem(item as u64, triangles.items_per_triangle as u64);
        let first = triangle as usize * 3;
        let a = vertex(vertices, corners.read(first));
        let mut b = vertex(vertices, corners.read(first + 1));
        let mut c = vertex(vertices, corners.read(first + 2));
        let mut area = edge_function(a, b, c.y, c.z);
        if area < 0 {
            (b, c) = (c, b);
            area = -area;
        }
        let fraction_bits = triangles.fraction_bits;
        let (y_first, y_end) = voxel_range(a.y, b.y, c.y, fraction_bits, bits.grid.ny);
        let (z_first, z_end) = voxel_range(a.z, b.z, c.z, fraction_bits, bits.grid.nz);
        if area > 0 && y_first < y_end && z_first < z_end {
            let width = (y_end - y_first) as u64;
            let rays = width * (z_end - z_first) as u64;
            let offset_x = [(b.x - a.x) as f64, (c.x - a.x) as f64];
            let mut ray = part;
            while ray < rays {
                let (row, in_row) = div_rem(ray, width);
                let y = y_first + in_row as i64;
                let z = z_first + row as i64;
                let (fine_y, fine_z) = (y << fraction_bits, z << fraction_bits);
                let from_ab = edge_function(a, b, fine_y, fine_z);
                let from_bc = edge_function(b, c, fine_y, fine_z);
                let from_ca = edge_function(c, a, fine_y, fine_z);
                if is_left(from_ab, a, b) && is_left(from_bc, b, c) && is_left(from_ca, c, a) {
                    let sum = offset_x[0] * from_ca as f64 + offset_x[1] * from_ab as f64;
                    let crossing = a.x + ceiling(sum / area as f64);
                    let behind = (crossing + (1 << fraction_bits) - 1) >> fraction_bits;
                    let behind = if behind < 0 { 0 } else { behind };
                    if behind < bits.grid.nx as i64 {
                        let x = behind as u32;
                        let word = bits.word_index(x, y as u32, z as u32);
                        crossings.atomic_xor(word, 1 << (x & 31));
                    }
                }
                ray += triangles.items_per_triangle as u64;
            }
        }
    });
}
