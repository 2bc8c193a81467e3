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

/// Offsets (x, y, z) of the corners: 0 to 3 around the lower face, 4 to 7 above them.
pub const CORNERS: [[u32; 3]; 8] = [
    [0, 0, 0],
    [1, 0, 0],
    [1, 1, 0],
    [0, 1, 0],
    [0, 0, 1],
    [1, 0, 1],
    [1, 1, 1],
    [0, 1, 1],
];

/// The two corners of each edge of a cell, the lower end first.
pub const EDGES: [[u32; 2]; 12] = [
    [0, 1],
    [1, 2],
    [3, 2],
    [0, 3],
    [4, 5],
    [5, 6],
    [7, 6],
    [4, 7],
    [0, 4],
    [1, 5],
    [2, 6],
    [3, 7],
];

/// The corners of each face, counter-clockwise as seen from outside. The faces are those at z = 0,
/// z = 1, y = 0, y = 1, x = 0 and x = 1.
pub const FACES: [[u32; 4]; 6] = [
    [0, 3, 2, 1],
    [4, 5, 6, 7],
    [0, 1, 5, 4],
    [3, 7, 6, 2],
    [0, 4, 7, 3],
    [1, 2, 6, 5],
];

/// Maximum number of triangles of a case.
pub const MAX_TRIANGLES: usize = 5;

/// The triangles of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// Number of triangles.
    pub triangles: u8,
    /// The corners of each triangle as edges of the cell, counter-clockwise as seen from the below
    /// side. Unused elements are 0.
    pub edges: [[u8; 3]; MAX_TRIANGLES],
}

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
        table[case] = derive(case as u32);
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

/// Marks the absence of an edge.
pub(super) const NONE: u8 = u8::MAX;

/// The edge between two corners, or [`NONE`].
const BETWEEN: &[[u8; 8]; 8] = &{
    let mut between = [[NONE; 8]; 8];
    let mut edge = 0;
    while edge < 12 {
        let [low, high] = EDGES[edge];
        between[low as usize][high as usize] = edge as u8;
        between[high as usize][low as usize] = edge as u8;
        edge += 1;
    }
    between
};

/// Returns the edge between two neighbouring corners of a face.
const fn edge_between(a: u32, b: u32) -> usize {
    let edge = BETWEEN[a as usize][b as usize];
    assert!(edge != NONE, "these corners share no edge");
    edge as usize
}

/// Returns, for each active edge, the edge at the other end of the segment that starts there, and
/// `NONE` for all other edges.
///
/// On the ambiguous faces whose bit is set in `joined` the above corners are joined: the segments
/// cut off the below corners.
pub(super) const fn segments(case: u32, joined: u32) -> [u8; 12] {
    let mut next = [NONE; 12];
    let mut face = 0;
    while face < 6 {
        let corners = FACES[face];
        let mut at = 0;
        while at < 4 {
            let corner = corners[at];
            let next_corner = corners[(at + 1) % 4];
            // entering a run of above corners
            if case >> corner & 1 == 1 && case >> next_corner & 1 == 0 {
                let mut last = (at + 1) % 4;
                while case >> corners[(last + 1) % 4] & 1 == 0 {
                    last = (last + 1) % 4;
                }
                let from = edge_between(corner, next_corner);
                assert!(next[from] == NONE, "an edge is entered on two faces");
                next[from] = if joined >> face & 1 == 0 {
                    edge_between(corners[last], corners[(last + 1) % 4]) as u8
                } else {
                    // around the below corner, back to the edge on which the previous run was left
                    edge_between(corners[(at + 3) % 4], corner) as u8
                };
            }
            at += 1;
        }
        face += 1;
    }
    next
}

/// Follows the segments from `start` until they close; returns the edges of the loop and their
/// number.
pub(super) const fn loop_from(next: &[u8; 12], start: usize, seen: &mut u32) -> ([u8; 12], usize) {
    let mut edges = [NONE; 12];
    let mut length = 0;
    let mut edge = start;
    loop {
        assert!(*seen & (1 << edge) == 0, "two loops share an edge");
        *seen |= 1 << edge;
        edges[length] = edge as u8;
        length += 1;
        edge = next[edge] as usize;
        if edge == start {
            return (edges, length);
        }
    }
}

/// Returns `true` if two edges of the cell lie in a common face, so that a diagonal between them
/// would lie in it too.
pub(super) const fn share_a_face(a: u8, b: u8) -> bool {
    let mut face = 0;
    while face < 6 {
        if on_face(a, face) && on_face(b, face) {
            return true;
        }
        face += 1;
    }
    false
}

const fn on_face(edge: u8, face: usize) -> bool {
    let [a, b] = EDGES[edge as usize];
    let corners = FACES[face];
    let mut found = 0;
    let mut at = 0;
    while at < 4 {
        if corners[at] == a || corners[at] == b {
            found += 1;
        }
        at += 1;
    }
    found == 2
}

/// Returns the index of the loop vertex from which no diagonal lies in a face.
const fn apex(edges: &[u8; 12], length: usize) -> usize {
    let mut apex = 0;
    while apex < length {
        let mut clear = true;
        let mut step = 2;
        while step + 1 < length {
            if share_a_face(edges[apex], edges[(apex + step) % length]) {
                clear = false;
            }
            step += 1;
        }
        if clear {
            return apex;
        }
        apex += 1;
    }
    panic!("every fan of this loop has a cut in a face")
}

const fn derive(case: u32) -> Case {
    let next = segments(case, 0);
    let mut out = Case {
        triangles: 0,
        edges: [[0; 3]; MAX_TRIANGLES],
    };
    let mut seen = 0u32;
    let mut start = 0;
    while start < 12 {
        if next[start] != NONE && seen & (1 << start) == 0 {
            let (edges, length) = loop_from(&next, start, &mut seen);
            let apex = apex(&edges, length);
            let mut step = 1;
            while step + 1 < length {
                out.edges[out.triangles as usize] = [
                    edges[apex],
                    edges[(apex + step) % length],
                    edges[(apex + step + 1) % length],
                ];
                out.triangles += 1;
                step += 1;
            }
        }
        start += 1;
    }
    out
}
