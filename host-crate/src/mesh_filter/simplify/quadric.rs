//! Quadric error metrics: squared distances from sets of planes.

use nalgebra::{Matrix3, Vector3};

/// Weight of the squared distance from the preferred point relative to the mean squared distance,
/// which determines the minimiser in directions that the planes leave open.
const PREFERENCE_WEIGHT: f64 = 1e-4;

/// Area-weighted sum of squared distances from planes: `p·A p + 2 b·p + c`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Quadric {
    a: Matrix3<f64>,
    b: Vector3<f64>,
    c: f64,
    weight: f64,
}

impl Quadric {
    /// Creates the quadric of a triangle's plane; zero for a degenerate triangle.
    pub fn from_triangle([p, q, r]: [Vector3<f64>; 3]) -> Self {
        let normal = (q - p).cross(&(r - p));
        let length = normal.norm();
        if !(length > 0.0 && length.is_finite()) {
            return Self::default();
        }
        let (unit, weight) = (normal / length, length / 2.0);
        let offset = -unit.dot(&p);
        Self {
            a: unit * unit.transpose() * weight,
            b: unit * (offset * weight),
            c: offset * offset * weight,
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

    /// Returns the mean squared distance of a point.
    pub fn mean_squared_distance(&self, point: &Vector3<f64>) -> f64 {
        if self.weight <= 0.0 {
            return 0.0;
        }
        let sum = point.dot(&(self.a * point)) + 2.0 * self.b.dot(point) + self.c;
        (sum / self.weight).max(0.0)
    }

    /// Returns the point that minimises the error, closest to `near` in directions that the planes
    /// leave open.
    pub fn minimizer(&self, near: &Vector3<f64>) -> Vector3<f64> {
        if self.weight <= 0.0 {
            return *near;
        }
        let matrix = self.a / self.weight + Matrix3::identity() * PREFERENCE_WEIGHT;
        let gradient = (self.a * near + self.b) / self.weight;
        match matrix.try_inverse() {
            Some(inverse) => near - inverse * gradient,
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
            sum.plus(&Quadric::from_triangle([corner, corner + u, corner + v]))
        });
        assert!(sum.mean_squared_distance(&corner) < 1e-20);
        let offset = Vector3::new(0.3, 0.6, -0.2);
        assert!(
            (sum.mean_squared_distance(&(corner + offset)) - offset.norm_squared() / 3.0).abs()
                < 1e-12
        );
        let found = sum.minimizer(&(corner + offset));
        assert!((found - corner).norm() < 1e-3 * offset.norm());
        // a single plane leaves two directions open
        let one = Quadric::from_triangle([Vector3::zeros(), x, y]);
        let found = one.minimizer(&Vector3::new(5.0, 7.0, 1.0));
        assert!((found - Vector3::new(5.0, 7.0, 0.0)).norm() < 1e-3);
        assert_eq!(one.mean_squared_distance(&Vector3::new(9.0, 9.0, 2.0)), 4.0);
    }

    #[test]
    fn degenerate_triangle_has_zero_quadric() {
        let none = Quadric::from_triangle([Vector3::zeros(); 3]);
        assert_eq!(none.mean_squared_distance(&Vector3::x()), 0.0);
        assert_eq!(none.minimizer(&Vector3::x()), Vector3::x());
    }
}
