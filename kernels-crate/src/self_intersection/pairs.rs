//! Tests of the pairs of triangles in the buckets of a spatial hash.

use super::{
    buckets::{BucketGrid, bounds, read_positions},
    triangles::{INTERSECT, Triangle, UNDECIDED, test_close_triangles},
};
use crate::rows::Items;
use cuda_std::{View, ViewMut, kernel};

/// Returns `true` if two bounding boxes have a point in common.
#[inline(always)]
fn overlap(one: [[f32; 3]; 2], other: [[f32; 3]; 2]) -> bool {
    one[0][0] <= other[1][0]
        && other[0][0] <= one[1][0]
        && one[0][1] <= other[1][1]
        && other[0][1] <= one[1][1]
        && one[0][2] <= other[1][2]
        && other[0][2] <= one[1][2]
}

/// Returns the larger of two coordinates along each axis.
#[cuda_std::inline_closures]
#[inline(always)]
fn upper(one: [f32; 3], other: [f32; 3]) -> [f32; 3] {
    let along = |axis: usize| {
        if one[axis] > other[axis] {
            one[axis]
        } else {
            other[axis]
        }
    };
    [along(0), along(1), along(2)]
}

/// Returns a triangle with its positions.
#[cuda_std::inline_closures]
#[inline(always)]
fn triangle_at(corners: View<u32>, triangle: usize, [a, b, c]: [[f32; 3]; 3]) -> Triangle {
    let vertex = |corner: usize| corners.read(triangle * 3 + corner);
    let wide = |[x, y, z]: [f32; 3]| [x as f64, y as f64, z as f64];
    Triangle {
        vertices: [vertex(0), vertex(1), vertex(2)],
        positions: [wide(a), wide(b), wide(c)],
    }
}

/// Returns `true` if two triangles belong to the surface of one label, which is not 0.
#[inline(always)]
fn has_common_label(sides: View<u32>, one: usize, other: usize) -> bool {
    let (a, b) = (sides.read(one * 2), sides.read(one * 2 + 1));
    let (c, d) = (sides.read(other * 2), sides.read(other * 2 + 1));
    a != 0 && (a == c || a == d) || b != 0 && (b == c || b == d)
}

/// Lists the pairs of triangles of the surface of one label in each bucket, of which at least one
/// is marked by `changed`, or all pairs if `all` is not 0, whose bounding boxes overlap and neither
/// of which is certainly on one side of the other's plane: the first `capacity` of them, in
/// unspecified order, and the number of all. A pair may be listed more than once.
///
/// **Mapping:** one element of the lists per thread, compared with those before it in its bucket;
/// no shared memory. **Traffic** per pair: an index and nine coordinates read, and for overlapping
/// boxes six vertices and four labels; per listed pair: an atomic addition, two indices written.
///
/// # Safety
/// `starts`, `lists` and `buckets` are those of
/// [`list_bucket_triangles`](super::buckets::list_bucket_triangles) for `positions` and `grid`;
/// `lists` and `buckets` hold one element per item; `corners` holds three elements per triangle,
/// `sides` two, `changed` one unless `all` is not 0; `found` holds one element, and `pairs` two for
/// each of `capacity` pairs.
#[kernel(baseline)]
pub unsafe fn list_close_triangles(
    items: Items,
    grid: BucketGrid,
    starts: View<u64>,
    lists: View<u32>,
    buckets: View<u32>,
    positions: View<f32>,
    corners: View<u32>,
    sides: View<u32>,
    changed: View<u8>,
    all: u32,
    capacity: u64,
    found: ViewMut<u64>,
    pairs: ViewMut<u32>,
) {
    items.for_each(|index| {
        let bucket = buckets.read(index);
        let one = lists.read(index) as usize;
        let own = read_positions(positions, one);
        let own_bounds = bounds(own);
        let is_changed = all != 0 || changed.read(one) != 0;
        let mut at = starts.read(bucket as usize) as usize;
        while at < index {
            let other = lists.read(at) as usize;
            let others = read_positions(positions, other);
            let other_bounds = bounds(others);
            if overlap(own_bounds, other_bounds)
                && one != other
                && has_common_label(sides, one, other)
                && (is_changed || changed.read(other) != 0)
            {
                // the first cell that both overlap, so that most pairs are listed once
                let first = grid.cell(upper(own_bounds[0], other_bounds[0]));
                if grid.bucket(first) == bucket {
                    let own = triangle_at(corners, one, own);
                    let others = triangle_at(corners, other, others);
                    if !own.is_apart_from(&others) && !others.is_apart_from(&own) {
                        append(capacity, found, pairs, one as u32, other as u32);
                    }
                }
            }
            at += 1;
        }
    });
}

/// Appends a pair to a list, if it is not full, and counts it.
#[inline(always)]
fn append(capacity: u64, count: ViewMut<u64>, pairs: ViewMut<u32>, one: u32, other: u32) {
    let next = count.atomic_add(0, 1);
    if next < capacity {
        pairs.write(next as usize * 2, one);
        pairs.write(next as usize * 2 + 1, other);
    }
}

/// Tests pairs of triangles, neither of which is certainly on one side of the other's plane. Adds
/// to `crossings` of both triangles if they have a point in common other than shared vertices and
/// edges, or different vertices with equal positions, and lists the pairs that rounding errors
/// leave open: the first `capacity` of them, and the number of all.
///
/// **Mapping:** one pair per thread; no shared memory. **Traffic** per pair: 26 numbers read.
///
/// # Safety
/// `pairs` holds two elements per item, indices of triangles with nine elements of `positions`,
/// three of `corners`, and one of `crossings`; `open_count` holds one element, and `open` two for
/// each of `capacity` pairs.
#[kernel(baseline)]
pub unsafe fn test_triangle_pairs(
    items: Items,
    pairs: View<u32>,
    positions: View<f32>,
    corners: View<u32>,
    crossings: ViewMut<u32>,
    capacity: u64,
    open_count: ViewMut<u64>,
    open: ViewMut<u32>,
) {
    items.for_each(|pair| {
        let (one, other) = (pairs.read(pair * 2), pairs.read(pair * 2 + 1));
        let triangle = |index: u32| {
            let index = index as usize;
            triangle_at(corners, index, read_positions(positions, index))
        };
        let result = test_close_triangles(triangle(one), triangle(other));
        if result == INTERSECT {
            crossings.atomic_add(one as usize, 1);
            crossings.atomic_add(other as usize, 1);
        } else if result == UNDECIDED {
            append(capacity, open_count, open, one, other);
        }
    });
}
