//! Vertices of ambiguous cells, and the points on faces where a quad side would be used twice.

use super::{
    cell::{arcs_surround_second, face_edge, face_labels, face_node, has_two_arcs},
    net::{AMBIGUOUS, AmbiguousCells, MASKS_PER_WORD, Net, moved},
    sheets::{NODE_WORDS, assign_vertices, mean_midpoint},
};
use crate::{isosurface::interpolate::IndexToWorld, rows::Items, sample::Count};
use cuda_std::{View, ViewMut, kernel};

/// Lists the indices of the ambiguous cells.
///
/// **Mapping:** one word of 32 cells per thread; no shared memory. **Traffic** per word: one mask
/// read and, if it is not empty, its offset; per ambiguous cell: one index written.
///
/// # Safety
/// `masks` is the output of [`classify_label_cells`](super::classify_label_cells), `offsets` the
/// exclusive scan of its ambiguous cells, one element per item each; `cells` has one element per
/// ambiguous cell.
#[kernel(baseline)]
pub unsafe fn list_ambiguous_cells(
    items: Items,
    masks: View<u32>,
    offsets: View<u64>,
    cells: ViewMut<u64>,
) {
    items.for_each(|index| {
        let mut pending = masks.read(index * MASKS_PER_WORD + AMBIGUOUS);
        if pending == 0 {
            return;
        }
        let mut at = offsets.read(index) as usize;
        while pending != 0 {
            cells.write(at, index as u64 * 32 + pending.trailing_zeros() as u64);
            pending &= pending - 1;
            at += 1;
        }
    });
}

/// Assigns the nodes of each ambiguous cell to vertices.
///
/// **Mapping:** one ambiguous cell per thread; no shared memory. **Traffic** per cell: its index
/// and eight labels read; three words of vertex numbers and the number of vertices beyond the
/// first written.
///
/// # Safety
/// `labels` holds `net.grid.samples()` elements; `cells` holds the index of an ambiguous cell per
/// item; `nodes` has [`NODE_WORDS`] elements per item, `extra` one.
#[kernel(T = [u8, u16, u32], baseline)]
pub unsafe fn assign_label_vertices<T: Count>(
    labels: View<T>,
    net: Net,
    items: Items,
    cells: View<u64>,
    nodes: ViewMut<u32>,
    extra: ViewMut<u8>,
) {
    items.for_each(|rank| {
        let cell = net.cell(cells.read(rank));
        let assigned = assign_vertices(&net.corner_labels(labels, cell), net.contacts);
        let [first, second, third] = assigned.words;
        nodes.write(rank * NODE_WORDS, first);
        nodes.write(rank * NODE_WORDS + 1, second);
        nodes.write(rank * NODE_WORDS + 2, third);
        extra.write(rank, (assigned.vertices - 1) as u8);
    });
}

