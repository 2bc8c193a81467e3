//! Properties of the table of patches that make every mesh a closed manifold, for all rows.

use ferrovox_kernels::isosurface::{
    table::{CASES, EDGES, FACES},
    topology::{
        AMBIGUOUS_FACES, FIRST_INNER, Loops, MAX_TRIANGLES, disc_row, hexagon_corner,
        is_ambiguous_case,
        table::{DISC_ROWS, ROWS, first_row, first_triangle, triangle, tubes},
        unpack_triangle,
    },
};
use std::collections::{BTreeMap, BTreeSet};

type Side = (u32, u32);

fn triangles(row: usize) -> Vec<[u32; 3]> {
    let [first, last] = [row, row + 1].map(|row| first_triangle(row as u32).0);
    (first..last)
        .map(|at| unpack_triangle(triangle(at)))
        .collect()
}

fn sides(triangles: &[[u32; 3]]) -> BTreeMap<Side, usize> {
    let mut sides = BTreeMap::new();
    for &[a, b, c] in triangles {
        for side in [(a, b), (b, c), (c, a)] {
            *sides.entry(side).or_default() += 1;
        }
    }
    sides
}

fn share_a_face(a: u32, b: u32) -> bool {
    let lies_on = |edge: u32, face: &[u32; 4]| {
        edge < 12 && EDGES[edge as usize].iter().all(|c| face.contains(c))
    };
    FACES
        .iter()
        .any(|face| lies_on(a, face) && lies_on(b, face))
}

/// Returns all rows of discs: case, faces with joined above corners, row.
fn rows() -> impl Iterator<Item = (u32, u32, usize)> {
    let faces = |case: u32| AMBIGUOUS_FACES[case as usize] as u32;
    (0..256).flat_map(move |case| {
        let joined = (0..64).filter(move |joined| joined & !faces(case) == 0);
        joined.map(move |joined| (case, joined, disc_row(case, joined) as usize))
    })
}

/// Returns the loops of a row as one set of sides per loop.
fn loops(case: u32, joined: u32) -> Vec<BTreeSet<Side>> {
    let loops = Loops::new(case, joined);
    let sides = |number: usize| {
        let length = loops.lengths[number];
        let edge = |at: usize| u32::from(loops.edges[number][at % length]);
        (0..length).map(|at| (edge(at), edge(at + 1))).collect()
    };
    (0..loops.count).map(sides).collect()
}

/// Asserts that the triangles form a surface in the cell whose border consists of the loops.
fn assert_surface(triangles: &[[u32; 3]], loops: &[BTreeSet<Side>], label: &str) {
    let sides = sides(triangles);
    assert!(sides.values().all(|&uses| uses == 1), "{label}");
    assert!(triangles.iter().all(|[a, b, c]| a != b && b != c && c != a));
    let (inner, border): (BTreeSet<Side>, BTreeSet<Side>) = sides
        .keys()
        .partition(|&&(a, b)| sides.contains_key(&(b, a)));
    let all: BTreeSet<Side> = loops.iter().flatten().copied().collect();
    assert_eq!(border, all, "{label}");
    assert!(border.iter().all(|&(a, b)| share_a_face(a, b)), "{label}");
    assert!(inner.iter().all(|&(a, b)| !share_a_face(a, b)), "{label}");
    assert!(triangles.len() <= MAX_TRIANGLES);
}

/// Returns vertices minus sides plus triangles.
fn euler(triangles: &[[u32; 3]]) -> i64 {
    let vertices: BTreeSet<u32> = triangles.iter().flatten().copied().collect();
    let sides: BTreeSet<Side> = sides(triangles)
        .keys()
        .map(|&(a, b)| (a.min(b), a.max(b)))
        .collect();
    vertices.len() as i64 - sides.len() as i64 + triangles.len() as i64
}

#[test]
fn rows_are_numbered_once_and_in_order() {
    let mut all: Vec<usize> = rows().map(|(_, _, row)| row).collect();
    all.sort_unstable();
    assert!(all.into_iter().eq(0..DISC_ROWS));
    assert_eq!((DISC_ROWS, ROWS), (656, 816));
    let mut next = DISC_ROWS;
    for tubes in (0..DISC_ROWS)
        .map(|row| tubes(row as u32))
        .filter(|tubes| tubes & 0xff != 0)
    {
        assert_eq!(DISC_ROWS + (tubes >> 8) as usize, next);
        next += (tubes & 0xff).count_ones() as usize;
    }
    assert_eq!(next, ROWS);
}

