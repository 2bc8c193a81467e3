//! Quads of the walls between neighbouring voxels with different labels.

use super::{
    ambiguous::LOWER_FACES,
    cell::{arcs_surround_second, next_axis},
    net::{
        AmbiguousCells, MASKS_PER_WORD, Net, NetVertices, moved, quad_cell, quad_edge, side_face,
    },
};
use crate::{
    grid::{X, Z},
    rows::Items,
    sample::Count,
};
use cuda_std::{View, ViewMut, kernel};

/// Location and properties of a quad, in 64 bits.
///
/// | bits | content |
/// | --- | --- |
/// | 0 | 1 if the inside label is at the upper end of the edge that the quad crosses |
/// | 1 to 4 | sides on a face with three or more labels, which belong to a junction line |
/// | 5 to 8 | sides with a point on the face |
/// | 9 to 12 | sides whose arc runs around the upper end of the edge |
/// | 13 to 14 | axis of the edge |
/// | 15 and above | index of the cell whose highest corner is the upper end of the edge |
///
/// Side k of a quad lies between its corners k and k + 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct QuadKey(pub u64);

impl QuadKey {
    #[inline(always)]
    const fn new(cell: u64, axis: u32, sides: u32) -> Self {
        Self(cell << 15 | (axis as u64) << 13 | sides as u64)
    }

    /// Returns 1 if the inside label is at the upper end of the edge, else 0.
    #[inline(always)]
    pub const fn inside_is_upper(self) -> u32 {
        self.0 as u32 & 1
    }

    /// Returns `true` if side `side` belongs to a junction line.
    #[inline(always)]
    pub const fn is_junction(self, side: u32) -> bool {
        self.0 as u32 >> (1 + side) & 1 == 1
    }

    /// Returns one bit for each side with a point on its face.
    #[inline(always)]
    pub const fn face_points(self) -> u32 {
        self.0 as u32 >> 5 & 15
    }

    /// Returns `true` if the arc of side `side` runs around the upper end of the edge.
    #[inline(always)]
    pub const fn surrounds_upper(self, side: u32) -> bool {
        self.0 as u32 >> (9 + side) & 1 == 1
    }

    /// Returns the axis of the edge.
    #[inline(always)]
    pub const fn axis(self) -> u32 {
        self.0 as u32 >> 13 & 3
    }

    /// Returns the index of the cell whose highest corner is the upper end of the edge.
    #[inline(always)]
    pub const fn cell(self) -> u64 {
        self.0 >> 15
    }
}

/// Moves the cell of a quad's key by a number of cell indices, from a slab into the whole volume.
pub const fn move_key(key: u64, cells: u64) -> u64 {
    key + (cells << 15)
}

/// Calls `visit` with the cell and the axis of each quad position of a word: an edge with different
/// labels.
#[inline(always)]
fn for_each_crossed_edge(
    net: Net,
    masks: View<u32>,
    index: usize,
    mut visit: impl FnMut([u32; 3], u32),
) {
    // a cell without a vertex has no quad
    if masks.read(index * MASKS_PER_WORD) == 0 {
        return;
    }
    let crossed = [
        masks.read(index * MASKS_PER_WORD + 1),
        masks.read(index * MASKS_PER_WORD + 2),
        masks.read(index * MASKS_PER_WORD + 3),
    ];
    let word = net.word(index as u64);
    let mut pending = crossed[0] | crossed[1] | crossed[2];
    while pending != 0 {
        let lane = pending.trailing_zeros();
        pending &= pending - 1;
        let mut axis = X;
        while axis <= Z {
            let bits = match axis {
                0 => crossed[0],
                1 => crossed[1],
                _ => crossed[2],
            };
            if bits >> lane & 1 == 1 {
                visit([word.x + lane, word.y, word.z], axis);
            }
            axis += 1;
        }
    }
}

/// Returns the labels at the lower and the upper end of the edge along `axis` that ends at the
/// highest corner of `cell`.
#[inline(always)]
fn end_labels<T: Count>(labels: View<T>, net: Net, cell: [u32; 3], axis: u32) -> [u32; 2] {
    [
        net.label(labels, moved(cell, axis, u32::MAX)),
        net.label(labels, cell),
    ]
}

