//! Which loops a tunnel can join, and the triangles of a cell with one: a tube between two loops,
//! round a hexagon of six inner vertices.

use super::{
    discs::disc,
    hexagon::Hexagon,
    loops::{AMBIGUOUS_FACES, Loops},
    patch::Patch,
};
use crate::isosurface::table::{EDGES, FACES};

/// The four pairs of opposite corners.
const OPPOSITE: [[u32; 2]; 4] = [[0, 6], [1, 7], [2, 4], [3, 5]];

/// For x, y, z the pair beside pair 0 whose product is added in the middle coefficient of the
/// slices' determinant.
const BESIDE: [usize; 3] = [1, 3, 2];

/// For x, y, z the faces at 0 and at 1.
const ENDS: [[usize; 2]; 3] = [[4, 5], [2, 3], [0, 1]];

/// Which loops a tunnel joins, and which it leaves alone.
#[derive(Clone, Copy)]
pub(super) struct Joined {
    pub loops: [usize; 2],
    /// The third, if there is one.
    pub other: Option<usize>,
}

/// Of two loops both; of three the one of six edges, and of the two others the one round a corner
/// that is below if `below`. No tunnel joins others.
pub(super) const fn joined_loops(case: u32, loops: &Loops, below: bool) -> Option<Joined> {
    if loops.count == 2 {
        return Some(Joined {
            loops: [0, 1],
            other: None,
        });
    }
    let (mut long, mut short, mut other) = (None, None, None);
    let mut number = 0;
    while number < loops.count {
        if loops.lengths[number] == 6 {
            long = Some(number);
        } else if loops.lengths[number] == 3 && is_round_below(case, &loops.edges[number]) == below
        {
            short = Some(number);
        } else {
            other = Some(number);
        }
        number += 1;
    }
    match (long, short, other) {
        (Some(long), Some(short), Some(_)) if loops.count == 3 => Some(Joined {
            loops: [long, short],
            other,
        }),
        _ => None,
    }
}

/// Whether the corner that a loop of three edges cuts off is below.
const fn is_round_below(case: u32, edges: &[u8; 12]) -> bool {
    let [a, b] = EDGES[edges[0] as usize];
    let [c, d] = EDGES[edges[1] as usize];
    let corner = if a == c || a == d { a } else { b };
    case >> corner & 1 == 1
}

/// Whether a tunnel along a diagonal can be in a cell, as far as signs say.
///
/// Along each axis the determinants of both faces and the middle coefficient, negated, must have
/// one sign, which the diagonal gives. A difference of products has a known sign if the products
/// differ in sign, or by the decision on an ambiguous face.
pub(super) const fn is_possible(case: u32, joined: u32, diagonal: u32) -> bool {
    is_possible_with(case, joined, 0b100 | diagonal ^ 0b011)
        || is_possible_with(case, joined, 0b011 ^ (diagonal ^ 0b011))
}

/// As [`is_possible`], for the signs of the three axes: bit k is set where they are positive along
/// axis k.
const fn is_possible_with(case: u32, joined: u32, positive: u32) -> bool {
    let mut axis = 0;
    while axis < 3 {
        let wanted = if positive >> axis & 1 == 1 { 1 } else { -1 };
        let mut end = 0;
        while end < 2 {
            let known = face_sign(case, joined, ENDS[axis][end]);
            if known == -wanted {
                return false;
            }
            end += 1;
        }
        // the pairs that are added, less the pairs that are subtracted
        let (mut least, mut most) = (0, 0);
        let mut pair = 0;
        while pair < 4 {
            let sign = product_sign(case, OPPOSITE[pair][0], OPPOSITE[pair][1]);
            let added = pair == 0 || pair == BESIDE[axis];
            if (sign > 0) == added {
                most += 1;
            } else {
                least += 1;
            }
            pair += 1;
        }
        if (most == 0 && wanted == -1) || (least == 0 && wanted == 1) {
            return false;
        }
        axis += 1;
    }
    true
}

/// The sign of a face's determinant, 0 if it is not known.
const fn face_sign(case: u32, joined: u32, face: usize) -> i32 {
    let [a, b, c, d] = FACES[face];
    if AMBIGUOUS_FACES[case as usize] >> face & 1 == 1 {
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

/// Whether the two loops that a tunnel would join go round its diagonal, one against the other.
pub(super) const fn goes_round(case: u32, loops: &Loops, below: bool, diagonal: u32) -> bool {
    let Some(ends) = joined_loops(case, loops, below) else {
        return false;
    };
    let hexagon = Hexagon::of(diagonal);
    let [a, b] = ends.loops;
    let a = hexagon.direction(&loops.edges[a], loops.lengths[a]);
    a * hexagon.direction(&loops.edges[b], loops.lengths[b]) == -1
}

/// The triangles of a cell with a tunnel: the tube, and the disc of the loop that is left.
pub(super) const fn tube(case: u32, loops: &Loops, below: bool, diagonal: u32) -> Patch {
    let Some(ends) = joined_loops(case, loops, below) else {
        panic!("no tunnel joins these loops")
    };
    let hexagon = Hexagon::of(diagonal);
    let mut patch = Patch::new();
    let mut end = 0;
    while end < 2 {
        let number = ends.loops[end];
        hexagon.strip(&mut patch, &loops.edges[number], loops.lengths[number]);
        end += 1;
    }
    if let Some(other) = ends.other {
        disc(&mut patch, &loops.edges[other], loops.lengths[other]);
    }
    patch
}

/// How many triangles [`tube`] has.
pub(super) const fn tube_triangles(loops: &Loops) -> usize {
    // two for each side of the hexagon, one for each side of the loops; a third loop has three
    // sides and one triangle
    let (mut sides, mut number) = (0, 0);
    while number < loops.count {
        sides += loops.lengths[number];
        number += 1;
    }
    12 + if loops.count == 3 { sides - 2 } else { sides }
}