/// Without joined above corners, the triangles are those of the case table.
#[test]
fn rows_without_joined_corners_are_the_case_table() {
    for (number, case) in CASES.iter().enumerate() {
        let expected: Vec<[u32; 3]> = case.edges[..case.triangles as usize]
            .iter()
            .map(|edges| edges.map(u32::from))
            .collect();
        assert_eq!(triangles(first_row(number as u32) as usize), expected);
    }
}

#[test]
fn discs_fill_all_loops() {
    let mut kinds = BTreeSet::new();
    for (case, joined, row) in rows() {
        let label = format!("case {case:#x}, joined {joined:#b}");
        let (triangles, loops) = (triangles(row), loops(case, joined));
        assert_surface(&triangles, &loops, &label);
        assert_eq!(euler(&triangles), loops.len() as i64, "{label}");
        let mut lengths: Vec<usize> = loops.iter().map(BTreeSet::len).collect();
        lengths.sort_unstable();
        let (_, has_centroid) = first_triangle(row as u32);
        assert_eq!(has_centroid, lengths.iter().any(|&length| length > 7));
        let inner = triangles.iter().flatten().filter(|&&v| v >= FIRST_INNER);
        assert!(inner.clone().all(|&v| v == FIRST_INNER));
        assert_eq!(inner.count() > 0, has_centroid);
        kinds.insert(lengths);
    }
    // loops of 6 and 6 edges do not occur
    let kinds: Vec<String> = kinds.iter().map(|k| format!("{k:?}")).collect();
    assert_eq!(
        kinds.join(" "),
        "[] [3] [3, 3] [3, 3, 3] [3, 3, 3, 3] [3, 3, 6] [3, 4] [3, 5] [3, 6] [3, 9] [4] [4, 4] [5] [6] [6, 6] [7] [8] [9] [12]"
    );
}

#[test]
fn tubes_join_two_loops() {
    let mut kinds: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
    for (case, joined, row) in rows() {
        let (tubes, before) = (tubes(row as u32) as usize & 0xff, tubes(row as u32) >> 8);
        let loops = loops(case, joined);
        let first = DISC_ROWS + before as usize;
        // three loops: either loop of three edges can be joined, along the same diagonals
        assert!(tubes >> 4 == if loops.len() == 3 { tubes & 15 } else { 0 });
        assert!(tubes == 0 || is_ambiguous_case(case));
        let numbers = (0..8).filter(|number| tubes >> number & 1 == 1);
        for (of_tube, number) in (first..).zip(numbers) {
            let label = format!("case {case:#x}, joined {joined:#b}, tube {number}");
            let triangles = triangles(of_tube);
            assert_surface(&triangles, &loops, &label);
            assert!(!first_triangle(of_tube as u32).1);
            let disc = loops.len() == 3;
            assert_eq!(euler(&triangles), i64::from(disc), "{label}");
            let inner: BTreeSet<u32> = triangles.iter().flatten().copied().collect();
            assert_eq!(inner.range(FIRST_INNER..).count(), 6, "{label}");
            if disc {
                // the third loop is a triangle around a corner of the other sign than the joined
                // one's
                let lone: Vec<_> = triangles
                    .iter()
                    .filter(|t| t.iter().all(|&v| v < FIRST_INNER))
                    .collect();
                assert_eq!(lone.len(), 1, "{label}");
                let corner =
                    (0..8u32).find(|c| lone[0].iter().all(|&e| EDGES[e as usize].contains(c)));
                let is_below = case >> corner.unwrap() & 1 == 1;
                assert_eq!(is_below, number < 4, "{label}");
            }
            // the sides of the hexagon are sides of the tube, each along one axis
            let sides = sides(&triangles);
            for at in 0..6 {
                let after = (at + 1) % 6;
                let ends = [at, after].map(|at| hexagon_corner(number as u32 & 3, at));
                assert_eq!((ends[0] ^ ends[1]).count_ones(), 1);
                let side = (FIRST_INNER + at, FIRST_INNER + after);
                assert!(
                    sides.contains_key(&side) && sides.contains_key(&(side.1, side.0)),
                    "{label}"
                );
            }
            let mut lengths: Vec<usize> = loops.iter().map(BTreeSet::len).collect();
            lengths.sort_unstable();
            *kinds.entry(lengths).or_default() += 1;
        }
    }
    let kinds: Vec<String> = kinds
        .iter()
        .map(|(k, rows)| format!("{k:?}: {rows}"))
        .collect();
    assert_eq!(
        kinds.join(", "),
        "[3, 3]: 8, [3, 3, 6]: 16, [3, 4]: 48, [3, 5]: 48, [3, 6]: 16, [4, 4]: 24"
    );
}
