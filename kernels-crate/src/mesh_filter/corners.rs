//! The triangles at each vertex.

use crate::{rows::Items, sample::Count};
use cuda_std::{View, ViewMut, kernel};

/// The corners of a triangle, if they are three vertices of `vertices`.
#[inline(always)]
pub(super) fn corners_of<I: Count>(
    corners: View<I>,
    triangle: usize,
    vertices: u64,
) -> Option<[usize; 3]> {
    let [a, b, c] = [0, 1, 2].map(|corner| corners.read(triangle * 3 + corner).widen());
    let is_one = a < vertices && b < vertices && c < vertices && a != b && b != c && c != a;
    is_one.then_some([a as usize, b as usize, c as usize])
}

/// Counts the triangles at each vertex, and those that name a vertex that does not exist. A
/// triangle that names a vertex twice is at none.
///
/// A thread takes single triangles: it reads three corners and adds `each` to three counts. Nothing
/// is shared in the block.
///
/// # Safety
/// `corners` holds three elements for each item, `counts` one for each of `vertices`, `invalid`
/// one.
#[kernel(I = [u32, u64])]
pub unsafe fn count_at_vertices<I: Count>(
    corners: View<I>,
    items: Items,
    vertices: u64,
    each: u64,
    counts: ViewMut<u64>,
    invalid: ViewMut<u64>,
) {
    items.for_each(|triangle| {
        if let Some([a, b, c]) = corners_of(corners, triangle, vertices) {
            counts.atomic_add(a, each);
            counts.atomic_add(b, each);
            counts.atomic_add(c, each);
        } else {
            let mut corner = triangle * 3;
            let end = corner + 3;
            let mut outside = false;
            while corner < end {
                outside |= corners.read(corner).widen() >= vertices;
                corner += 1;
            }
            if outside {
                invalid.atomic_add(0, 1);
            }
        }
    });
}

/// Lists the triangles at each vertex, in any order.
///
/// A thread takes single triangles: it reads three corners, their starts, takes a place in each of
/// the three lists by adding to `listed`, and writes its number there. Nothing is shared in the
/// block.
///
/// # Safety
/// As [`count_at_vertices`], with the same corners; `starts` is the exclusive scan of its counts
/// with `each` 1, `listed` holds as many zeros, and `lists` as many elements as the counts' sum.
/// The numbers of triangles fit `I`.
#[kernel(I = [u32, u64])]
pub unsafe fn list_at_vertices<I: Count>(
    corners: View<I>,
    items: Items,
    vertices: u64,
    starts: View<u64>,
    listed: ViewMut<u64>,
    lists: ViewMut<I>,
) {
    items.for_each(|triangle| {
        if let Some(three) = corners_of(corners, triangle, vertices) {
            let mut corner = 0;
            while corner < 3 {
                let vertex = three[corner];
                let place = starts.read(vertex) + listed.atomic_add(vertex, 1);
                lists.write(place as usize, I::narrow(triangle as u64));
                corner += 1;
            }
        }
    });
}
