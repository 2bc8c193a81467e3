//! The test of two triangles for common points.

use super::orientation::{Plane, Position, UNKNOWN, flat_orientation, orientation, project};

/// The triangles have a point in common other than shared vertices and edges.
pub const INTERSECT: u32 = 1;

/// Rounding errors may hide an intersection.
pub const UNDECIDED: u32 = 2;

/// A triangle: its vertices and their positions, whose coordinates are finite `f32` numbers.
#[derive(Clone, Copy)]
pub struct Triangle {
    /// Index of each vertex.
    pub vertices: [u32; 3],
    /// Position of each vertex.
    pub positions: [Position; 3],
}

impl Triangle {
    /// Returns the triangle with the given corner first, in the same cyclic order.
    #[inline(always)]
    fn rotated(self, first: u32) -> Self {
        let ([i, j, k], [a, b, c]) = (self.vertices, self.positions);
        let (vertices, positions) = if first == 0 {
            ([i, j, k], [a, b, c])
        } else if first == 1 {
            ([j, k, i], [b, c, a])
        } else {
            ([k, i, j], [c, a, b])
        };
        Self {
            vertices,
            positions,
        }
    }

    /// Returns `true` if a vertex is one of the triangle.
    #[inline(always)]
    fn has_vertex(&self, vertex: u32) -> bool {
        let [i, j, k] = self.vertices;
        vertex == i || vertex == j || vertex == k
    }

    /// Returns `true` if all vertices of `other` that are not shared are certainly on one side of
    /// the plane of this triangle.
    #[inline(always)]
    pub fn is_apart_from(&self, other: &Self) -> bool {
        let plane = Plane::through(self.positions);
        let (mut above, mut below, mut unclear) = (false, false, false);
        let mut corner = 0;
        while corner < 3 {
            if !self.has_vertex(other.vertices[corner]) {
                let side = plane.side(other.positions[corner]);
                above |= side == 1;
                below |= side == -1;
                unclear |= side == 0 || side == UNKNOWN;
            }
            corner += 1;
        }
        !unclear && above != below
    }

    /// Returns `true` if a vertex has the position of another vertex of `other`.
    #[inline(always)]
    fn coincides_with(&self, other: &Self) -> bool {
        let mut found = false;
        let mut own = 0;
        while own < 3 {
            let mut at = 0;
            while at < 3 {
                let (p, q) = (self.positions[own], other.positions[at]);
                found |= p[0] == q[0]
                    && p[1] == q[1]
                    && p[2] == q[2]
                    && self.vertices[own] != other.vertices[at];
                at += 1;
            }
            own += 1;
        }
        found
    }
}

/// Returns [`INTERSECT`] if two triangles have a point in common other than the vertices and edges
/// that they share, or if different vertices have equal positions; 0 if not; and [`UNDECIDED`] if
/// rounding errors leave it open. Neither is [apart from](Triangle::is_apart_from) the other.
#[cuda_std::inline_closures]
#[inline(always)]
pub fn test_close_triangles(one: Triangle, other: Triangle) -> u32 {
    if one.coincides_with(&other) {
        return INTERSECT;
    }
    let shared = [
        other.has_vertex(one.vertices[0]),
        other.has_vertex(one.vertices[1]),
        other.has_vertex(one.vertices[2]),
    ];
    let count = shared[0] as u32 + shared[1] as u32 + shared[2] as u32;
    if count == 3 {
        return INTERSECT;
    }
    // with one vertex shared, that comes first; with two, the other one does
    let wanted = count == 1;
    let first = |shared: [bool; 3]| {
        if shared[0] == wanted {
            0
        } else if shared[1] == wanted {
            1
        } else {
            2
        }
    };
    let shared_by_other = [
        one.has_vertex(other.vertices[0]),
        one.has_vertex(other.vertices[1]),
        one.has_vertex(other.vertices[2]),
    ];
    let mut a = one.rotated(first(shared)).positions;
    let mut b = other.rotated(first(shared_by_other)).positions;
    if count == 2 {
        return overlap_at_side([a[1], a[2]], a[0], b[0]);
    }
    // an intersection that is more than a shared vertex ends at a side that is opposite to it in
    // one of the triangles
    let sides = if count == 1 { 1 } else { 3 };
    let mut found = 0;
    let mut pass = 0;
    while pass < 2 {
        let mut side = 0;
        while side < sides && found & INTERSECT == 0 {
            found |= segment_hits([a[1], a[2]], b);
            a = [a[1], a[2], a[0]];
            side += 1;
        }
        (a, b) = (b, a);
        pass += 1;
    }
    if found & INTERSECT != 0 {
        INTERSECT
    } else {
        found
    }
}

