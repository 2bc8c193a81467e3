//! A spatial hash of triangles.

use crate::rows::Items;
use cuda_std::{View, ViewMut, kernel};

/// Edge of a cube of cells whose buckets are neighbours in the table, as a power of two.
const CUBE_BITS: u32 = 2;

/// Number of cells of a cube.
pub const CUBE_CELLS: u32 = 1 << (3 * CUBE_BITS);

/// A regular grid of cells, each of which is hashed to a bucket. Several cells may have the same
/// bucket.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BucketGrid {
    /// Position that is below all triangles along each axis.
    pub origin: [f64; 3],
    /// Cells per unit of length along each axis.
    pub scale: [f64; 3],
    /// Number of buckets: a power of two, at least [`CUBE_CELLS`].
    pub buckets: u32,
}

impl BucketGrid {
    /// Returns the cell of a position.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn cell(&self, position: [f32; 3]) -> [u32; 3] {
        let along =
            |axis: usize| ((position[axis] as f64 - self.origin[axis]) * self.scale[axis]) as u32;
        [along(0), along(1), along(2)]
    }

    /// Returns the bucket of a cell.
    #[inline(always)]
    pub fn bucket(&self, [x, y, z]: [u32; 3]) -> u32 {
        let low = (1 << CUBE_BITS) - 1;
        let within = (z & low) << (2 * CUBE_BITS) | (y & low) << CUBE_BITS | x & low;
        let cube = (x >> CUBE_BITS).wrapping_mul(0x9e37_79b1)
            ^ (y >> CUBE_BITS).wrapping_mul(0x85eb_ca77)
            ^ (z >> CUBE_BITS).wrapping_mul(0xc2b2_ae3d);
        let mixed = cube ^ cube >> 15;
        (mixed << (3 * CUBE_BITS) | within) & (self.buckets - 1)
    }

    /// Calls `visit` with the bucket of each cell that a bounding box overlaps.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn for_each_bucket(&self, [low, high]: [[f32; 3]; 2], mut visit: impl FnMut(usize)) {
        let (first, last) = (self.cell(low), self.cell(high));
        let mut z = first[2];
        while z <= last[2] {
            let mut y = first[1];
            while y <= last[1] {
                let mut x = first[0];
                while x <= last[0] {
                    visit(self.bucket([x, y, z]) as usize);
                    x += 1;
                }
                y += 1;
            }
            z += 1;
        }
    }
}

/// Returns the positions of the corners of a triangle.
#[cuda_std::inline_closures]
#[inline(always)]
pub fn read_positions(positions: View<f32>, triangle: usize) -> [[f32; 3]; 3] {
    let corner = |corner: usize| {
        let at = triangle * 9 + corner * 3;
        [
            positions.read(at),
            positions.read(at + 1),
            positions.read(at + 2),
        ]
    };
    [corner(0), corner(1), corner(2)]
}

#[inline(always)]
fn smaller(one: f32, other: f32) -> f32 {
    if one < other { one } else { other }
}

#[inline(always)]
fn larger(one: f32, other: f32) -> f32 {
    if one > other { one } else { other }
}

/// Returns the lowest and the highest coordinates of a triangle.
#[cuda_std::inline_closures]
#[inline(always)]
pub fn bounds([a, b, c]: [[f32; 3]; 3]) -> [[f32; 3]; 2] {
    let low = |axis: usize| smaller(smaller(a[axis], b[axis]), c[axis]);
    let high = |axis: usize| larger(larger(a[axis], b[axis]), c[axis]);
    [[low(0), low(1), low(2)], [high(0), high(1), high(2)]]
}

