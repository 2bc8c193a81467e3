//! Signs of determinants of positions whose coordinates are `f32` numbers.

use cuda_std::GpuFloat;

/// A position in space.
pub type Position = [f64; 3];

/// The sign of a determinant that rounding errors may have changed. The others are -1, 0 and 1.
pub const UNKNOWN: i32 = 2;

/// Bound of the rounding error of a determinant, relative to the sum of the absolute values of its
/// terms: twice that of Shewchuk (1997) for three dimensions.
const ERROR: f64 = 8.0 * f64::EPSILON;

/// Returns the difference `to - from`.
#[inline(always)]
pub fn difference(to: Position, from: Position) -> Position {
    [to[0] - from[0], to[1] - from[1], to[2] - from[2]]
}

/// Returns the sign of a number with an absolute error of at most `bound`.
#[inline(always)]
fn certain_sign(value: f64, bound: f64) -> i32 {
    if value > bound {
        1
    } else if value < -bound {
        -1
    } else {
        UNKNOWN
    }
}

/// Returns the sign of an exact number.
#[inline(always)]
fn exact_sign(value: f64) -> i32 {
    (value > 0.0) as i32 - (value < 0.0) as i32
}

/// A plane through the corners of a triangle.
#[derive(Clone, Copy)]
pub struct Plane {
    origin: Position,
    /// Normal of arbitrary length, and the sums of the absolute values of its terms.
    normal: Position,
    terms: Position,
}

impl Plane {
    /// Returns the plane through three positions.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn through([a, b, c]: [Position; 3]) -> Self {
        let (u, v) = (difference(b, a), difference(c, a));
        let products = [
            [u[1] * v[2], u[2] * v[1]],
            [u[2] * v[0], u[0] * v[2]],
            [u[0] * v[1], u[1] * v[0]],
        ];
        let [x, y, z] = products;
        let sum = |[one, other]: [f64; 2]| GpuFloat::abs(one) + GpuFloat::abs(other);
        Self {
            origin: a,
            normal: [x[0] - x[1], y[0] - y[1], z[0] - z[1]],
            terms: [sum(x), sum(y), sum(z)],
        }
    }

    /// Returns 1 if a position is above the plane, where its corners are counter-clockwise, -1 if
    /// below, 0 if within, or [`UNKNOWN`]. Positions with a coordinate in common with the three
    /// corners are within the plane.
    #[inline(always)]
    pub fn side(&self, position: Position) -> i32 {
        let offset = difference(position, self.origin);
        let [x, y, z] = self.normal;
        let height = x * offset[0] + y * offset[1] + z * offset[2];
        let [p, q, r] = offset.map(GpuFloat::abs);
        let terms = self.terms[0] * p + self.terms[1] * q + self.terms[2] * r;
        // all terms are 0 only if all products are
        if terms == 0.0 {
            0
        } else {
            certain_sign(height, ERROR * terms)
        }
    }
}

/// Returns the side of the plane of a triangle on which a position is, as [`Plane::side`] does.
#[inline(always)]
pub fn orientation(a: Position, b: Position, c: Position, position: Position) -> i32 {
    Plane::through([a, b, c]).side(position)
}

/// Returns the two coordinates of a position other than that along `axis`, in cyclic order.
#[inline(always)]
pub fn project(position: Position, axis: u32) -> [f64; 2] {
    let [x, y, z] = position;
    if axis == 0 {
        [y, z]
    } else if axis == 1 {
        [z, x]
    } else {
        [x, y]
    }
}

/// Returns 1 if three positions of a plane are counter-clockwise, -1 if clockwise, 0 if on a line,
/// or [`UNKNOWN`], which requires that some have coordinates of much different magnitudes.
#[cuda_std::inline_closures]
#[inline(always)]
pub fn flat_orientation(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> i32 {
    let (u, v) = ([a[0] - c[0], a[1] - c[1]], [b[0] - c[0], b[1] - c[1]]);
    let products = [u[0] * v[1], u[1] * v[0]];
    let value = products[0] - products[1];
    let terms = GpuFloat::abs(products[0]) + GpuFloat::abs(products[1]);
    // products of differences that are `f32` numbers are exact, and so is the sign of their
    // difference
    let is_short = |x: f64| x as f32 as f64 == x;
    if is_short(u[0]) && is_short(u[1]) && is_short(v[0]) && is_short(v[1]) {
        exact_sign(value)
    } else {
        certain_sign(value, ERROR * terms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_of_planes() {
        let triangle = [[0.0, 0.0, 1.0], [4.0, 0.0, 1.0], [0.0, 4.0, 1.0]];
        let plane = Plane::through(triangle);
        assert_eq!(plane.side([1.0, 1.0, 1.5]), 1);
        assert_eq!(plane.side([9.0, -9.0, 0.5]), -1);
        assert_eq!(plane.side([7.0, 7.0, 1.0]), 0);
        // 0.1, 0.2 and 0.7 are rounded
        let [a, b, c] = [0.1_f32, 0.2, 0.7].map(f64::from);
        let oblique = Plane::through([[a, b, c], [b, c, a], [c, a, b]]);
        assert_eq!(oblique.side([a, c, b]), UNKNOWN);
        assert_eq!(oblique.side([1.0, 1.0, 1.0]), -1);
    }

    #[test]
    fn orientations_in_a_plane() {
        let (a, b) = ([0.0, 0.0], [3.0, 1.0]);
        assert_eq!(flat_orientation(a, b, [0.0, 1.0]), 1);
        assert_eq!(flat_orientation(a, b, [0.0, -1.0]), -1);
        assert_eq!(flat_orientation(a, b, [6.0, 2.0]), 0);
    }
}
