//! Grids whose axes are not at right angles.

use super::Geometry;
use std::fmt;

/// Relative error of distances that counts as rounding: affine maps stored as `f32` or as text are
/// not more accurate.
pub(super) const ROUNDING: f64 = 1e-6;

/// Two axes of a grid that are not at right angles.
///
/// ```
/// use ferrovox::grid::Geometry;
/// use nalgebra::{Matrix3, Vector3};
///
/// let tilted = Matrix3::new(1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0);
/// let shear = Geometry::new(tilted, Vector3::zeros())?.shear().expect("45 degrees");
/// assert_eq!(shear.to_string(), "the axes y and z are 45.00 degrees off a right angle");
/// # Ok::<(), ferrovox::grid::VolumeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shear {
    /// Names of the two axes: x, y or z.
    pub axes: [char; 2],
    /// Deviation of their angle from a right angle.
    pub degrees: f64,
}

impl fmt::Display for Shear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [one, other] = self.axes;
        // with few decimals a small angle would be printed as 0
        let decimals = if self.degrees < 0.01 { 7 } else { 2 };
        let degrees = self.degrees;
        write!(
            f,
            "the axes {one} and {other} are {degrees:.decimals$} degrees off a right angle"
        )
    }
}

impl Geometry {
    /// Returns the axes that deviate most from a right angle. Returns `None` if all axes are at
    /// right angles, up to deviations that change no distance by more than a millionth: a rotation
    /// stored as `f32` has no shear.
    pub fn shear(&self) -> Option<Shear> {
        let unit = |axis: usize| self.axes().column(axis).normalize();
        let cosine = |[one, other]: [usize; 2]| unit(one).dot(&unit(other)).abs();
        let pairs = [[0, 1], [0, 2], [1, 2]];
        let cosines = pairs.map(cosine);
        // the relative error of squared distances is at most the largest row sum of cosines
        let [xy, xz, yz] = cosines;
        let max_sum = (xy + xz).max(xy + yz).max(xz + yz);
        if max_sum / 2.0 <= ROUNDING {
            return None;
        }
        let farthest = (0..3).max_by(|&one, &other| cosines[one].total_cmp(&cosines[other]))?;
        Some(Shear {
            axes: pairs[farthest].map(|axis| ['x', 'y', 'z'][axis]),
            degrees: cosines[farthest].min(1.0).asin().to_degrees(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Matrix3, Vector3};

    #[test]
    fn rounding_is_not_reported_as_shear() {
        let turn = nalgebra::Rotation3::from_euler_angles(0.3, -1.1, 2.5);
        let turned = turn.matrix() * Matrix3::from_diagonal(&Vector3::new(0.9765625, 0.7, 3.1));
        let stored = turned.map(|value| f64::from(value as f32));
        let geometry = Geometry::new(stored, Vector3::zeros()).unwrap();
        assert!(geometry.axes().column(0).dot(&geometry.axes().column(1)) != 0.0);
        assert_eq!(geometry.shear(), None);
        let by = |cosine: f64| {
            let mut axes = Matrix3::identity();
            axes[(1, 2)] = cosine;
            Geometry::new(axes, Vector3::zeros()).unwrap().shear()
        };
        assert_eq!(by(1e-6), None);
        let shear = by(1e-5).unwrap();
        assert_eq!(shear.axes, ['y', 'z']);
        assert!(shear.to_string().contains("0.00057"), "{shear}");
        let shear = by(20f64.to_radians().tan()).unwrap();
        assert!((shear.degrees - 20.0).abs() < 1e-9);
    }
}
