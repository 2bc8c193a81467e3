//! Exact test for intersecting triangles, by the adaptive predicates of Shewchuk (1997).

use robust::{Coord, Coord3D, orient2d, orient3d};

/// A position in space.
pub(super) type Position = [f64; 3];

/// Returns `true` if two triangles have a point in common other than the vertices and edges that
/// they share. Vertices at equal positions are shared.
///
/// The test is exact for finite coordinates. Triangles without area intersect nothing, but others
/// may intersect their sides.
pub(super) fn triangles_intersect(one: [Position; 3], other: [Position; 3]) -> bool {
    let is_shared = one.map(|corner| other.contains(&corner));
    let shared = is_shared.iter().filter(|&&it| it).count();
    if shared == 2 {
        let apex = is_shared.iter().position(|&it| !it).unwrap_or(0);
        let side = [one[(apex + 1) % 3], one[(apex + 2) % 3]];
        let other_apex = other.into_iter().find(|it| !side.contains(it));
        return other_apex.is_some_and(|other_apex| overlap_at_side(side, one[apex], other_apex));
    }
    // most pairs are apart: beyond the plane of one of them, except for a shared vertex
    if shared == 3 || is_beyond_plane(one, other) || is_beyond_plane(other, one) {
        return shared == 3;
    }
    match is_shared.iter().position(|&it| it) {
        None => has_side_through(one, other) || has_side_through(other, one),
        Some(corner) => {
            // an intersection that is more than the shared vertex ends at the opposite side of one
            // of the triangles
            let opposite = |triangle: [Position; 3], corner: usize| {
                [triangle[(corner + 1) % 3], triangle[(corner + 2) % 3]]
            };
            let in_other = other.iter().position(|&it| it == one[corner]).unwrap_or(0);
            segment_hits(opposite(one, corner), other)
                || segment_hits(opposite(other, in_other), one)
        }
    }
}

/// Returns `true` if all vertices of the second triangle that are not shared lie strictly on one
/// side of the plane of the first.
fn is_beyond_plane(plane: [Position; 3], triangle: [Position; 3]) -> bool {
    let [a, b, c] = plane;
    let unshared = triangle.into_iter().filter(|it| !plane.contains(it));
    let mut sides = unshared.map(|it| orientation(a, b, c, it));
    let first = sides.next().unwrap_or(0.0);
    first != 0.0 && sides.all(|side| side * first > 0.0)
}

/// Returns `true` if a side of the first triangle has a point in common with the second.
fn has_side_through(one: [Position; 3], other: [Position; 3]) -> bool {
    (0..3).any(|k| segment_hits([one[k], one[(k + 1) % 3]], other))
}

/// Returns `true` if two triangles with a common side overlap: if they lie in one plane, on the
/// same side of it.
fn overlap_at_side([from, to]: [Position; 2], apex: Position, other_apex: Position) -> bool {
    if orientation(from, to, apex, other_apex) != 0.0 {
        return false;
    }
    flat_axis([from, to, apex]).is_some_and(|axis| {
        let sign = flat_orientation(axis, [from, to, apex]);
        let other = flat_orientation(axis, [from, to, other_apex]);
        sign > 0.0 && other > 0.0 || sign < 0.0 && other < 0.0
    })
}

/// Returns `true` if a segment has a point in common with a triangle.
fn segment_hits([from, to]: [Position; 2], triangle: [Position; 3]) -> bool {
    let [a, b, c] = triangle;
    let ends = [orientation(a, b, c, from), orientation(a, b, c, to)];
    if ends[0] > 0.0 && ends[1] > 0.0 || ends[0] < 0.0 && ends[1] < 0.0 {
        return false;
    }
    if ends == [0.0, 0.0] {
        return flat_axis(triangle)
            .is_some_and(|axis| flat_segment_hits(axis, [from, to], triangle));
    }
    has_equal_signs([
        orientation(from, to, a, b),
        orientation(from, to, b, c),
        orientation(from, to, c, a),
    ])
}

/// Returns `true` if a segment in the plane of a triangle has a point in common with it, in the
/// projection along `axis`.
fn flat_segment_hits(axis: usize, segment: [Position; 2], triangle: [Position; 3]) -> bool {
    let [a, b, c] = triangle;
    let sides = [[a, b], [b, c], [c, a]];
    let contains = |point: Position| {
        has_equal_signs(sides.map(|[from, to]| flat_orientation(axis, [from, to, point])))
    };
    segment.into_iter().any(contains)
        || sides
            .iter()
            .any(|&side| flat_segments_cross(axis, segment, side))
}

