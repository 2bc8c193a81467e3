//! Properties of the marching-cubes case table that make every mesh a closed manifold, for all 256
//! cases and all of their neighbours.

use ferrovox_kernels::isosurface::table::{
    CASES, CORNERS, EDGES, FACES, LIMITS, MAX_TRIANGLES, TRIANGLE_COUNTS,
};
use std::collections::{BTreeMap, BTreeSet};

fn triangles(case: usize) -> Vec<[usize; 3]> {
    let Some(entry) = CASES.get(case) else {
        unreachable!()
    };
    entry.edges[..entry.triangles as usize]
        .iter()
        .map(|t| t.map(usize::from))
        .collect()
}

fn triangle_count(case: usize) -> u8 {
    TRIANGLE_COUNTS[case]
}

fn is_active(case: usize, edge: usize) -> bool {
    let [a, b] = EDGES[edge];
    (case >> a & 1) != (case >> b & 1)
}

fn lies_on(edge: usize, face: usize) -> bool {
    EDGES[edge]
        .iter()
        .all(|corner| FACES[face].contains(corner))
}

/// Returns how often each directed side is used by the triangles of a case.
fn sides(case: usize) -> BTreeMap<(usize, usize), usize> {
    let mut sides = BTreeMap::new();
    for [a, b, c] in triangles(case) {
        for side in [(a, b), (b, c), (c, a)] {
            *sides.entry(side).or_default() += 1;
        }
    }
    sides
}

/// Returns the sides that the triangles of a case use once: the border of the patch, which lies on
/// the faces.
fn border(case: usize) -> BTreeSet<(usize, usize)> {
    let sides = sides(case);
    sides
        .keys()
        .filter(|&&(a, b)| !sides.contains_key(&(b, a)))
        .copied()
        .collect()
}

#[test]
fn triangles_use_exactly_the_active_edges() {
    for case in 0..256 {
        let used: BTreeSet<usize> = triangles(case).into_iter().flatten().collect();
        let active: BTreeSet<usize> = (0..12).filter(|&edge| is_active(case, edge)).collect();
        assert_eq!(used, active, "case {case}");
        assert_eq!(usize::from(triangle_count(case)), triangles(case).len());
        assert!(
            triangles(case)
                .iter()
                .all(|[a, b, c]| a != b && b != c && c != a)
        );
    }
}

#[test]
fn no_directed_side_is_used_twice_and_borders_lie_on_faces() {
    for case in 0..256 {
        assert!(sides(case).values().all(|&uses| uses == 1), "case {case}");
        for &(a, b) in &border(case) {
            assert_eq!(
                (0..6)
                    .filter(|&face| lies_on(a, face) && lies_on(b, face))
                    .count(),
                1,
                "case {case}"
            );
        }
        // every other side is a diagonal inside the cell: it must not lie on a face, where the
        // neighbour could use it too
        for &(a, b) in sides(case).keys() {
            if !border(case).contains(&(a, b)) {
                assert!(
                    (0..6).all(|face| !(lies_on(a, face) && lies_on(b, face))),
                    "case {case}"
                );
            }
        }
        // each active edge has one incoming and one outgoing border side
        for edge in (0..12).filter(|&edge| is_active(case, edge)) {
            assert_eq!(
                border(case).iter().filter(|side| side.0 == edge).count(),
                1,
                "case {case}"
            );
            assert_eq!(
                border(case).iter().filter(|side| side.1 == edge).count(),
                1,
                "case {case}"
            );
        }
    }
}

/// All pairs of neighbours along every axis agree on the segments on their common face, with
/// opposite orientations.
#[test]
fn neighbours_share_the_border_on_their_face_in_opposite_directions() {
    // a side as the two points it connects
    let side_points = |edge: usize, shift: [i64; 3]| -> BTreeSet<[i64; 3]> {
        EDGES[edge]
            .iter()
            .map(|&c| [0, 1, 2].map(|k| CORNERS[c as usize][k] as i64 + shift[k]))
            .collect()
    };
    for axis in 0..3 {
        let high = (0..6)
            .find(|&f| FACES[f].iter().all(|&c| CORNERS[c as usize][axis] == 1))
            .unwrap();
        let low = (0..6)
            .find(|&f| FACES[f].iter().all(|&c| CORNERS[c as usize][axis] == 0))
            .unwrap();
        let mut shift = [0; 3];
        shift[axis] = 1;
        let twin = |edge: usize| {
            (0..12)
                .find(|&other| side_points(other, shift) == side_points(edge, [0; 3]))
                .unwrap()
        };
        let corner_twin = |corner: usize| {
            let mut point = CORNERS[corner];
            point[axis] = 0;
            CORNERS.iter().position(|c| *c == point).unwrap()
        };
        let mut pairs = 0;
        for case in 0..256usize {
            let case_border: BTreeSet<_> = border(case)
                .into_iter()
                .filter(|&(a, b)| lies_on(a, high) && lies_on(b, high))
                .map(|(a, b)| (twin(b), twin(a)))
                .collect();
            for neighbour in 0..256usize {
                let agree = FACES[high].iter().all(|&corner| {
                    (case >> corner & 1) == (neighbour >> corner_twin(corner as usize) & 1)
                });
                if !agree {
                    continue;
                }
                pairs += 1;
                let neighbour_border: BTreeSet<_> = border(neighbour)
                    .into_iter()
                    .filter(|&(a, b)| lies_on(a, low) && lies_on(b, low))
                    .collect();
                assert_eq!(
                    case_border, neighbour_border,
                    "cases {case} and {neighbour} along axis {axis}"
                );
            }
        }
        assert_eq!(pairs, 256 * 16);
    }
}

#[test]
fn triangles_face_the_corners_below() {
    let middle = |edge: usize| -> [f64; 3] {
        let [a, b] = EDGES[edge].map(|c| CORNERS[c as usize]);
        [0, 1, 2].map(|k| (a[k] + b[k]) as f64 / 2.0)
    };
    for (corner, point) in CORNERS.iter().enumerate() {
        // one corner below: the triangle's normal points towards it
        let case = 1 << corner;
        let [a, b, c] = triangles(case)[0].map(middle);
        let (u, v) = (
            [0, 1, 2].map(|k| b[k] - a[k]),
            [0, 1, 2].map(|k| c[k] - a[k]),
        );
        let normal = [
            u[1] * v[2] - u[2] * v[1],
            u[2] * v[0] - u[0] * v[2],
            u[0] * v[1] - u[1] * v[0],
        ];
        let to_corner = [0, 1, 2].map(|k| point[k] as f64 - a[k]);
        assert!(
            (0..3).map(|k| normal[k] * to_corner[k]).sum::<f64>() > 0.0,
            "corner {corner}"
        );
    }
}

#[test]
fn limits_match_the_assumptions_of_kernels() {
    let (longest_loop, most_loops, most_triangles) = LIMITS;
    assert_eq!(most_triangles, MAX_TRIANGLES);
    assert_eq!((longest_loop, most_loops), (7, 4));
}
