//! Quads at each vertex, and the neighbours used in relaxation.

use super::{cell::next_axis, quads::QuadKey};
use crate::{mesh_filter, rows::Items, sample::Count};
use cuda_std::{View, ViewMut, kernel};

/// Counts the quads at each vertex.
///
/// **Mapping:** one quad per thread; no shared memory. **Traffic** per quad: four corners read, 1
/// added to four counts.
///
/// # Safety
/// `quads` holds four elements per item, indices of `counts`.
#[kernel(I = [u32, u64], baseline)]
pub unsafe fn count_incident_quads<I: Count>(quads: View<I>, items: Items, counts: ViewMut<u64>) {
    items.for_each(|quad| {
        let mut corner = 0;
        while corner < 4 {
            counts.atomic_add(quads.read(quad * 4 + corner).widen() as usize, 1);
            corner += 1;
        }
    });
}

/// Lists the quads at each vertex, in unspecified order: four times the index of the quad, plus the
/// corner.
///
/// **Mapping:** one quad per thread; no shared memory. **Traffic** per quad: four corners and their
/// list starts read; in each of the four lists, one element is reserved by an addition to `lengths`
/// and written.
///
/// # Safety
/// As for [`count_incident_quads`]; `starts` is the exclusive scan of its counts, `lengths` holds
/// as many zeros, and `lists` four elements per quad. Four times the number of quads fits `I`.
#[kernel(I = [u32, u64], baseline)]
pub unsafe fn list_incident_quads<I: Count>(
    quads: View<I>,
    items: Items,
    starts: View<u64>,
    lengths: ViewMut<u32>,
    lists: ViewMut<I>,
) {
    items.for_each(|quad| {
        let mut corner = 0;
        while corner < 4 {
            let vertex = quads.read(quad * 4 + corner).widen() as usize;
            let index = starts.read(vertex) + lengths.atomic_add(vertex, 1) as u64;
            lists.write(index as usize, I::narrow((quad * 4 + corner) as u64));
            corner += 1;
        }
    });
}

/// Sorts the list of quads at each vertex, and lists its neighbours in relaxation, without
/// duplicates: eight times the index of the vertex, plus the direction of its cell, `2 axis + 1`
/// upward and `2 axis` downward.
///
/// Neighbours are the adjacent corners of incident quads, which lie in the cells across the faces
/// of the vertex's cell. A vertex of a junction line, at a face with three or more labels, keeps
/// only neighbours across such faces, and none if they are fewer than two: it is fixed.
///
/// **Mapping:** one vertex per thread, which sorts its list in place; no shared memory. **Traffic**
/// in addition to sorting, per incident quad: its key and two corners read; per neighbour: one
/// element written.
///
/// # Safety
/// `starts`, `lengths` and `lists` are those of [`list_incident_quads`] for `quads`, `keys` are
/// those of [`emit_label_quads`](super::emit_label_quads); `neighbours` has as many elements as
/// `lists`, `counts` one per item. Eight times the number of vertices fits `I`.
#[kernel(I = [u32, u64], baseline)]
pub unsafe fn list_relaxation_neighbours<I: Count>(
    items: Items,
    quads: View<I>,
    keys: View<u64>,
    starts: View<u64>,
    lengths: View<u32>,
    lists: ViewMut<I>,
    neighbours: ViewMut<I>,
    counts: ViewMut<u8>,
) {
    items.for_each(|vertex| {
        let start = starts.read(vertex) as usize;
        let len = lengths.read(vertex) as usize;
        mesh_filter::lists::insertion_sort(lists, start, len);
        let is_junction = |at: usize| {
            let corner = lists.read(start + at).widen();
            let key = QuadKey(keys.read((corner / 4) as usize));
            let corner = corner as u32 & 3;
            key.is_junction(corner) || key.is_junction((corner + 3) & 3)
        };
        let mut on_junction = false;
        let mut at = 0;
        while at < len {
            on_junction |= is_junction(at);
            at += 1;
        }
        let mut count = 0;
        let mut at = 0;
        while at < len {
            let element = lists.read(start + at).widen();
            let (quad, corner) = ((element / 4) as usize, element as u32 & 3);
            let key = QuadKey(keys.read(quad));
            let mut forward = 0;
            while forward < 2 {
                // the side between the corner and its neighbour
                let side = if forward == 1 {
                    corner
                } else {
                    (corner + 3) & 3
                };
                if !on_junction || key.is_junction(side) {
                    let adjacent = if forward == 1 { (corner + 1) & 3 } else { side };
                    let neighbour = quads.read(quad * 4 + adjacent as usize).widen();
                    let direction = direction(key.axis(), side, forward);
                    let entry = neighbour * 8 + direction as u64;
                    let mut other = 0;
                    while other < count && neighbours.read(start + other).widen() != entry {
                        other += 1;
                    }
                    if other == count {
                        neighbours.write(start + count, I::narrow(entry));
                        count += 1;
                    }
                }
                forward += 1;
            }
            at += 1;
        }
        let is_fixed = on_junction && count < 2;
        counts.write(vertex, if is_fixed { 0 } else { count as u8 });
    });
}

/// Returns the direction across a side of a quad, along its order of corners if `forward` is 1,
/// against it if 0.
#[inline(always)]
const fn direction(axis: u32, side: u32, forward: u32) -> u32 {
    let first = next_axis(axis);
    let across = if side & 1 == 0 {
        first
    } else {
        next_axis(first)
    };
    let is_upward = (side < 2) as u32;
    2 * across + (is_upward ^ forward ^ 1)
}
