//! Tubes: which loops a tunnel can join, and the triangles of a cell with a tunnel.

use super::{
    discs::push_disc,
    hexagon::Hexagon,
    loops::{AMBIGUOUS_FACE_TABLE, Loops},
    patch::Patch,
};
use crate::isosurface::table::{EDGES, FACES};

/// The four pairs of opposite corners.
const OPPOSITE_CORNERS: [[u32; 2]; 4] = [[0, 6], [1, 7], [2, 4], [3, 5]];

/// For each axis, the pair whose product is added to that of pair 0 in the mixed coefficient of the
/// [slice determinant](super::SliceDeterminant).
const ADDED_PAIR: [usize; 3] = [1, 3, 2];

/// For each axis, the faces at 0 and at 1.
const AXIS_FACES: [[usize; 2]; 3] = [[4, 5], [2, 3], [0, 1]];

/// The loops that a tunnel joins, and the remaining one.
#[derive(Clone, Copy)]
pub(super) struct TubeLoops {
    pub loops: [usize; 2],
    /// The third loop, if there is one.
    pub third: Option<usize>,
}

/// Returns the loops that a tunnel can join. Of two loops, it joins both. Of three, it joins the
/// loop of six edges and one of the other two: the one around a below corner if `below`, else the
/// other. Returns `None` for all other combinations.
pub(super) const fn tube_loops(case: u32, loops: &Loops, below: bool) -> Option<TubeLoops> {
    if loops.count == 2 {
        return Some(TubeLoops {
            loops: [0, 1],
            third: None,
        });
    }
    let (mut long, mut short, mut third) = (None, None, None);
    let mut number = 0;
    while number < loops.count {
        if loops.lengths[number] == 6 {
            long = Some(number);
        } else if loops.lengths[number] == 3
            && cuts_off_below_corner(case, &loops.edges[number]) == below
        {
            short = Some(number);
        } else {
            third = Some(number);
        }
        number += 1;
    }
    match (long, short, third) {
        (Some(long), Some(short), Some(_)) if loops.count == 3 => Some(TubeLoops {
            loops: [long, short],
            third,
        }),
        _ => None,
    }
}

/// Returns `true` if the corner cut off by a loop of three edges is below.
const fn cuts_off_below_corner(case: u32, edges: &[u8; 12]) -> bool {
    let [a, b] = EDGES[edges[0] as usize];
    let [c, d] = EDGES[edges[1] as usize];
    let corner = if a == c || a == d { a } else { b };
    case >> corner & 1 == 1
}

/// Returns `true` if the signs of a cell admit a tunnel along a diagonal.
///
/// Along each axis the determinants of both faces and the negated mixed coefficient must have a
/// common sign, which follows from the diagonal. The sign of a difference of products is known if
/// the products differ in sign, or from the decision on an ambiguous face.
pub(super) const fn is_sign_compatible(case: u32, joined: u32, diagonal: u32) -> bool {
    are_signs_compatible(case, joined, 0b100 | diagonal ^ 0b011)
        || are_signs_compatible(case, joined, 0b011 ^ (diagonal ^ 0b011))
}

/// Returns `true` if the signs of a cell admit these signs of the three axes: bit k is set for
/// positive along axis k.
const fn are_signs_compatible(case: u32, joined: u32, positive: u32) -> bool {
    let mut axis = 0;
    while axis < 3 {
        let required = if positive >> axis & 1 == 1 { 1 } else { -1 };
        let mut end = 0;
        while end < 2 {
            let known = face_sign(case, joined, AXIS_FACES[axis][end]);
            if known == -required {
                return false;
            }
            end += 1;
        }
        // number of positive and of negative terms of the mixed coefficient
        let (mut negative, mut positive_terms) = (0, 0);
        let mut pair = 0;
        while pair < 4 {
            let sign = product_sign(case, OPPOSITE_CORNERS[pair][0], OPPOSITE_CORNERS[pair][1]);
            let added = pair == 0 || pair == ADDED_PAIR[axis];
            if (sign > 0) == added {
                positive_terms += 1;
            } else {
                negative += 1;
            }
            pair += 1;
        }
        if (positive_terms == 0 && required == -1) || (negative == 0 && required == 1) {
            return false;
        }
        axis += 1;
    }
    true
}

/// Returns the sign of a face's determinant, or 0 if it is unknown.
const fn face_sign(case: u32, joined: u32, face: usize) -> i32 {
    let [a, b, c, d] = FACES[face];
    if AMBIGUOUS_FACE_TABLE[case as usize] >> face & 1 == 1 {
        let first_is_above = case >> a & 1 == 0;
        let is_joined = joined >> face & 1 == 1;
        return if first_is_above == is_joined { 1 } else { -1 };
    }
    let (first, second) = (product_sign(case, a, c), product_sign(case, b, d));
    if first == second { 0 } else { first }
}

const fn product_sign(case: u32, a: u32, b: u32) -> i32 {
    if case >> a & 1 == case >> b & 1 {
        1
    } else {
        -1
    }
}

/// Returns `true` if the two loops that a tunnel would join surround its diagonal in opposite
/// directions.
pub(super) const fn encircles_diagonal(
    case: u32,
    loops: &Loops,
    below: bool,
    diagonal: u32,
) -> bool {
    let Some(ends) = tube_loops(case, loops, below) else {
        return false;
    };
    let hexagon = Hexagon::new(diagonal);
    let [a, b] = ends.loops;
    let a = hexagon.winding(&loops.edges[a], loops.lengths[a]);
    a * hexagon.winding(&loops.edges[b], loops.lengths[b]) == -1
}

/// Returns the triangles of a cell with a tunnel: the tube and the disc of the remaining loop.
pub(super) const fn tube_patch(case: u32, loops: &Loops, below: bool, diagonal: u32) -> Patch {
    let Some(ends) = tube_loops(case, loops, below) else {
        panic!("no tunnel joins these loops")
    };
    let hexagon = Hexagon::new(diagonal);
    let mut patch = Patch::new();
    let mut end = 0;
    while end < 2 {
        let number = ends.loops[end];
        hexagon.push_strip(&mut patch, &loops.edges[number], loops.lengths[number]);
        end += 1;
    }
    if let Some(third) = ends.third {
        push_disc(&mut patch, &loops.edges[third], loops.lengths[third]);
    }
    patch
}

/// Returns the number of triangles of [`tube_patch`].
pub(super) const fn tube_triangle_count(loops: &Loops) -> usize {
    // two per side of the hexagon, one per side of a loop; a third loop has three sides and one
    // triangle
    let (mut sides, mut number) = (0, 0);
    while number < loops.count {
        sides += loops.lengths[number];
        number += 1;
    }
    12 + if loops.count == 3 { sides - 2 } else { sides }
}
