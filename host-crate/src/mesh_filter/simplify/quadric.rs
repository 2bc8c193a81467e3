//! How far a place is from planes.

use nalgebra::{Matrix3, Vector3};

/// How much a place near the middle of an edge is preferred, beside the mean squared distance:
/// where planes leave open where the best place is.
const NEAR: f64 = 1e-4;

/// The sum of squared distances from planes, weighted by areas: `p·A p + 2 b·p + c`, for places
/// relative to a fixed one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Quadric {
    a: Matrix3<f64>,
    b: Vector3<f64>,
    c: f64,
    weight: f64,
}

impl Quadric {
    /// Of a triangle's plane; of one without an area nothing.
    pub fn of_triangle([p, q, r]: [Vector3<f64>; 3]) -> Self {
        let normal = (q - p).cross(&(r - p));
        let length = normal.norm();
        if !(length > 0.0 && length.is_finite()) {
            return Self::default();
        }
        let (unit, weight) = (normal / length, length / 2.0);
        let away = -unit.dot(&p);
        Self {
            a: unit * unit.transpose() * weight,
            b: unit * (away * weight),
            c: away * away * weight,
            weight,
        }
    }

    pub fn plus(&self, other: &Self) -> Self {
        Self {
            a: self.a + other.a,
            b: self.b + other.b,
            c: self.c + other.c,
            weight: self.weight + other.weight,
        }
    }

    /// The mean squared distance from a place.
    pub fn at(&self, place: &Vector3<f64>) -> f64 {
        if self.weight <= 0.0 {
            return 0.0;
        }
        let sum = place.dot(&(self.a * place)) + 2.0 * self.b.dot(place) + self.c;
        (sum / self.weight).max(0.0)
    }

    /// The place that is nearest to all planes, and to `near` where they leave it open.
    pub fn nearest(&self, near: &Vector3<f64>) -> Vector3<f64> {
        if self.weight <= 0.0 {
            return *near;
        }
        let matrix = self.a / self.weight + Matrix3::identity() * NEAR;
        let slope = (self.a * near + self.b) / self.weight;
        match matrix.try_inverse() {
            Some(inverse) => near - inverse * slope,
            None => *near,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_planes_meet_in_a_point() {
        let [x, y, z] = [Vector3::x(), Vector3::y(), Vector3::z()];
        let corner = Vector3::new(3.0, -1.0, 2.0);
        let planes = [[x, y], [y, z], [z, x]];
        let sum = planes.iter().fold(Quadric::default(), |sum, [u, v]| {
            sum.plus(&Quadric::of_triangle([corner, corner + u, corner + v]))
        });
        assert!(sum.at(&corner) < 1e-20);
        let away = Vector3::new(0.3, 0.6, -0.2);
        assert!((sum.at(&(corner + away)) - away.norm_squared() / 3.0).abs() < 1e-12);
        let found = sum.nearest(&(corner + away));
        assert!((found - corner).norm() < 1e-3 * away.norm());
        // one plane leaves two directions open
        let one = Quadric::of_triangle([Vector3::zeros(), x, y]);
        let found = one.nearest(&Vector3::new(5.0, 7.0, 1.0));
        assert!((found - Vector3::new(5.0, 7.0, 0.0)).norm() < 1e-3);
        assert_eq!(one.at(&Vector3::new(9.0, 9.0, 2.0)), 4.0);
    }

    #[test]
    fn a_triangle_without_an_area_says_nothing() {
        let none = Quadric::of_triangle([Vector3::zeros(); 3]);
        assert_eq!(none.at(&Vector3::x()), 0.0);
        assert_eq!(none.nearest(&Vector3::x()), Vector3::x());
    }
}
