//! Numbering of the corners, edges and faces of a cell, and the face rule: the arcs of label
//! boundaries on a face.
//!
//! | item | number |
//! | --- | --- |
//! | corner | `x + 2 y + 4 z` for coordinates 0 and 1 |
//! | edge | `4 a + j`, along axis a; the bits of j are its coordinates along the next two axes |
//! | node | `2 edge + side`: one end of an edge, side 0 the lower and side 1 the upper end |
//! | face | `2 a + s`: perpendicular to axis a, at coordinate s |
//!
//! A node is *active* if its edge connects different labels and its end is not background. On a
//! face, the boundary of each label consists of arcs between two active nodes of the label.

/// Number of nodes of a cell.
pub const NODES: u32 = 24;

/// Rotates three bits, one per axis, by `axis` places: bit 0 moves to bit `axis`.
#[inline(always)]
const fn rotate(bits: u32, axis: u32) -> u32 {
    (bits << axis | bits >> (3 - axis)) & 7
}

/// Returns the axis after `axis`, cyclically.
#[inline(always)]
pub const fn next_axis(axis: u32) -> u32 {
    if axis == 2 { 0 } else { axis + 1 }
}

/// Returns the corner at the lower end of an edge.
#[inline(always)]
pub const fn lower_corner(edge: u32) -> u32 {
    rotate((edge & 3) << 1, edge >> 2)
}

/// Returns the corner at the upper end of an edge.
#[inline(always)]
pub const fn upper_corner(edge: u32) -> u32 {
    lower_corner(edge) | 1 << (edge >> 2)
}

/// Returns the corner at a node's end.
#[inline(always)]
pub const fn node_corner(node: u32) -> u32 {
    if node & 1 == 0 {
        lower_corner(node >> 1)
    } else {
        upper_corner(node >> 1)
    }
}

/// Returns corner `index` (modulo 4) of a face, in cyclic order.
#[inline(always)]
pub const fn face_corner(face: u32, index: u32) -> u32 {
    let (first, second) = ((index ^ index >> 1) & 1, index >> 1 & 1);
    rotate(face & 1 | first << 1 | second << 2, face >> 1)
}

/// Returns edge `index` (modulo 4) of a face, between its corners `index` and `index` + 1.
#[inline(always)]
pub const fn face_edge(face: u32, index: u32) -> u32 {
    let side = face & 1;
    let first = next_axis(face >> 1);
    let second = next_axis(first);
    match index & 3 {
        0 => 4 * first + 2 * side,
        1 => 4 * second + side + 2,
        2 => 4 * first + 1 + 2 * side,
        _ => 4 * second + side,
    }
}

/// Returns the node of face edge `index` (modulo 4) at face corner `index` if `end` is 0, at face
/// corner `index` + 1 if it is 1.
#[inline(always)]
pub const fn face_node(face: u32, index: u32, end: u32) -> u32 {
    2 * face_edge(face, index) + (end ^ index >> 1 & 1)
}

/// Rule for two voxels of one label on the diagonal of a face whose other two voxels are both
/// background.
pub const JOIN_CONTACTS: u32 = 0;

/// Returns `true` if the label at the ends `one` and `other` of a face's diagonal is joined across
/// the face; `between` and `beyond` are the labels at the other two corners.
///
/// A label other than background that has both ends of a diagonal, but neither of the other
/// corners, is joined. If the other corners also have equal labels, they could be joined too: the
/// smaller label is; against background, the label is joined if `contacts` is [`JOIN_CONTACTS`].
#[inline(always)]
pub const fn joins([one, between, other, beyond]: [u32; 4], contacts: u32) -> bool {
    let is_diagonal = one == other && one != 0 && between != one && beyond != one;
    let is_joined = between != beyond
        || if between == 0 {
            contacts == JOIN_CONTACTS
        } else {
            one < between
        };
    is_diagonal && is_joined
}

/// Returns `true` if a label other than background has both ends of a diagonal of a face, but
/// neither of the other corners: the boundary of this label has two arcs on the face.
#[inline(always)]
pub const fn has_two_arcs([a, b, c, d]: [u32; 4]) -> bool {
    a != b && b != c && c != d && d != a && (a == c && a != 0 || b == d && b != 0)
}

/// Returns `true` if the arcs of a face with [two arcs](has_two_arcs) run around the second and
/// the fourth corner, `false` if around the first and the third.
#[inline(always)]
pub const fn arcs_surround_second([a, b, c, d]: [u32; 4], contacts: u32) -> bool {
    joins([a, b, c, d], contacts) || !joins([b, c, d, a], contacts) && b == d && b != 0
}

/// Returns `zero` or `one`, depending on the lowest bit of `bit`, without a branch.
#[inline(always)]
const fn select(bit: u32, zero: u32, one: u32) -> u32 {
    zero ^ (zero ^ one) & (bit & 1).wrapping_neg()
}

/// Returns the label at a corner of a cell. A GPU keeps an array that is indexed by a variable in
/// memory, also if a branch chooses between its elements; selections keep it in registers.
#[inline(always)]
pub const fn corner_label(&[a, b, c, d, e, f, g, h]: &[u32; 8], corner: u32) -> u32 {
    let lower = select(corner >> 1, select(corner, a, b), select(corner, c, d));
    let upper = select(corner >> 1, select(corner, e, f), select(corner, g, h));
    select(corner >> 2, lower, upper)
}

/// Returns the labels at the corners of a face, in cyclic order.
#[cuda_std::inline_closures]
#[inline(always)]
pub fn face_labels(labels: &[u32; 8], face: u32) -> [u32; 4] {
    let label = |index| corner_label(labels, face_corner(face, index));
    [label(0), label(1), label(2), label(3)]
}

/// Calls `visit` with the two nodes of each arc of each label on a face.
#[inline(always)]
pub fn for_each_arc(
    face: u32,
    face_labels: [u32; 4],
    contacts: u32,
    mut visit: impl FnMut(u32, u32),
) {
    let [mut a, mut b, mut c, mut d] = face_labels;
    let mut index = 0;
    while index < 4 {
        // corner `index`, with label a, is the last of a run of equal labels
        if a != b && a != 0 {
            let steps = if joins([a, b, c, d], contacts) {
                1
            } else if d != a {
                3
            } else if c != a {
                2
            } else {
                1
            };
            visit(face_node(face, index, 0), face_node(face, index + steps, 1));
        }
        [a, b, c, d] = [b, c, d, a];
        index += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_and_faces_are_consistent() {
        for edge in 0..12 {
            let axis = edge >> 2;
            let (low, high) = (lower_corner(edge), upper_corner(edge));
            assert_eq!(low ^ high, 1 << axis);
            let j = low >> next_axis(axis) & 1 | (low >> next_axis(next_axis(axis)) & 1) << 1;
            assert_eq!(4 * axis + j, edge);
        }
        for face in 0..6 {
            for index in 0..4 {
                let corner = face_corner(face, index);
                assert_eq!(corner >> (face >> 1) & 1, face & 1);
                assert_eq!(node_corner(face_node(face, index, 0)), corner);
                let next = face_corner(face, index + 1);
                assert_eq!(node_corner(face_node(face, index, 1)), next);
                assert_eq!(face_node(face, index, 0) >> 1, face_edge(face, index));
            }
        }
    }
}
