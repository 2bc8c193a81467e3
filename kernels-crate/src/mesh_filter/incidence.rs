//! Triangle incidence: the triangles at each vertex.

use crate::{rows::Items, sample::Count};
use cuda_std::{View, ViewMut, kernel};

/// Returns the corners of a triangle if they are three distinct vertices below `vertices`.
#[cuda_std::inline_closures]
#[inline(always)]
pub(super) fn valid_corners<I: Count>(
    corners: View<I>,
    triangle: usize,
    vertices: u64,
) -> Option<[usize; 3]> {
    let [a, b, c] = [0, 1, 2].map(|corner| corners.read(triangle * 3 + corner).widen());
    let is_valid = a < vertices && b < vertices && c < vertices && a != b && b != c && c != a;
    is_valid.then_some([a as usize, b as usize, c as usize])
}

/// Counts the triangles at each vertex, and the triangles with an out-of-range vertex index.
/// Triangles with a repeated vertex are not counted at any vertex.
///
/// **Mapping:** one triangle per thread; no shared memory. **Traffic** per triangle: three corners
/// read, `increment` added to three counts.
///
/// # Safety
/// `corners` holds three elements per item, `counts` one per vertex of `vertices`, `invalid` one.
#[kernel(I = [u32, u64], baseline)]
pub unsafe fn count_incident_triangles<I: Count>(
    corners: View<I>,
    items: Items,
    vertices: u64,
    increment: u64,
    counts: ViewMut<u64>,
    invalid: ViewMut<u64>,
) {
    items.for_each(|triangle| {
        if let Some([a, b, c]) = valid_corners(corners, triangle, vertices) {
            counts.atomic_add(a, increment);
            counts.atomic_add(b, increment);
            counts.atomic_add(c, increment);
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

/// Lists the triangles at each vertex, in unspecified order.
///
/// **Mapping:** one triangle per thread; no shared memory. **Traffic** per triangle: three corners
/// and their list starts read; in each of the three lists, one element is reserved by an addition
/// to `filled` and receives the index of the triangle.
///
/// # Safety
/// As for [`count_incident_triangles`], with the same corners; `starts` is the exclusive scan of
/// its counts with `increment` = 1, `filled` holds as many zeros, and `lists` as many elements as
/// the sum of the counts. Triangle indices fit `I`.
#[kernel(I = [u32, u64], baseline)]
pub unsafe fn list_incident_triangles<I: Count>(
    corners: View<I>,
    items: Items,
    vertices: u64,
    starts: View<u64>,
    filled: ViewMut<u64>,
    lists: ViewMut<I>,
) {
    items.for_each(|triangle| {
        if let Some(corner_vertices) = valid_corners(corners, triangle, vertices) {
            let mut corner = 0;
            while corner < 3 {
                let vertex = corner_vertices[corner];
                let index = starts.read(vertex) + filled.atomic_add(vertex, 1);
                lists.write(index as usize, I::narrow(triangle as u64));
                corner += 1;
            }
        }
    });
}