/// Returns `true` if two segments have a point in common in the projection along `axis`.
fn flat_segments_cross(axis: usize, one: [Position; 2], other: [Position; 2]) -> bool {
    let signs = |[from, to]: [Position; 2], ends: [Position; 2]| {
        ends.map(|end| flat_orientation(axis, [from, to, end]))
    };
    let (ones, others) = (signs(other, one), signs(one, other));
    let is_divided =
        |[first, second]: [f64; 2]| first > 0.0 && second < 0.0 || first < 0.0 && second > 0.0;
    if is_divided(ones) && is_divided(others) {
        return true;
    }
    // an end of one on the other
    let touches = |signs: [f64; 2], ends: [Position; 2], segment: [Position; 2]| {
        (0..2).any(|k| signs[k] == 0.0 && is_between(axis, ends[k], segment))
    };
    touches(ones, one, other) || touches(others, other, one)
}

/// Returns `true` if a point on the line of a segment is on the segment, in the projection along
/// `axis`.
fn is_between(axis: usize, point: Position, [from, to]: [Position; 2]) -> bool {
    [(axis + 1) % 3, (axis + 2) % 3]
        .iter()
        .all(|&k| from[k].min(to[k]) <= point[k] && point[k] <= from[k].max(to[k]))
}

/// Returns `true` if no two of three orientations have opposite signs.
fn has_equal_signs(orientations: [f64; 3]) -> bool {
    orientations.iter().all(|&it| it >= 0.0) || orientations.iter().all(|&it| it <= 0.0)
}

/// Returns an axis along which the projection of a triangle has an area, or `None` if the triangle
/// has none.
fn flat_axis(triangle: [Position; 3]) -> Option<usize> {
    (0..3).find(|&axis| flat_orientation(axis, triangle) != 0.0)
}

/// Returns a number with the sign of the volume of a tetrahedron.
fn orientation(a: Position, b: Position, c: Position, d: Position) -> f64 {
    // a plane perpendicular to an axis, which would take the slowest stage of the predicate
    if (0..3).any(|k| a[k] == b[k] && a[k] == c[k] && a[k] == d[k]) {
        return 0.0;
    }
    let coord = |[x, y, z]: Position| Coord3D { x, y, z };
    orient3d(coord(a), coord(b), coord(c), coord(d))
}

/// Returns a number with the sign of the area of a triangle's projection along `axis`.
fn flat_orientation(axis: usize, triangle: [Position; 3]) -> f64 {
    let [a, b, c] = triangle.map(|point| Coord {
        x: point[(axis + 1) % 3],
        y: point[(axis + 2) % 3],
    });
    orient2d(a, b, c)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAT: [Position; 3] = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];

    fn check(other: [Position; 3], expected: bool) {
        // in every order of corners and both orders of triangles
        for turn in 0..3 {
            for flip in [false, true] {
                let mut turned: [Position; 3] = std::array::from_fn(|k| other[(k + turn) % 3]);
                if flip {
                    turned.swap(0, 1);
                }
                assert_eq!(triangles_intersect(FLAT, turned), expected, "{turned:?}");
                assert_eq!(triangles_intersect(turned, FLAT), expected, "{turned:?}");
            }
        }
    }

    #[test]
    fn separate_triangles_do_not_intersect() {
        check([[0.0, 0.0, 1.0], [4.0, 0.0, 1.0], [0.0, 4.0, 1.0]], false);
        check([[5.0, 5.0, 0.0], [6.0, 5.0, 0.0], [5.0, 6.0, 0.0]], false);
        check([[3.0, 3.0, -1.0], [3.0, 3.0, 1.0], [4.0, 4.0, 0.0]], false);
    }

    #[test]
    fn piercing_touching_and_overlapping_triangles_intersect() {
        check([[1.0, 1.0, -1.0], [1.0, 1.0, 1.0], [5.0, 5.0, 0.0]], true);
        // a vertex on the face, on a side, within the plane
        check([[1.0, 1.0, 0.0], [1.0, 1.0, 1.0], [2.0, 1.0, 1.0]], true);
        check([[2.0, 2.0, 0.0], [2.0, 2.0, 1.0], [3.0, 3.0, 1.0]], true);
        check([[1.0, 1.0, 0.0], [9.0, 1.0, 0.0], [1.0, 9.0, 0.0]], true);
        // the nearest number to a contact is none
        let above = f64::from_bits(1);
        check([[1.0, 1.0, above], [1.0, 1.0, 1.0], [2.0, 1.0, 1.0]], false);
    }

    #[test]
    fn shared_vertices_and_sides_are_no_intersection() {
        check([[0.0, 0.0, 0.0], [-1.0, 0.0, 1.0], [0.0, -1.0, 1.0]], false);
        check([[0.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]], false);
        check([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [1.0, 1.0, -1.0]], true);
        check([[0.0, 0.0, 0.0], [9.0, 0.0, 0.0], [9.0, 0.0, 1.0]], true);
        check([[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 0.0, 4.0]], false);
        check([[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [1.0, -4.0, 0.0]], false);
        check([[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [1.0, 1.0, 0.0]], true);
        check(FLAT, true);
    }
}