/// Tests whether two triangles with a common side overlap: whether they lie in one plane, on the
/// same side of it.
#[cuda_std::inline_closures]
#[inline(always)]
fn overlap_at_side(side: [Position; 2], apex: Position, other_apex: Position) -> u32 {
    let [from, to] = side;
    let height = orientation(from, to, apex, other_apex);
    if height == UNKNOWN {
        return UNDECIDED;
    }
    if height != 0 {
        return 0;
    }
    let axis = flat_axis([from, to, apex]);
    if axis >= NO_AREA {
        return (axis - NO_AREA) * UNDECIDED;
    }
    let [from, to, apex, other] = [from, to, apex, other_apex].map(|it| project(it, axis));
    let (own, others) = (
        flat_orientation(from, to, apex),
        flat_orientation(from, to, other),
    );
    if others == UNKNOWN {
        UNDECIDED
    } else {
        (own * others > 0) as u32 * INTERSECT
    }
}

/// Returned by [`flat_axis`] for a triangle without area; one more if rounding errors may hide it.
const NO_AREA: u32 = 3;

/// Returns an axis along which the projection of a triangle certainly has an area, or at least
/// [`NO_AREA`].
#[inline(always)]
fn flat_axis([a, b, c]: [Position; 3]) -> u32 {
    let mut unclear = 0;
    let mut axis = 0;
    while axis < 3 {
        let sign = flat_orientation(project(a, axis), project(b, axis), project(c, axis));
        if sign == UNKNOWN {
            unclear = 1;
        } else if sign != 0 {
            return axis;
        }
        axis += 1;
    }
    NO_AREA + unclear
}

/// Tests whether a segment has a point in common with a triangle.
#[inline(always)]
fn segment_hits([from, to]: [Position; 2], triangle: [Position; 3]) -> u32 {
    let [a, b, c] = triangle;
    let plane = Plane::through(triangle);
    let (start, end) = (plane.side(from), plane.side(to));
    if start == UNKNOWN || end == UNKNOWN {
        return UNDECIDED;
    }
    if start * end > 0 {
        return 0;
    }
    if start == 0 && end == 0 {
        let axis = flat_axis(triangle);
        if axis >= NO_AREA {
            return (axis - NO_AREA) * UNDECIDED;
        }
        let segment = [project(from, axis), project(to, axis)];
        return flat_segment_hits(
            segment,
            [project(a, axis), project(b, axis), project(c, axis)],
        );
    }
    equal_signs(
        orientation(from, to, a, b),
        orientation(from, to, b, c),
        orientation(from, to, c, a),
    )
}

/// Returns [`INTERSECT`] if no two of three signs are opposite, 0 if two are, or [`UNDECIDED`].
#[cuda_std::inline_closures]
#[inline(always)]
fn equal_signs(one: i32, two: i32, three: i32) -> u32 {
    let has = |sign: i32| one == sign || two == sign || three == sign;
    if has(1) && has(-1) {
        0
    } else if has(UNKNOWN) {
        UNDECIDED
    } else {
        INTERSECT
    }
}

/// Tests whether a segment in the plane of a triangle has a point in common with it.
#[cuda_std::inline_closures]
#[inline(always)]
fn flat_segment_hits(segment: [[f64; 2]; 2], triangle: [[f64; 2]; 3]) -> u32 {
    let [a, b, c] = triangle;
    let contains = |point: [f64; 2]| {
        equal_signs(
            flat_orientation(a, b, point),
            flat_orientation(b, c, point),
            flat_orientation(c, a, point),
        )
    };
    let found = contains(segment[0]) | contains(segment[1]);
    found
        | flat_segments_cross(segment, [a, b])
        | flat_segments_cross(segment, [b, c])
        | flat_segments_cross(segment, [c, a])
}

/// Tests whether two segments in a plane have a point in common.
#[cuda_std::inline_closures]
#[inline(always)]
fn flat_segments_cross(one: [[f64; 2]; 2], other: [[f64; 2]; 2]) -> u32 {
    let [a, b] = one;
    let [c, d] = other;
    let (of_a, of_b) = (flat_orientation(c, d, a), flat_orientation(c, d, b));
    let (of_c, of_d) = (flat_orientation(a, b, c), flat_orientation(a, b, d));
    let is_apart = |first: i32, second: i32| first == second && (first == 1 || first == -1);
    if is_apart(of_a, of_b) || is_apart(of_c, of_d) {
        return 0;
    }
    if of_a == UNKNOWN || of_b == UNKNOWN || of_c == UNKNOWN || of_d == UNKNOWN {
        return UNDECIDED;
    }
    let touches = of_a == 0 && is_between(a, other)
        || of_b == 0 && is_between(b, other)
        || of_c == 0 && is_between(c, one)
        || of_d == 0 && is_between(d, one);
    let crosses = of_a * of_b < 0 && of_c * of_d < 0;
    (touches || crosses) as u32 * INTERSECT
}

/// Returns `true` if a point on the line of a segment is on the segment.
#[cuda_std::inline_closures]
#[inline(always)]
fn is_between(point: [f64; 2], [from, to]: [[f64; 2]; 2]) -> bool {
    let is_within = |x: f64, one: f64, other: f64| one <= x && x <= other || other <= x && x <= one;
    is_within(point[0], from[0], to[0]) && is_within(point[1], from[1], to[1])
}
