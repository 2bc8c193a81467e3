//! Where rays along x cross triangles.

use crate::{arith::div_rem, distance::sites::BitRows, rows::Items};
use cuda_std::{View, ViewMut, kernel};

/// Triangles, and how they are dealt to threads.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Triangles {
    /// How many.
    pub count: u64,
    /// Fine steps from a voxel to the next are 2 to this power.
    pub fraction: u32,
    /// How many items take the rays of one triangle in turn, at least 1.
    pub sharing: u32,
}

impl Triangles {
    /// The items of a launch.
    pub const fn items(self) -> u64 {
        self.count * self.sharing as u64
    }
}

/// A vertex in fine steps from the centre of voxel (0, 0, 0).
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

/// Twice the area of the triangle of an edge and a ray, as seen along x: more than 0 if the ray is
/// to the left of the edge.
#[inline(always)]
fn side(from: Vertex, to: Vertex, y: i64, z: i64) -> i64 {
    (to.y - from.y) * (z - from.z) - (to.z - from.z) * (y - from.y)
}

/// Whether a ray with this side of an edge is to the left of it, or would be if it were a little
/// farther along y, and less so along z.
#[inline(always)]
fn is_left(side: i64, from: Vertex, to: Vertex) -> bool {
    side > 0 || side == 0 && (to.z < from.z || to.z == from.z && to.y > from.y)
}

#[inline(always)]
fn least(a: i64, b: i64, c: i64) -> i64 {
    let ab = if a < b { a } else { b };
    if ab < c { ab } else { c }
}

/// The first and one past the last of `count` voxels whose centres are from the least to the
/// greatest of three places.
#[inline(always)]
fn range(a: i64, b: i64, c: i64, fraction: u32, count: u32) -> (i64, i64) {
    let (low, high) = (least(a, b, c), -least(-a, -b, -c));
    let first = (low + (1 << fraction) - 1) >> fraction;
    let end = (high >> fraction) + 1;
    let first = if first < 0 { 0 } else { first };
    let end = if end > count as i64 {
        count as i64
    } else {
        end
    };
    (first, end)
}

/// The least whole number that is no less, for numbers within 2⁶².
#[inline(always)]
fn ceiling(x: f64) -> i64 {
    let whole = x as i64;
    if (whole as f64) < x { whole + 1 } else { whole }
}

/// Changes the bit of the first voxel behind each crossing of a ray along x with a triangle.
///
/// A thread takes a triangle, or every `sharing`-th ray of it, neighbouring threads neighbouring
/// rays. It reads three vertices, and changes a word for each ray through the triangle. Nothing is
/// shared in the block.
///
/// # Safety
/// `corners` hold three elements for each triangle, `vertices` three for each number in these;
/// `marks` hold `bits.words()` elements. Coordinates and the grid's in fine steps are within ±2³⁰.
/// `items` count those of `triangles`.
#[kernel]
pub unsafe fn mark_crossings(
    vertices: View<i32>,
    corners: View<u32>,
    triangles: Triangles,
    items: Items,
    bits: BitRows,
    marks: ViewMut<u32>,
) {
    items.for_each(|item| {
        let (triangle, part) = div_rem(item as u64, triangles.sharing as u64);
        let first = triangle as usize * 3;
        let a = vertex(vertices, corners.read(first));
        let mut b = vertex(vertices, corners.read(first + 1));
        let mut c = vertex(vertices, corners.read(first + 2));
        let mut area = side(a, b, c.y, c.z);
        if area < 0 {
            (b, c) = (c, b);
            area = -area;
        }
        let fraction = triangles.fraction;
        let (y_first, y_end) = range(a.y, b.y, c.y, fraction, bits.grid.ny);
        let (z_first, z_end) = range(a.z, b.z, c.z, fraction, bits.grid.nz);
        if area > 0 && y_first < y_end && z_first < z_end {
            let width = (y_end - y_first) as u64;
            let rays = width * (z_end - z_first) as u64;
            let step_x = [(b.x - a.x) as f64, (c.x - a.x) as f64];
            let mut ray = part;
            while ray < rays {
                let (row, in_row) = div_rem(ray, width);
                let y = y_first + in_row as i64;
                let z = z_first + row as i64;
                let (fine_y, fine_z) = (y << fraction, z << fraction);
                let from_ab = side(a, b, fine_y, fine_z);
                let from_bc = side(b, c, fine_y, fine_z);
                let from_ca = side(c, a, fine_y, fine_z);
                if is_left(from_ab, a, b) && is_left(from_bc, b, c) && is_left(from_ca, c, a) {
                    let sum = step_x[0] * from_ca as f64 + step_x[1] * from_ab as f64;
                    let crossing = a.x + ceiling(sum / area as f64);
                    let behind = (crossing + (1 << fraction) - 1) >> fraction;
                    let behind = if behind < 0 { 0 } else { behind };
                    if behind < bits.grid.nx as i64 {
                        let x = behind as u32;
                        let word = bits.word_index(x, y as u32, z as u32);
                        marks.atomic_xor(word, 1 << (x & 31));
                    }
                }
                ray += triangles.sharing as u64;
            }
        }
    });
}
