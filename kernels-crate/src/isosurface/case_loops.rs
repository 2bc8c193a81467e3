//! Loops of segments on the faces of a cell, and their triangulation, at compile time.

use super::cell::{Case, EDGES, FACES, MAX_TRIANGLES};

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

/// Derives the triangles of a case: a fan over each of its loops.
pub(super) const fn derive_case(case: u32) -> Case {
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
