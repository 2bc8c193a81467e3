//! Distances of a point from segments and triangles.

use nalgebra::Point3;

/// Returns the distance of `p` from a segment, which may be degenerate.
pub fn to_segment(p: Point3<f64>, [a, b]: [Point3<f64>; 2]) -> f64 {
    let (direction, offset) = (b - a, p - a);
    let squared_length = direction.norm_squared();
    let t = if squared_length > 0.0 {
        (offset.dot(&direction) / squared_length).clamp(0.0, 1.0)
    } else {
        0.0
    };
    (offset - direction * t).norm()
}

/// Returns the distance of `p` from a triangle.
pub fn to_triangle(p: Point3<f64>, [a, b, c]: [Point3<f64>; 3]) -> f64 {
    let normal = (b - a).cross(&(c - a));
    let projects_inside = [[a, b], [b, c], [c, a]]
        .iter()
        .all(|[start, end]| (end - start).cross(&(p - start)).dot(&normal) >= 0.0);
    if projects_inside && normal.norm() > 0.0 {
        return (p - a).dot(&normal).abs() / normal.norm();
    }
    let sides = [[a, b], [b, c], [c, a]].map(|side| to_segment(p, side));
    sides.into_iter().fold(f64::INFINITY, f64::min)
}
