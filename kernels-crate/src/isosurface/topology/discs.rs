//! Patches without tunnels: each loop bounds a disc.

use super::{
    loops::{Loops, edge_midpoint, squared_distance},
    patch::{FIRST_INNER, Patch},
};
use crate::isosurface::{case_loops::share_a_face, table::CASE_TABLE};

/// Maximum number of edges of a loop that is triangulated without an inner vertex.
const MAX_LOOP_WITHOUT_CENTROID: usize = 7;

/// Cost of a forbidden diagonal; exceeds every sum of squared lengths.
const FORBIDDEN: i32 = 1 << 20;

/// For each edge, the set of edges that share a face with it, as a bit mask.
const EDGES_SHARING_FACE: &[u16; 12] = &{
    let mut edges = [0; 12];
    let mut a = 0;
    while a < 12 {
        let mut b = 0;
        while b < 12 {
            edges[a] |= (share_a_face(a as u8, b as u8) as u16) << b;
            b += 1;
        }
        a += 1;
    }
    edges
};

/// Returns the triangles of a cell in which every loop bounds a disc.
///
/// If no above corners are joined, they are those of the case table.
pub(super) const fn disc_patch(case: u32, joined: u32, loops: &Loops) -> Patch {
    let mut patch = Patch::new();
    if joined == 0 {
        let case = &CASE_TABLE[case as usize];
        while patch.count < case.triangles as usize {
            let [a, b, c] = case.edges[patch.count];
            patch.push(a as u32, b as u32, c as u32);
        }
        return patch;
    }
    let mut number = 0;
    while number < loops.count {
        push_disc(&mut patch, &loops.edges[number], loops.lengths[number]);
        number += 1;
    }
    patch
}

/// Returns the number of triangles of the disc of a loop.
pub(super) const fn disc_triangle_count(length: usize) -> usize {
    if length > MAX_LOOP_WITHOUT_CENTROID {
        length
    } else {
        length - 2
    }
}

/// Adds the disc of one loop.
///
/// A long loop becomes a fan around an inner vertex. Any other is triangulated such that the sum of
/// squared diagonal lengths is minimal, with vertices at the midpoints of the edges (dynamic
/// programming over subpolygons). No diagonal lies in a face, where the neighbouring cell could use
/// it too.
pub(super) const fn push_disc(patch: &mut Patch, edges: &[u8; 12], length: usize) {
    if length > MAX_LOOP_WITHOUT_CENTROID {
        assert!(!patch.has_centroid, "two centroids");
        patch.has_centroid = true;
        let mut at = 0;
        while at < length {
            let after = edges[(at + 1) % length] as u32;
            patch.push(edges[at] as u32, after, FIRST_INNER);
            at += 1;
        }
        return;
    }
    let apexes = optimal_apexes(edges, length);
    // subpolygons still to be triangulated, as indices of their first and last vertices
    let mut subpolygons = [(0, 0); MAX_LOOP_WITHOUT_CENTROID];
    subpolygons[0] = (0, length - 1);
    let mut pending = 1;
    while pending > 0 {
        pending -= 1;
        let (first, last) = subpolygons[pending];
        if last - first < 2 {
            continue;
        }
        let apex = apexes[first][last];
        patch.push(edges[first] as u32, edges[apex] as u32, edges[last] as u32);
        subpolygons[pending] = (first, apex);
        subpolygons[pending + 1] = (apex, last);
        pending += 2;
    }
}

/// Returns, for each subpolygon from a first to a last loop vertex, the third corner of the
/// triangle on its closing side in the optimal triangulation.
const fn optimal_apexes(
    edges: &[u8; 12],
    length: usize,
) -> [[usize; MAX_LOOP_WITHOUT_CENTROID]; MAX_LOOP_WITHOUT_CENTROID] {
    let mut sums = [[0; MAX_LOOP_WITHOUT_CENTROID]; MAX_LOOP_WITHOUT_CENTROID];
    let mut apexes = [[0; MAX_LOOP_WITHOUT_CENTROID]; MAX_LOOP_WITHOUT_CENTROID];
    let mut span = 2;
    while span < length {
        let mut first = 0;
        while first + span < length {
            let last = first + span;
            let mut min = FORBIDDEN;
            let mut apex = first + 1;
            while apex < last {
                let sum = sums[first][apex]
                    + sums[apex][last]
                    + diagonal_cost(edges, length, first, apex)
                    + diagonal_cost(edges, length, apex, last);
                if sum < min {
                    min = sum;
                    apexes[first][last] = apex;
                }
                apex += 1;
            }
            sums[first][last] = min;
            first += 1;
        }
        span += 1;
    }
    assert!(
        sums[0][length - 1] < FORBIDDEN,
        "every triangulation of this loop has a diagonal in a face"
    );
    apexes
}

/// Returns the cost of the diagonal between two vertices of a loop: its squared length, 0 for a
/// side of the loop, [`FORBIDDEN`] in a face.
const fn diagonal_cost(edges: &[u8; 12], length: usize, a: usize, b: usize) -> i32 {
    if b - a == 1 || b - a == length - 1 {
        return 0;
    }
    let (a, b) = (edges[a], edges[b]);
    if EDGES_SHARING_FACE[a as usize] >> b & 1 == 1 {
        return FORBIDDEN;
    }
    squared_distance(edge_midpoint(a), edge_midpoint(b))
}