/// Copies the positions of the corners of each triangle to nine neighbouring numbers.
///
/// **Mapping:** one triangle per thread; no shared memory. **Traffic** per triangle: three indices
/// and nine coordinates read, nine written.
///
/// # Safety
/// `corners` holds three elements per item, indices of vertices with three elements of `vertices`
/// each; `positions` holds nine elements per item.
#[kernel(baseline)]
pub unsafe fn gather_triangle_corners(
    items: Items,
    corners: View<u32>,
    vertices: View<f32>,
    positions: ViewMut<f32>,
) {
    items.for_each(|triangle| {
        let mut corner = 0;
        while corner < 3 {
            let vertex = corners.read(triangle * 3 + corner) as usize;
            let mut axis = 0;
            while axis < 3 {
                let coordinate = vertices.read(vertex * 3 + axis);
                positions.write(triangle * 9 + corner * 3 + axis, coordinate);
                axis += 1;
            }
            corner += 1;
        }
    });
}

/// Marks the buckets of the triangles that are marked by `changed`.
///
/// **Mapping:** one triangle per thread; no shared memory. **Traffic** per triangle: one byte, and
/// for a marked one nine coordinates read and a bit of a word per bucket changed atomically.
///
/// # Safety
/// `changed` holds one element per item, `positions` nine with finite numbers above the origin of
/// `grid`; `marks` holds a bit for each bucket, in words of 32.
#[kernel(baseline)]
pub unsafe fn mark_changed_buckets(
    items: Items,
    grid: BucketGrid,
    changed: View<u8>,
    positions: View<f32>,
    marks: ViewMut<u32>,
) {
    items.for_each(|triangle| {
        if changed.read(triangle) != 0 {
            let bounds = bounds(read_positions(positions, triangle));
            grid.for_each_bucket(bounds, |bucket| {
                marks.atomic_or(bucket / 32, 1 << (bucket % 32));
            });
        }
    });
}

/// Returns `true` if a bucket is marked, or if all are used.
#[inline(always)]
fn is_used(marks: View<u32>, all: u32, bucket: usize) -> bool {
    all != 0 || marks.read(bucket / 32) >> (bucket % 32) & 1 == 1
}

/// Counts the triangles in each bucket that is marked, or in every one if `all` is not 0. A
/// triangle counts once for each of its cells.
///
/// **Mapping:** one triangle per thread; no shared memory. **Traffic** per triangle: nine
/// coordinates read, and per cell a count changed atomically.
///
/// # Safety
/// `positions` and `marks` are those of [`mark_changed_buckets`], `marks` only unless `all` is 0;
/// `counts` holds one element per bucket.
#[kernel(baseline)]
pub unsafe fn count_bucket_triangles(
    items: Items,
    grid: BucketGrid,
    positions: View<f32>,
    marks: View<u32>,
    all: u32,
    counts: ViewMut<u32>,
) {
    items.for_each(|triangle| {
        let bounds = bounds(read_positions(positions, triangle));
        grid.for_each_bucket(bounds, |bucket| {
            if is_used(marks, all, bucket) {
                counts.atomic_add(bucket, 1);
            }
        });
    });
}

/// Lists the triangles in each bucket, in unspecified order, and the bucket of each element of the
/// lists.
///
/// **Mapping:** one triangle per thread; no shared memory. **Traffic** per triangle: nine
/// coordinates read, and per cell an offset read, a length changed atomically, two indices written.
///
/// # Safety
/// As for [`count_bucket_triangles`]; `starts` is the exclusive scan of its counts, `filled` holds
/// as many zeros, and `lists` and `buckets` as many elements as the sum of the counts.
#[kernel(baseline)]
pub unsafe fn list_bucket_triangles(
    items: Items,
    grid: BucketGrid,
    positions: View<f32>,
    marks: View<u32>,
    all: u32,
    starts: View<u64>,
    filled: ViewMut<u32>,
    lists: ViewMut<u32>,
    buckets: ViewMut<u32>,
) {
    items.for_each(|triangle| {
        let bounds = bounds(read_positions(positions, triangle));
        grid.for_each_bucket(bounds, |bucket| {
            if is_used(marks, all, bucket) {
                let index = starts.read(bucket) + filled.atomic_add(bucket, 1) as u64;
                lists.write(index as usize, triangle as u32);
                buckets.write(index as usize, bucket as u32);
            }
        });
    });
}
