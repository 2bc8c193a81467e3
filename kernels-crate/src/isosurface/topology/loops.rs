//! The loops of a cell: the curves in which the surface meets the faces of the cell, for each case
//! and each combination of decisions on its ambiguous faces.

use crate::isosurface::{
    case_loops::{NONE, loop_from, segments},
    table::{CORNERS, EDGES, FACES},
};

/// Maximum number of loops of a cell.
pub const MAX_LOOPS: usize = 4;

/// The loops of a cell, as sequences of cell edges in the orientation of the triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loops {
    /// Number of loops.
    pub count: usize,
    /// Number of edges of each loop.
    pub lengths: [usize; MAX_LOOPS],
    /// Edges of each loop. Unused elements are 255.
    pub edges: [[u8; 12]; MAX_LOOPS],
}

impl Loops {
    /// Returns the loops of a case, with the above corners joined on those of its ambiguous faces
    /// whose bit is set in `joined`. Bits of other faces have no effect.
    pub const fn new(case: u32, joined: u32) -> Self {
        let next = segments(case, joined & AMBIGUOUS_FACE_TABLE[case as usize] as u32);
        let mut loops = Self {
            count: 0,
            lengths: [0; MAX_LOOPS],
            edges: [[NONE; 12]; MAX_LOOPS],
        };
        let (mut start, mut seen) = (0, 0u32);
        while start < 12 {
            if next[start] != NONE && seen & (1 << start) == 0 {
                let (edges, length) = loop_from(&next, start, &mut seen);
                loops.edges[loops.count] = edges;
                loops.lengths[loops.count] = length;
                loops.count += 1;
            }
            start += 1;
        }
        loops
    }
}

/// The ambiguous faces of each case: bit k for face k of
/// [`FACES`](crate::isosurface::table::FACES).
///
/// A face is ambiguous if two diagonally opposite corners are below and the other two are above.
pub static AMBIGUOUS_FACES: [u8; 256] = *AMBIGUOUS_FACE_TABLE;

/// [`AMBIGUOUS_FACES`] for use in constants.
pub(super) const AMBIGUOUS_FACE_TABLE: &[u8; 256] = &{
    let mut faces = [0; 256];
    let mut case = 0;
    while case < 256 {
        let mut face = 0;
        while face < 6 {
            let [a, b, c, d] = FACES[face];
            let [a, b, c, d] = [case >> a & 1, case >> b & 1, case >> c & 1, case >> d & 1];
            if a == c && b == d && a != b {
                faces[case] |= 1 << face;
            }
            face += 1;
        }
        case += 1;
    }
    faces
};

/// Returns the midpoint of an edge, in half cells.
pub(super) const fn edge_midpoint(edge: u8) -> [i32; 3] {
    let [a, b] = EDGES[edge as usize];
    let (a, b) = (CORNERS[a as usize], CORNERS[b as usize]);
    [
        (a[0] + b[0]) as i32,
        (a[1] + b[1]) as i32,
        (a[2] + b[2]) as i32,
    ]
}

/// Returns the squared distance between two points.
pub(super) const fn squared_distance(a: [i32; 3], b: [i32; 3]) -> i32 {
    let [x, y, z] = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    x * x + y * y + z * z
}
