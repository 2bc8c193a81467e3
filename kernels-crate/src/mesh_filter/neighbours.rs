//! The neighbours of each vertex.

use super::{corners::corners_of, lists};
use crate::{rows::Items, sample::Count};
use cuda_std::{View, ViewMut, kernel};

/// Lists for each vertex the two others of each triangle at it, in any order: an edge's other end
/// once for each triangle of the edge.
///
/// A thread takes single triangles: it reads three corners and their starts, takes two places in
/// each of the three lists by adding to `listed`, and writes six elements. Nothing is shared in the
/// block.
///
/// # Safety
/// `corners` holds three elements for each item; `starts` is the exclusive scan of what
/// [`count_at_vertices`](super::corners::count_at_vertices) counted of them with `each` 2, `listed`
/// holds as many zeros, and `lists` as many elements as the counts' sum.
#[kernel(I = [u32, u64])]
pub unsafe fn list_neighbours<I: Count>(
    corners: View<I>,
    items: Items,
    vertices: u64,
    starts: View<u64>,
    listed: ViewMut<u64>,
    lists: ViewMut<I>,
) {
    items.for_each(|triangle| {
        if let Some([a, b, c]) = corners_of(corners, triangle, vertices) {
            let add = |vertex: usize, first: usize, second: usize| {
                let place = (starts.read(vertex) + listed.atomic_add(vertex, 2)) as usize;
                lists.write(place, I::narrow(first as u64));
                lists.write(place + 1, I::narrow(second as u64));
            };
            add(a, b, c);
            add(b, c, a);
            add(c, a, b);
        }
    });
}

/// Makes of each list from [`list_neighbours`] the neighbours that smoothing may follow, in
/// ascending order, and their number of its length.
///
/// A neighbour that is listed once is across an edge with one triangle, on the boundary; twice,
/// across an edge inside; more often, across one where sheets meet. Within the mesh all neighbours
/// count, on the boundary those on it. A vertex of an edge where sheets meet, and one in which
/// boundaries meet, has none: it stays where it is.
///
/// A thread takes single vertices: it sorts the list where it is, and reads and writes each element
/// once more. Nothing is shared in the block.
///
/// # Safety
/// `starts`, `lists` and `lengths` are those of [`list_neighbours`], with an element of the first
/// and the last for each item.
#[kernel(I = [u32, u64])]
pub unsafe fn unite_neighbours<I: Count>(
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
                // no farther than what was read
                lists.write(start + kept, lists.read(start + at));
                kept += 1;
            }
            at += times;
        }
        lengths.write(vertex, kept as u64);
    });
}

/// How many elements from `first` on are equal, of `len` that are there.
#[inline(always)]
fn run_length<I: Count>(list: ViewMut<I>, first: usize, len: usize) -> usize {
    let value = list.read(first).widen();
    let mut times = 1;
    while times < len && list.read(first + times).widen() == value {
        times += 1;
    }
    times
}
