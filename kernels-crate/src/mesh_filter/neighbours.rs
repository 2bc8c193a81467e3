//! Vertex adjacency.

use super::{incidence::valid_corners, lists};
use crate::{rows::Items, sample::Count};
use cuda_std::{View, ViewMut, kernel};

/// Lists, for each vertex, the other two vertices of each incident triangle, in unspecified order:
/// the opposite end of an edge occurs once per triangle of the edge.
///
/// **Mapping:** one triangle per thread; no shared memory. **Traffic** per triangle: three corners
/// and their list starts read; in each of the three lists, two elements are reserved by an addition
/// to `filled` and written.
///
/// # Safety
/// `corners` holds three elements per item; `starts` is the exclusive scan of the counts of
/// [`count_incident_triangles`](super::incidence::count_incident_triangles) for them with
/// `increment` = 2, `filled` holds as many zeros, and `lists` as many elements as the sum of the
/// counts.
#[kernel(I = [u32, u64], baseline)]
pub unsafe fn list_neighbours<I: Count>(
    corners: View<I>,
    items: Items,
    vertices: u64,
    starts: View<u64>,
    filled: ViewMut<u64>,
    lists: ViewMut<I>,
) {
    items.for_each(|triangle| {
        if let Some([a, b, c]) = valid_corners(corners, triangle, vertices) {
            let add = |vertex: usize, first: usize, second: usize| {
                let index = (starts.read(vertex) + filled.atomic_add(vertex, 2)) as usize;
                lists.write(index, I::narrow(first as u64));
                lists.write(index + 1, I::narrow(second as u64));
            };
            add(a, b, c);
            add(b, c, a);
            add(c, a, b);
        }
    });
}

/// Reduces each list of [`list_neighbours`] to the neighbours used in smoothing, in ascending
/// order, and its length to their number.
///
/// A neighbour listed once lies across a boundary edge; listed twice, across an interior edge;
/// listed more often, across a non-manifold edge. An interior vertex keeps all neighbours, a
/// boundary vertex those along the boundary. A vertex of a non-manifold edge, or at which
/// boundaries meet, has no neighbours left and is fixed.
///
/// **Mapping:** one vertex per thread, which sorts the list in place; no shared memory. **Traffic**
/// in addition to sorting: one read and one write per element.
///
/// # Safety
/// `starts`, `lists` and `lengths` are those of [`list_neighbours`]; `starts` and `lengths` hold
/// one element per item.
#[kernel(I = [u32, u64], baseline)]
pub unsafe fn select_smoothing_neighbours<I: Count>(
    items: Items,
    starts: View<u64>,
    lengths: ViewMut<u64>,
    lists: ViewMut<I>,
) {
    items.for_each(|vertex| {
        let start = starts.read(vertex) as usize;
        let len = lengths.read(vertex) as usize;
        lists::sort(lists, start, len);
        let (mut boundary, mut sheets) = (0, false);
        let mut at = 0;
        while at < len {
            let times = run_length(lists, start + at, len - at);
            boundary += (times == 1) as usize;
            sheets |= times > 2;
            at += times;
        }
        let fixed = sheets || boundary != 0 && boundary != 2;
        let (mut at, mut kept) = (0, 0);
        while at < len && !fixed {
            let times = run_length(lists, start + at, len - at);
            if boundary == 0 || times == 1 {
                // never beyond the elements already read
                lists.write(start + kept, lists.read(start + at));
                kept += 1;
            }
            at += times;
        }
        lengths.write(vertex, kept as u64);
    });
}

/// Returns the length of the run of equal elements at `first`, of which there are at most `len`.
#[inline(always)]
fn run_length<I: Count>(list: ViewMut<I>, first: usize, len: usize) -> usize {
    let value = list.read(first).widen();
    let mut times = 1;
    while times < len && list.read(first + times).widen() == value {
        times += 1;
    }
    times
}