/// Returns `true` if the four vertices around an edge are the same for both ends.
#[inline(always)]
fn is_shared(ambiguous: AmbiguousCells, cell: [u32; 3], axis: u32) -> bool {
    let mut shared = true;
    let mut corner = 0;
    while corner < 4 {
        let edge = quad_edge(axis, corner);
        let [low, high] = ambiguous.edge_vertices(quad_cell(cell, axis, corner), edge);
        shared &= low == high;
        corner += 1;
    }
    shared
}

/// Counts the quads of each word.
///
/// Two labels have one quad in common if its four vertices are the same for both, and one each
/// otherwise.
///
/// **Mapping:** one word of 32 cells per thread, whose edges are processed sequentially, as most
/// words have none; no shared memory. **Traffic** per word: the mask of cells with a vertex read
/// and, if it is not empty, the three masks of edges; per edge: two labels, and for each of the
/// four cells a mask and an offset, if it is ambiguous also its vertex numbers; one number written.
///
/// # Safety
/// `labels` holds `net.grid.samples()` elements, `masks` the output of
/// [`classify_label_cells`](super::classify_label_cells) for them; `ambiguous_offsets` is the
/// exclusive scan of its ambiguous cells, `nodes` the output of
/// [`assign_label_vertices`](super::assign_label_vertices); `items` counts the words of `net`;
/// `counts` and `unshared` have one element per item.
#[kernel(T = [u8, u16, u32], baseline)]
pub unsafe fn count_label_quads<T: Count>(
    labels: View<T>,
    net: Net,
    items: Items,
    masks: View<u32>,
    ambiguous_offsets: View<u64>,
    nodes: View<u32>,
    counts: ViewMut<u8>,
    unshared: ViewMut<u8>,
) {
    let ambiguous = AmbiguousCells {
        net,
        masks,
        offsets: ambiguous_offsets,
        nodes,
    };
    items.for_each(|index| {
        let (mut count, mut separate) = (0, 0);
        for_each_crossed_edge(net, masks, index, |cell, axis| {
            let [low, high] = end_labels(labels, net, cell, axis);
            let is_separate = low != 0 && high != 0 && !is_shared(ambiguous, cell, axis);
            count += 1 + is_separate as u32;
            separate += is_separate as u32;
        });
        counts.write(index, count as u8);
        unshared.write(index, separate as u8);
    });
}

/// Writes the vertices, the adjacent labels and the key of each quad.
///
/// Of the two labels of a quad, the inside label is written first: the smaller label or, next to
/// background (0), the label that is not 0. A quad of one of two labels that do not share it has
/// that label inside and 0 outside; the quad of the label at the lower end of the edge comes first.
///
/// **Mapping:** one word of 32 cells per thread, whose edges are processed sequentially, as most
/// words have none; no shared memory. **Traffic** per word: as for [`count_label_quads`], and the
/// quad offset; per quad: the labels of ten voxels, and for each corner two masks and four offsets
/// read; four indices, two labels and a key written.
///
/// # Safety
/// As for [`count_label_quads`]; `cell_offsets`, `extra_offsets` and `quad_offsets` are the
/// exclusive scans of the numbers of cells with a vertex, of further vertices of ambiguous cells
/// (with one more element) and of quads; `faces` is the output of
/// [`find_face_points`](super::find_face_points); `quads` has four elements per quad, `sides` two,
/// `keys` one; the number of vertices fits `I`.
#[kernel(T = [u8, u16, u32], I = [u32, u64], baseline)]
pub unsafe fn emit_label_quads<T: Count, I: Count>(
    labels: View<T>,
    net: Net,
    items: Items,
    masks: View<u32>,
    cell_offsets: View<u64>,
    ambiguous_offsets: View<u64>,
    extra_offsets: View<u64>,
    nodes: View<u32>,
    faces: View<u8>,
    quad_offsets: View<u64>,
    quads: ViewMut<I>,
    sides: ViewMut<u32>,
    keys: ViewMut<u64>,
) {
    let ambiguous = AmbiguousCells {
        net,
        masks,
        offsets: ambiguous_offsets,
        nodes,
    };
    let vertices = NetVertices {
        ambiguous,
        cell_offsets,
        extra_offsets,
    };
    items.for_each(|index| {
        let mut quad = quad_offsets.read(index) as usize;
        for_each_crossed_edge(net, masks, index, |cell, axis| {
            let ends = end_labels(labels, net, cell, axis);
            let [low, high] = ends;
            let properties = side_properties(labels, ambiguous, faces, cell, axis, ends);
            let is_separate = low != 0 && high != 0 && !is_shared(ambiguous, cell, axis);
            let low_is_inside = low != 0 && (high == 0 || low < high);
            let mut side = if is_separate || low_is_inside { 0 } else { 1 };
            let last = if is_separate { 1 } else { side };
            while side <= last {
                let mut corner = 0;
                while corner < 4 {
                    let own = quad_cell(cell, axis, corner);
                    let edge = quad_edge(axis, corner);
                    let numbers = ambiguous.edge_vertices(own, edge);
                    let number = if side == 0 { numbers[0] } else { numbers[1] };
                    let vertex = vertices.first(own) + number as u64;
                    quads.write(quad * 4 + corner as usize, I::narrow(vertex));
                    corner += 1;
                }
                let (inside, outside) = if side == 0 { (low, high) } else { (high, low) };
                sides.write(quad * 2, inside);
                sides.write(quad * 2 + 1, if is_separate { 0 } else { outside });
                let key = QuadKey::new(net.cell_index(cell), axis, properties | side);
                keys.write(quad, key.0);
                quad += 1;
                side += 1;
            }
        });
    });
}

