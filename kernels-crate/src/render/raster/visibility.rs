//! Visibility: the nearest triangle on each sample of a picture.

use super::projection::{Covered, Raster, SUBPIXELS};
use crate::{arith::div_rem, rows::Items};
use cuda_std::{View, ViewMut, kernel};

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

#[inline(always)]
fn least(a: i64, b: i64) -> i64 {
    if a < b { a } else { b }
}

#[inline(always)]
fn most(a: i64, b: i64) -> i64 {
    if a > b { a } else { b }
}
