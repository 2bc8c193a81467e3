//! The 256 cases of a cell, derived from a rule when the crate is compiled.
//!
//! # The rule
//! Walk the four corners of a face counter-clockwise as seen from outside the cell. Each run of
//! *above* corners is cut off by one segment, from the edge on which the walk enters the run to the
//! edge on which it leaves. The segments of the six faces join into closed loops, because every
//! active edge is entered on one of its two faces and left on the other. Each loop is cut into
//! triangles from one of its vertices, chosen so that no cut lies in a face.
//!
//! # Why the mesh is closed and manifold
//! The rule sees only the four signs of a face, and the neighbour walks the same face the other
//! way: it finds the same segments, reversed. So each segment is used by exactly two triangles, in
//! opposite directions; each cut inside a cell is used by the two triangles beside it; and as no
//! cut lies in a face, no edge of the mesh is used by more than two. [`LIMITS`] and the tests hold
//! the table to this for all 256 cases and their neighbours.
//!
//! On a face with two above corners at a diagonal, the rule keeps those two apart. The trilinear
//! interpolant may join them; the mesh is then still closed, but its topology on that face is the
//! rule's.

/// Corner offsets (x, y, z): 0 to 3 around the lower face, 4 to 7 above them.
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

/// The two corners of each of a cell's edges, the lower end first.
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

/// The corners of each face, counter-clockwise as seen from outside: z = 0, z = 1, y = 0, y = 1, x
/// = 0, x = 1.
pub const FACES: [[u32; 4]; 6] = [
    [0, 3, 2, 1],
    [4, 5, 6, 7],
    [0, 1, 5, 4],
    [3, 7, 6, 2],
    [0, 4, 7, 3],
    [1, 2, 6, 5],
];

/// Triangles in the busiest case.
pub const MAX_TRIANGLES: usize = 5;

/// What a case emits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// How many triangles.
    pub triangles: u8,
    /// Their corners, as edges of the cell; counter-clockwise seen from the below side. Unused
    /// places hold 0.
    pub edges: [[u8; 3]; MAX_TRIANGLES],
}

/// All cases. Bit k of the index is set when corner k is below.
pub static CASES: [Case; 256] = CASE_TABLE;

/// The number of triangles of each case, packed for kernels that need nothing else.
pub static TRIANGLE_COUNTS: [u8; 256] = {
    let mut counts = [0; 256];
    let mut case = 0;
    while case < 256 {
        counts[case] = CASE_TABLE[case].triangles;
        case += 1;
    }
    counts
};

/// The case of a cell whose signs are given row by row: bit 0 for corner (0, 0, 0), bit 1 for (1,
/// 0, 0), bit 2 for (0, 1, 0), and so on, x fastest.
pub const fn case_by_rows(rows: usize) -> usize {
    rows & 0b0011_0011 | (rows & 0b0100_0100) << 1 | (rows & 0b1000_1000) >> 1
}

/// The number of triangles of each case, by rows.
pub static TRIANGLES_BY_ROWS: [u8; 256] = {
    let mut counts = [0; 256];
    let mut rows = 0;
    while rows < 256 {
        counts[rows] = CASE_TABLE[case_by_rows(rows)].triangles;
        rows += 1;
    }
    counts
};

/// How many loops each case has beyond the first, by rows; 0 for the two cases without a loop.
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
        // a loop of n edges is cut into n - 2 triangles
        further[rows] = (active - CASE_TABLE[case].triangles) / 2 - 1;
        rows += 1;
    }
    further
};

/// The three edges of each triangle of each case, by rows, five bits each; eight places for a case.
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

/// Corners, edges and triangles at most: (longest loop, most loops, most triangles of a case).
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

/// No edge.
pub(super) const NONE: u8 = u8::MAX;

/// The edge between two corners, if there is one.
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

/// The edge between two neighbouring corners of a face.
const fn edge_between(a: u32, b: u32) -> usize {
    let edge = BETWEEN[a as usize][b as usize];
    assert!(edge != NONE, "these corners share no edge");
    edge as usize
}

/// For each active edge, the edge to which the segment that starts there leads; `NONE` for the
/// others.
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
            let here = corners[at];
            let after = corners[(at + 1) % 4];
            // entering a run of above corners
            if case >> here & 1 == 1 && case >> after & 1 == 0 {
                let mut last = (at + 1) % 4;
                while case >> corners[(last + 1) % 4] & 1 == 0 {
                    last = (last + 1) % 4;
                }
                let from = edge_between(here, after);
                assert!(next[from] == NONE, "an edge is entered on two faces");
                next[from] = if joined >> face & 1 == 0 {
                    edge_between(corners[last], corners[(last + 1) % 4]) as u8
                } else {
                    // round the below corner, back to where the run before it was left
                    edge_between(corners[(at + 3) % 4], here) as u8
                };
            }
            at += 1;
        }
        face += 1;
    }
    next
}

/// Follows the segments from `start` until they close: the loop's edges and their number.
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

/// Whether two edges of the cell lie in one face, so that a cut between them would lie in it too.
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

/// The place in the loop from which all cuts stay out of the faces.
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
