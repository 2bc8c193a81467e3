//! The 256 marching-cubes cases, derived from a rule at compile time.
//!
//! # The rule
//! Walk the four corners of a face counter-clockwise as seen from outside of the cell. Each run of
//! *above* corners is cut off by one segment, from the edge on which the walk enters the run to the
//! edge on which it leaves it. The segments of the six faces join into closed loops, because every
//! active edge is entered on one of its two faces and left on the other. Each loop is triangulated
//! as a fan from one of its vertices, chosen such that no diagonal lies in a face.
//!
//! # Why the mesh is closed and manifold
//! The rule depends only on the four signs of a face, and the neighbouring cell walks the same face
//! in the opposite direction: it finds the same segments, reversed. So each segment is used by
//! exactly two triangles, in opposite directions; each diagonal inside a cell is used by the two
//! triangles next to it; and because no diagonal lies in a face, no edge of the mesh is used by
//! more than two triangles. [`LIMITS`] and the tests verify this for all 256 cases and their
//! neighbours.
//!
//! On a face with two above corners on a diagonal, the rule separates them. The trilinear
//! interpolant may join them; then the mesh is still closed, but its topology on that face is that
//! of the rule. See [`topology`](super::topology) for the alternative.

use super::case_loops::{NONE, derive_case, loop_from, segments};

pub use super::cell::{CORNERS, Case, EDGES, FACES, MAX_TRIANGLES};

/// All cases. Bit k of the index is set if corner k is below.
pub static CASES: [Case; 256] = CASE_TABLE;

/// Number of triangles of each case, packed for kernels that need only the counts.
pub static TRIANGLE_COUNTS: [u8; 256] = {
    let mut counts = [0; 256];
    let mut case = 0;
    while case < 256 {
        counts[case] = CASE_TABLE[case].triangles;
        case += 1;
    }
    counts
};

/// Converts the signs of a cell's corners in row order (x fastest, then y, then z) to its case
/// index: bit 0 for corner (0, 0, 0), bit 1 for (1, 0, 0), bit 2 for (0, 1, 0), and so on.
pub const fn case_by_rows(rows: usize) -> usize {
    rows & 0b0011_0011 | (rows & 0b0100_0100) << 1 | (rows & 0b1000_1000) >> 1
}

/// Number of triangles of each case, indexed by the corner signs in row order.
pub static TRIANGLES_BY_ROWS: [u8; 256] = {
    let mut counts = [0; 256];
    let mut rows = 0;
    while rows < 256 {
        counts[rows] = CASE_TABLE[case_by_rows(rows)].triangles;
        rows += 1;
    }
    counts
};

/// Number of loops of each case minus one, indexed by the corner signs in row order; 0 for the two
/// cases without a loop.
pub static FURTHER_LOOPS_BY_ROWS: [u8; 256] = {
    let mut further = [0; 256];
    let mut rows = 1;
    while rows < 255 {
        let case = case_by_rows(rows);
        let mut active = 0;
        let mut edge = 0;
        while edge < 12 {
            let [low, high] = EDGES[edge];
            active += (case >> low & 1 != case >> high & 1) as u8;
            edge += 1;
        }
        // a loop of n edges is triangulated into n - 2 triangles
        further[rows] = (active - CASE_TABLE[case].triangles) / 2 - 1;
        rows += 1;
    }
    further
};

/// The three edges of each triangle of each case, five bits per edge, indexed by the corner signs
/// in row order; eight elements per case.
pub static TRIANGLE_EDGES_BY_ROWS: [u16; 256 * 8] = {
    let mut packed = [0; 256 * 8];
    let mut rows = 0;
    while rows < 256 {
        let case = &CASE_TABLE[case_by_rows(rows)];
        let mut triangle = 0;
        while triangle < MAX_TRIANGLES {
            let [a, b, c] = case.edges[triangle];
            packed[rows * 8 + triangle] = a as u16 | (b as u16) << 5 | (c as u16) << 10;
            triangle += 1;
        }
        rows += 1;
    }
    packed
};

/// Axis and lower corner of each edge of a cell.
pub const EDGE_OWNERS: [(u32, [u32; 3]); 12] = {
    let mut owners = [(0, [0; 3]); 12];
    let mut edge = 0;
    while edge < 12 {
        let [low, high] = [
            CORNERS[EDGES[edge][0] as usize],
            CORNERS[EDGES[edge][1] as usize],
        ];
        let axis = if high[0] > low[0] {
            0
        } else if high[1] > low[1] {
            1
        } else {
            2
        };
        owners[edge] = (axis, low);
        edge += 1;
    }
    owners
};

pub(super) const CASE_TABLE: [Case; 256] = {
    let mut table = [Case {
        triangles: 0,
        edges: [[0; 3]; MAX_TRIANGLES],
    }; 256];
    let mut case = 0;
    while case < 256 {
        table[case] = derive_case(case as u32);
        case += 1;
    }
    table
};

/// Limits over all cases: edges of the longest loop, maximum number of loops, maximum number of
/// triangles.
pub const LIMITS: (usize, usize, usize) = {
    let mut limits = (0, 0, 0);
    let mut case = 0;
    while case < 256 {
        let next = segments(case as u32, 0);
        let (mut loops, mut start, mut seen) = (0, 0, 0u32);
        while start < 12 {
            if next[start] != NONE && seen & (1 << start) == 0 {
                let length = loop_from(&next, start, &mut seen).1;
                loops += 1;
                if length > limits.0 {
                    limits.0 = length;
                }
            }
            start += 1;
        }
        if loops > limits.1 {
            limits.1 = loops;
        }
        if CASE_TABLE[case].triangles as usize > limits.2 {
            limits.2 = CASE_TABLE[case].triangles as usize;
        }
        case += 1;
    }
    limits
};