/// Returns the bits of a [`QuadKey`] that describe the sides of a quad.
#[cuda_std::inline_closures]
#[inline(always)]
fn side_properties<T: Count>(
    labels: View<T>,
    ambiguous: AmbiguousCells,
    faces: View<u8>,
    cell: [u32; 3],
    axis: u32,
    [low, high]: [u32; 2],
) -> u32 {
    let net = ambiguous.net;
    let mut properties = 0;
    let mut side = 0;
    while side < 4 {
        let face = side_face(axis, side);
        let beyond = beyond_side(cell, axis, side);
        let [far_low, far_high] = end_labels(labels, net, beyond, axis);
        let is_new = |label: u32| label != low && label != high;
        let is_junction = is_new(far_low) || is_new(far_high);
        let (rank, is_ambiguous) = ambiguous.rank(quad_cell(cell, axis, side));
        let has_point = is_ambiguous && faces.read(rank) as u32 >> face & 1 == 1;
        let surrounds_upper = arcs_surround_second([low, high, far_high, far_low], net.contacts);
        properties |= (is_junction as u32) << (1 + side)
            | (has_point as u32) << (5 + side)
            | (surrounds_upper as u32) << (9 + side);
        side += 1;
    }
    properties
}

/// Returns the cell whose highest corner is the upper end of the parallel edge across the face of a
/// quad's side.
#[inline(always)]
const fn beyond_side(cell: [u32; 3], axis: u32, side: u32) -> [u32; 3] {
    let first = next_axis(axis);
    let second = next_axis(first);
    match side {
        0 => moved(cell, second, u32::MAX),
        1 => moved(cell, first, 1),
        2 => moved(cell, second, 1),
        _ => moved(cell, first, u32::MAX),
    }
}

/// Returns the number of the point on the face of a quad's side, among all points on faces.
#[inline(always)]
pub(super) fn face_point_number(
    ambiguous: AmbiguousCells,
    faces: View<u8>,
    offsets: View<u64>,
    key: QuadKey,
    side: u32,
) -> u64 {
    let axis = key.axis();
    let cell = ambiguous.net.cell(key.cell());
    let face = side_face(axis, side);
    // the points of a face belong to the cell of which it is a lower face
    let (owner, corner) = if face & 1 == 1 {
        (quad_cell(cell, axis, (side + 1) & 3), (side + 1) & 3)
    } else {
        (quad_cell(cell, axis, side), side)
    };
    let face = face & !1;
    let (rank, _) = ambiguous.rank(owner);
    let before = faces.read(rank) as u32 & LOWER_FACES & ((1 << face) - 1);
    // position of the edge among those of the face
    let edge = quad_edge(axis, corner);
    let mut index = 0;
    while index < 3 && super::cell::face_edge(face, index) != edge {
        index += 1;
    }
    // edges 0 and 1 of a face are directed along its order of corners, the others against it
    let is_forward = index < 2;
    // the arc continues to the next edge if it runs around the end at corner index + 1
    let continues_to_next = key.surrounds_upper(side) == is_forward;
    let surrounds_second = continues_to_next == (index & 1 == 0);
    let arc = if surrounds_second {
        index >> 1
    } else {
        ((index + 1) & 3) >> 1
    };
    offsets.read(rank) + 2 * before.count_ones() as u64 + arc as u64
}
