//! Triangles in buckets, and the test of two of them.

use super::{PairSearch, TriangleCorners, bounds};
use crate::mesh::self_intersections::triangle_intersection::{Position, triangles_intersect};

/// Bound for the rounding error of a vertex' height above the plane of a triangle, relative to the
/// sum of the absolute values of its terms: more than nine roundings.
const HEIGHT_ERROR: f64 = 8.0 * f64::EPSILON;

/// A triangle in a bucket.
pub struct Member {
    pub triangle: u32,
    low: [f32; 3],
    high: [f32; 3],
    /// Bucket of `low`.
    first: [u32; 3],
    corners: TriangleCorners,
    /// Normal of the triangle, of arbitrary length, and bounds of the terms that it consists of.
    normal: Position,
    normal_bound: Position,
}

impl Member {
    /// Returns a triangle of a search.
    pub fn new(search: &PairSearch<'_>, triangle: u32) -> Self {
        let corners = search.corners[triangle as usize];
        let [low, high] = bounds(&corners);
        let [a, b, c] = corners.map(|corner| corner.map(f64::from));
        let (u, v) = (subtract(b, a), subtract(c, a));
        let terms = |k: usize| {
            [
                u[(k + 1) % 3] * v[(k + 2) % 3],
                u[(k + 2) % 3] * v[(k + 1) % 3],
            ]
        };
        Self {
            triangle,
            low,
            high,
            first: search.bucket(low),
            corners,
            normal: std::array::from_fn(|k| terms(k)[0] - terms(k)[1]),
            normal_bound: std::array::from_fn(|k| terms(k)[0].abs() + terms(k)[1].abs()),
        }
    }

    /// Returns `true` if the bounding boxes of two triangles overlap, and `bucket` is the first
    /// that both are in, so that each pair counts once.
    pub fn first_meets(&self, other: &Self, bucket: [u32; 3]) -> bool {
        (0..3).all(|k| {
            self.low[k] <= other.high[k]
                && other.low[k] <= self.high[k]
                && self.first[k].max(other.first[k]) == bucket[k]
        })
    }

    /// Returns `true` if two triangles have a point in common other than shared vertices and edges.
    pub fn intersects(&self, other: &Self, is_same: impl Fn([usize; 2]) -> bool) -> bool {
        if self.is_beyond(other, |[own, others]| is_same([own, others]))
            || other.is_beyond(self, |[others, own]| is_same([own, others]))
        {
            return false;
        }
        let coincides = |own: usize| {
            (0..3).any(|at| self.corners[own] == other.corners[at] && !is_same([own, at]))
        };
        (0..3).any(coincides) || {
            let pair = [self.corners, other.corners];
            let [one, other] = pair.map(|corners| corners.map(|corner| corner.map(f64::from)));
            triangles_intersect(one, other)
        }
    }

    /// Returns `true` if all vertices of another triangle that are not shared are certainly on one
    /// side of the plane of this one. `is_same` receives a corner of each.
    fn is_beyond(&self, other: &Self, is_same: impl Fn([usize; 2]) -> bool) -> bool {
        let origin = self.corners[0].map(f64::from);
        let mut side = 0.0;
        for (index, corner) in other.corners.iter().enumerate() {
            let offset = subtract(corner.map(f64::from), origin);
            let height = dot(self.normal, offset);
            if height.abs() > HEIGHT_ERROR * dot(self.normal_bound, offset.map(f64::abs)) {
                if height * side < 0.0 {
                    return false;
                }
                side = height.signum();
            } else {
                let own = self.corners.iter().position(|it| it == corner);
                if !own.is_some_and(|own| is_same([own, index])) {
                    return false;
                }
            }
        }
        side != 0.0
    }
}

fn subtract(to: Position, from: Position) -> Position {
    std::array::from_fn(|k| to[k] - from[k])
}

fn dot(one: Position, other: Position) -> f64 {
    one[0] * other[0] + one[1] * other[1] + one[2] * other[2]
}
