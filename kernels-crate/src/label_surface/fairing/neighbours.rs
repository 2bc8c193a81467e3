//! Neighbours of vertices in fairing.

use crate::{mesh_filter, rows::Items};
use cuda_std::{View, ViewMut, kernel};

/// Sorts the list of triangles at each vertex, and lists the neighbours that fairing moves the
/// vertex towards, in ascending order.
///
/// An edge between two triangles with the same two labels is within a wall; another is on a line
/// where walls meet. A vertex on such a line keeps the neighbours along lines only, and none if
/// they are fewer than two: it is fixed.
///
/// **Mapping:** one vertex per thread, which sorts its lists in place; no shared memory.
/// **Traffic** in addition to sorting, per incident triangle: three corners and two labels read;
/// per neighbour: one element written.
///
/// # Safety
/// `starts`, `lengths` and `lists` are the output of
/// [`list_incident_triangles`](mesh_filter::incidence::list_incident_triangles) for `corners`,
/// which has three elements per triangle, and `sides` two; `spokes` has twice as many elements as
/// `lists`, `neighbours` as many, and `counts` one per item.
#[kernel(baseline)]
pub unsafe fn list_fairing_neighbours(
    items: Items,
    corners: View<u32>,
    sides: View<u32>,
    starts: View<u64>,
    lengths: View<u64>,
    lists: ViewMut<u32>,
    spokes: ViewMut<u64>,
    neighbours: ViewMut<u32>,
    counts: ViewMut<u32>,
) {
    items.for_each(|vertex| {
        let start = starts.read(vertex) as usize;
        let len = lengths.read(vertex) as usize;
        mesh_filter::lists::sort(lists, start, len);
        // a spoke: the other end of an edge, and a triangle at it
        let mut at = 0;
        while at < len {
            let triangle = lists.read(start + at) as usize;
            let [a, b, c] = [0, 1, 2].map(|corner| corners.read(triangle * 3 + corner));
            let (one, other) = if a as usize == vertex {
                (b, c)
            } else if b as usize == vertex {
                (c, a)
            } else {
                (a, b)
            };
            let spoke = |end: u32| (end as u64) << 32 | triangle as u64;
            spokes.write((start + at) * 2, spoke(one));
            spokes.write((start + at) * 2 + 1, spoke(other));
            at += 1;
        }
        mesh_filter::lists::sort(spokes, start * 2, len * 2);
        let end = (start + len) * 2;
        let is_on_line = {
            let mut found = false;
            let mut at = start * 2;
            while at < end {
                let group = Group::read(spokes, sides, at, end);
                found |= group.is_line;
                at = group.end;
            }
            found
        };
        let mut count = 0;
        let mut at = start * 2;
        while at < end {
            let group = Group::read(spokes, sides, at, end);
            // a closed surface has two triangles at an edge, so that the neighbours fit
            if (!is_on_line || group.is_line) && count < len {
                neighbours.write(start + count, group.neighbour);
                count += 1;
            }
            at = group.end;
        }
        counts.write(vertex, if count < 2 { 0 } else { count as u32 });
    });
}

/// The spokes along one edge.
struct Group {
    neighbour: u32,
    /// Index after the last spoke.
    end: usize,
    /// `true` if the edge is on a line where walls meet.
    is_line: bool,
}

impl Group {
    /// Returns the spokes to the neighbour of the spoke `first`, of a sorted list up to `end`.
    #[inline(always)]
    fn read(spokes: ViewMut<u64>, sides: View<u32>, first: usize, end: usize) -> Self {
        let spoke = spokes.read(first);
        let mut at = first + 1;
        let mut second = spoke;
        while at < end {
            let next = spokes.read(at);
            if next >> 32 != spoke >> 32 {
                break;
            }
            second = next;
            at += 1;
        }
        let (one, other) = (spoke as u32 as usize * 2, second as u32 as usize * 2);
        let has_equal_sides =
            sides.read(one) == sides.read(other) && sides.read(one + 1) == sides.read(other + 1);
        Self {
            neighbour: (spoke >> 32) as u32,
            end: at,
            is_line: at - first != 2 || !has_equal_sides,
        }
    }
}
