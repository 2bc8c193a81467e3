//! How far a point is from a segment and from a triangle.

use nalgebra::Point3;

/// From a segment, which may be a point.
pub fn to_segment(p: Point3<f64>, [a, b]: [Point3<f64>; 2]) -> f64 {
    let (along, from) = (b - a, p - a);
    let square = along.norm_squared();
    let part = if square > 0.0 {
        (from.dot(&along) / square).clamp(0.0, 1.0)
    } else {
        0.0
    };
    (from - along * part).norm()
}

/// From a triangle.
pub fn to_triangle(p: Point3<f64>, [a, b, c]: [Point3<f64>; 3]) -> f64 {
    let normal = (b - a).cross(&(c - a));
    let is_over = [[a, b], [b, c], [c, a]]
        .iter()
        .all(|[from, to]| (to - from).cross(&(p - from)).dot(&normal) >= 0.0);
    if is_over && normal.norm() > 0.0 {
        return (p - a).dot(&normal).abs() / normal.norm();
    }
    let sides = [[a, b], [b, c], [c, a]].map(|side| to_segment(p, side));
    sides.into_iter().fold(f64::INFINITY, f64::min)
}
