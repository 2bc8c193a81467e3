//! Marks of vertices that return to where they were before fairing.

use crate::rows::Items;
use cuda_std::{View, ViewMut, kernel};

/// Marks the vertices of the triangles with crossings, and counts these triangles.
///
/// **Mapping:** one triangle per thread; no shared memory. **Traffic** per triangle: one number
/// read; with crossings, three indices read and four numbers changed atomically.
///
/// # Safety
/// `crossings` holds one element per item, `corners` three, indices of `marks`; `count` one in
/// total.
#[kernel(baseline)]
pub unsafe fn mark_crossed_vertices(
    items: Items,
    crossings: View<u32>,
    corners: View<u32>,
    marks: ViewMut<u32>,
    count: ViewMut<u64>,
) {
    items.for_each(|triangle| {
        if crossings.read(triangle) != 0 {
            count.atomic_add(0, 1);
            let mut corner = 0;
            while corner < 3 {
                marks.atomic_or(corners.read(triangle * 3 + corner) as usize, 1);
                corner += 1;
            }
        }
    });
}

/// Marks the vertices that are marked or have a marked neighbour.
///
/// **Mapping:** one vertex per thread; no shared memory. **Traffic** per vertex: its list of
/// neighbours and their marks read, one number written.
///
/// # Safety
/// `starts`, `counts` and `neighbours` are those of
/// [`list_fairing_neighbours`](super::list_fairing_neighbours); `from` and `to` hold one element
/// per item.
#[kernel(baseline)]
pub unsafe fn extend_marks(
    items: Items,
    starts: View<u64>,
    counts: View<u32>,
    neighbours: View<u32>,
    from: View<u32>,
    to: ViewMut<u32>,
) {
    items.for_each(|vertex| {
        let start = starts.read(vertex) as usize;
        let end = start + counts.read(vertex) as usize;
        let mut mark = from.read(vertex);
        let mut at = start;
        while at < end {
            mark |= from.read(neighbours.read(at) as usize);
            at += 1;
        }
        to.write(vertex, mark);
    });
}

/// Reverts the marked vertices, and counts those that were not reverted before.
///
/// **Mapping:** one vertex per thread; no shared memory. **Traffic** per vertex: one number read;
/// for a marked one, another read and written.
///
/// # Safety
/// `marks` and `reverted` hold one element per item; `count` one in total.
#[kernel(baseline)]
pub unsafe fn revert_marked_vertices(
    items: Items,
    marks: View<u32>,
    reverted: ViewMut<u32>,
    count: ViewMut<u64>,
) {
    items.for_each(|vertex| {
        if marks.read(vertex) != 0 && reverted.read(vertex) == 0 {
            reverted.write(vertex, 1);
            count.atomic_add(0, 1);
        }
    });
}

/// Marks with 1 each triangle with a reverted vertex, with 0 each other.
///
/// **Mapping:** one triangle per thread; no shared memory. **Traffic** per triangle: three indices
/// and three marks read, one byte written.
///
/// # Safety
/// `corners` holds three elements per item, indices of `reverted`; `changed` holds one.
#[kernel(baseline)]
pub unsafe fn mark_reverted_triangles(
    items: Items,
    corners: View<u32>,
    reverted: View<u32>,
    changed: ViewMut<u8>,
) {
    items.for_each(|triangle| {
        let mut mark = 0;
        let mut corner = 0;
        while corner < 3 {
            mark |= reverted.read(corners.read(triangle * 3 + corner) as usize);
            corner += 1;
        }
        changed.write(triangle, mark as u8);
    });
}
