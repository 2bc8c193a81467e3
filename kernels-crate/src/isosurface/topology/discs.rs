//! A disc in each loop.

use super::{
    loops::{Loops, middle, square},
    patch::{INNER, Patch},
};
use crate::isosurface::table::{CASE_TABLE, share_a_face};

/// Edges of the longest loop that is cut into triangles without an inner vertex.
const LONGEST_FLAT: usize = 7;

/// More than any sum of squares.
const NEVER: i32 = 1 << 20;

/// For each edge, the edges that lie in one face with it.
const IN_ONE_FACE: &[u16; 12] = &{
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

/// The triangles of a cell all of whose loops bound discs.
///
/// Where no above corners are joined they are those of the case table.
pub(super) const fn discs(case: u32, joined: u32, loops: &Loops) -> Patch {
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
        disc(&mut patch, &loops.edges[number], loops.lengths[number]);
        number += 1;
    }
    patch
}

/// How many triangles the disc of a loop has.
pub(super) const fn disc_triangles(length: usize) -> usize {
    if length > LONGEST_FLAT {
        length
    } else {
        length - 2
    }
}

/// Adds the disc of one loop: a fan round an inner vertex where the loop is long, else the
/// triangles whose sides have the least sum of squares at the middles of the edges. No side of two
/// triangles lies in a face, where a neighbour could use it too.
pub(super) const fn disc(patch: &mut Patch, edges: &[u8; 12], length: usize) {
    if length > LONGEST_FLAT {
        assert!(!patch.has_centroid, "two centroids");
        patch.has_centroid = true;
        let mut at = 0;
        while at < length {
            let after = edges[(at + 1) % length] as u32;
            patch.push(edges[at] as u32, after, INNER);
            at += 1;
        }
        return;
    }
    let apexes = apexes(edges, length);
    // parts of the loop that are still to be cut, as their first and last places
    let mut parts = [(0, 0); LONGEST_FLAT];
    parts[0] = (0, length - 1);
    let mut left = 1;
    while left > 0 {
        left -= 1;
        let (first, last) = parts[left];
        if last - first < 2 {
            continue;
        }
        let apex = apexes[first][last];
        patch.push(edges[first] as u32, edges[apex] as u32, edges[last] as u32);
        parts[left] = (first, apex);
        parts[left + 1] = (apex, last);
        left += 2;
    }
}

/// For each part of a loop, from one place to another, the third corner of the triangle on the side
/// that closes it.
const fn apexes(edges: &[u8; 12], length: usize) -> [[usize; LONGEST_FLAT]; LONGEST_FLAT] {
    let mut sums = [[0; LONGEST_FLAT]; LONGEST_FLAT];
    let mut apexes = [[0; LONGEST_FLAT]; LONGEST_FLAT];
    let mut span = 2;
    while span < length {
        let mut first = 0;
        while first + span < length {
            let last = first + span;
            let mut least = NEVER;
            let mut apex = first + 1;
            while apex < last {
                let sum = sums[first][apex]
                    + sums[apex][last]
                    + cut(edges, length, first, apex)
                    + cut(edges, length, apex, last);
                if sum < least {
                    least = sum;
                    apexes[first][last] = apex;
                }
                apex += 1;
            }
            sums[first][last] = least;
            first += 1;
        }
        span += 1;
    }
    assert!(
        sums[0][length - 1] < NEVER,
        "every way to cut this loop has a side in a face"
    );
    apexes
}

/// What the side between two places of a loop adds to the sum: nothing where it is part of the
/// loop.
const fn cut(edges: &[u8; 12], length: usize, a: usize, b: usize) -> i32 {
    if b - a == 1 || b - a == length - 1 {
        return 0;
    }
    let (a, b) = (edges[a], edges[b]);
    if IN_ONE_FACE[a as usize] >> b & 1 == 1 {
        return NEVER;
    }
    square(middle(a), middle(b))
}