/// Finds the faces on which the two arcs of a label connect the same two vertices.
///
/// The quads along both arcs would meet in an edge with four triangles; instead, each arc gets a
/// point of its own on the face. `faces` receives one bit per face of the cell, `points` twice the
/// number of these bits at lower faces, which are those whose points belong to the cell.
///
/// **Mapping:** one ambiguous cell per thread; no shared memory. **Traffic** per cell: its index
/// and eight labels read; for each face with two arcs the mask and offset of the neighbouring cell
/// and the vertex numbers of both; two bytes written.
///
/// # Safety
/// `labels` holds `net.grid.samples()` elements; `masks` and `offsets` are the inputs of
/// [`list_ambiguous_cells`], `cells` its output; `nodes` is the output of
/// [`assign_label_vertices`]; `faces` and `points` have one element per item.
#[kernel(T = [u8, u16, u32], baseline)]
pub unsafe fn find_face_points<T: Count>(
    labels: View<T>,
    net: Net,
    items: Items,
    masks: View<u32>,
    offsets: View<u64>,
    cells: View<u64>,
    nodes: View<u32>,
    faces: ViewMut<u8>,
    points: ViewMut<u8>,
) {
    let ambiguous = AmbiguousCells {
        net,
        masks,
        offsets,
        nodes,
    };
    items.for_each(|rank| {
        let cell = net.cell(cells.read(rank));
        let labels = net.corner_labels(labels, cell);
        let (mut found, mut owned) = (0_u32, 0);
        let mut face = 0;
        while face < 6 {
            let corners = face_labels(&labels, face);
            if has_two_arcs(corners) {
                let steps = if face & 1 == 1 { 1 } else { u32::MAX };
                // the cell beyond is ambiguous too, since the face is
                let (beyond, _) = ambiguous.rank(moved(cell, face >> 1, steps));
                // edges 0 and 2 of the face are on different arcs; their ends at corners 0 and 2,
                // and those at corners 1 and 3, belong to one label if these corners do
                let coincide = |end: u32| {
                    let equal = |rank: usize, face: u32| {
                        let vertex =
                            |index| ambiguous.node_vertex(rank, face_node(face, index, end));
                        vertex(0) == vertex(2)
                    };
                    equal(rank, face) && equal(beyond, face ^ 1)
                };
                let [a, b, c, d] = corners;
                let needs_points =
                    a == c && a != 0 && coincide(0) || b == d && b != 0 && coincide(1);
                found |= (needs_points as u32) << face;
                owned += (needs_points && face & 1 == 0) as u32;
            }
            face += 1;
        }
        faces.write(rank, found as u8);
        points.write(rank, (2 * owned) as u8);
    });
}

/// Writes the points on the lower faces of ambiguous cells: the mean of the midpoints of the two
/// edges that each arc connects.
///
/// **Mapping:** one ambiguous cell per thread; no shared memory. **Traffic** per cell: one byte
/// read; with points, also its index, its offset and eight labels, and three coordinates per point
/// written.
///
/// # Safety
/// `labels` holds `net.grid.samples()` elements; `cells` and `faces` are those of
/// [`find_face_points`], `offsets` is the exclusive scan of its numbers of points, plus
/// `first_point`; `positions` has three elements for each point.
#[kernel(T = [u8, u16, u32], baseline)]
pub unsafe fn emit_face_points<T: Count>(
    labels: View<T>,
    net: Net,
    items: Items,
    cells: View<u64>,
    faces: View<u8>,
    offsets: View<u64>,
    first_point: u64,
    to_world: IndexToWorld,
    positions: ViewMut<f32>,
) {
    items.for_each(|rank| {
        let flags = faces.read(rank) as u32;
        if flags & LOWER_FACES == 0 {
            return;
        }
        let cell = net.cell(cells.read(rank));
        let labels = net.corner_labels(labels, cell);
        let mut at = (first_point + offsets.read(rank)) as usize * 3;
        let mut face = 0;
        while face < 6 {
            if flags >> face & 1 == 1 {
                let surround = arcs_surround_second(face_labels(&labels, face), net.contacts);
                // edges 0 and 1, 2 and 3; or 3 and 0, 1 and 2
                let shift = if surround { 0 } else { 3 };
                let mut arc = 0;
                while arc < 2 {
                    let edge = |index: u32| 1 << face_edge(face, index);
                    let edges = edge(2 * arc + shift) | edge(2 * arc + shift + 1);
                    let [x, y, z] = mean_midpoint(edges);
                    let within = [x as f64, y as f64, z as f64];
                    let position = net.world_position(cell, within, to_world);
                    positions.write(at, position[0]);
                    positions.write(at + 1, position[1]);
                    positions.write(at + 2, position[2]);
                    at += 3;
                    arc += 1;
                }
            }
            face += 2;
        }
    });
}

/// Bits of the lower faces of a cell.
pub(super) const LOWER_FACES: u32 = 0b01_0101;
