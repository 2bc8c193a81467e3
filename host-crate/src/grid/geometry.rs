//! Affine maps from grid indices to world coordinates.

use nalgebra::{Matrix3, Matrix4, Point3, Vector3};

use super::VolumeError;

/// The affine map `world = axes · index + origin` of a grid.
///
/// Column k of `axes` is the step in the world from one sample to the next along grid axis k,
/// in the volume's own unit of length (millimetres in medical files). The map is finite and
/// invertible by construction, with spacings from 1e-27 to 1e27 and an origin within ±1e27: world
/// positions are finite as `f32` on every grid of up to 10^10 samples per axis, and spacings are
/// not rounded to 0. The origin is the position of the centre of sample (0, 0, 0).
///
/// Readers of medical formats give coordinates in RAS: x grows to the subject's right, y to the
/// front (anterior), z to the top (superior).
///
/// ```
/// use ferrovox::grid::Geometry;
/// use nalgebra::Point3;
///
/// let geometry = Geometry::from_spacing([0.5, 0.5, 2.0], [-10.0, 0.0, 30.0])?;
/// let world = geometry.index_to_world(Point3::new(2.0, 4.0, 1.0));
/// assert_eq!(world, Point3::new(-9.0, 2.0, 32.0));
/// # Ok::<(), ferrovox::grid::VolumeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Geometry {
    axes: Matrix3<f64>,
    origin: Vector3<f64>,
}

/// Maximum distance between corresponding samples of two grids.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Misalignment {
    /// Distance in voxels of the first grid.
    pub voxels: f64,
    /// Distance in world units.
    pub world: f64,
}

/// Smallest spacing.
const MIN_SPACING: f64 = 1e-27;
/// Largest spacing and largest magnitude of the origin's coordinates.
const MAX_LENGTH: f64 = 1e27;

impl Default for Geometry {
    /// Returns the geometry with unit spacing and origin zero: world coordinates are grid indices.
    fn default() -> Self {
        Self {
            axes: Matrix3::identity(),
            origin: Vector3::zeros(),
        }
    }
}

impl Geometry {
    /// Creates the map with these axes (one per column) and origin.
    ///
    /// # Errors
    /// [`VolumeError::NonFiniteGeometry`] for a NaN or infinite coefficient,
    /// [`VolumeError::Spacing`] for an axis without a length, [`VolumeError::SpacingRange`] and
    /// [`VolumeError::OriginRange`] for a spacing or an origin out of range,
    /// [`VolumeError::SingularGeometry`] when the axes do not span space.
    pub fn new(axes: Matrix3<f64>, origin: Vector3<f64>) -> Result<Self, VolumeError> {
        for row in 0..3 {
            for column in 0..4 {
                let value = if column < 3 {
                    axes[(row, column)]
                } else {
                    origin[row]
                };
                if !value.is_finite() {
                    return Err(VolumeError::NonFiniteGeometry { row, column, value });
                }
            }
        }
        for (column, axis) in ['x', 'y', 'z'].into_iter().enumerate() {
            if axes.column(column).iter().all(|&step| step == 0.0) {
                return Err(VolumeError::Spacing { axis, value: 0.0 });
            }
        }
        check_range(&axes, &origin)?;
        // the determinant is compared with the volume of the box spanned by the lengths of the
        // axes, so that the test does not depend on the unit of length
        let determinant = axes.determinant();
        let lengths = axes.column(0).norm() * axes.column(1).norm() * axes.column(2).norm();
        let spans = determinant.is_finite()
            && determinant != 0.0
            && determinant.abs() > 1e-9 * lengths
            && axes.try_inverse().is_some();
        if !spans {
            return Err(VolumeError::SingularGeometry { determinant });
        }
        Ok(Self { axes, origin })
    }

    /// Creates an axis-aligned geometry.
    ///
    /// # Errors
    /// [`VolumeError::Spacing`] unless every spacing is positive and finite, and the errors of
    /// [`Geometry::new`].
    pub fn from_spacing(spacing: [f64; 3], origin: [f64; 3]) -> Result<Self, VolumeError> {
        for (axis, value) in ['x', 'y', 'z'].into_iter().zip(spacing) {
            if !(value.is_finite() && value > 0.0) {
                return Err(VolumeError::Spacing { axis, value });
            }
        }
        Self::new(
            Matrix3::from_diagonal(&Vector3::from(spacing)),
            Vector3::from(origin),
        )
    }

    /// Creates the map of a homogeneous 4 x 4 matrix.
    ///
    /// # Errors
    /// [`VolumeError::NotAffine`] if the last row is not 0 0 0 1, and the errors of
    /// [`Geometry::new`].
    pub fn from_affine(affine: &Matrix4<f64>) -> Result<Self, VolumeError> {
        let row = [
            affine[(3, 0)],
            affine[(3, 1)],
            affine[(3, 2)],
            affine[(3, 3)],
        ];
        if row != [0.0, 0.0, 0.0, 1.0] {
            return Err(VolumeError::NotAffine { row });
        }
        Self::new(
            affine.fixed_view::<3, 3>(0, 0).into_owned(),
            affine.fixed_view::<3, 1>(0, 3).into_owned(),
        )
    }

    /// Returns the axes in the world, one per column: the step from sample to sample.
    pub fn axes(&self) -> &Matrix3<f64> {
        &self.axes
    }

    /// Returns the world position of the centre of sample (0, 0, 0).
    pub fn origin(&self) -> Point3<f64> {
        Point3::from(self.origin)
    }

    /// Replaces the world position of the centre of sample (0, 0, 0).
    pub(super) fn set_origin(&mut self, origin: Point3<f64>) {
        self.origin = origin.coords;
    }

    /// Returns the distance between neighbouring samples along each grid axis.
    pub fn spacing(&self) -> Vector3<f64> {
        Vector3::new(
            self.axes.column(0).norm(),
            self.axes.column(1).norm(),
            self.axes.column(2).norm(),
        )
    }

    /// Returns the determinant of the axes: the volume of a cell, negative if the map mirrors.
    ///
    /// A mirroring map turns a surface that winds counter-clockwise in index space into one
    /// that winds clockwise in the world.
    pub fn determinant(&self) -> f64 {
        self.axes.determinant()
    }

    /// Returns `true` if the map mirrors (its determinant is negative).
    pub fn mirrors(&self) -> bool {
        self.determinant() < 0.0
    }

    /// Returns the world position of a fractional grid index.
    pub fn index_to_world(&self, index: Point3<f64>) -> Point3<f64> {
        Point3::from(self.axes * index.coords + self.origin)
    }

    /// Returns the fractional grid index of a world position.
    pub fn world_to_index(&self, world: Point3<f64>) -> Point3<f64> {
        let inverse = self.axes.try_inverse();
        debug_assert!(
            inverse.is_some(),
            "a Geometry is invertible by construction"
        );
        Point3::from(inverse.unwrap_or_else(Matrix3::identity) * (world.coords - self.origin))
    }

    /// Returns the maximum distance between corresponding samples of two grids with the same dims.
    /// The maximum is attained at a corner.
    ///
    /// ```
    /// use ferrovox::grid::Geometry;
    ///
    /// let grid = Geometry::from_spacing([2.0; 3], [0.0; 3])?;
    /// let wider = Geometry::from_spacing([3.0, 2.0, 2.0], [0.0; 3])?;
    /// let largest = grid.misalignment(&wider, [11, 11, 11]);
    /// assert_eq!((largest.voxels, largest.world), (5.0, 10.0));
    /// # Ok::<(), ferrovox::grid::VolumeError>(())
    /// ```
    pub fn misalignment(&self, other: &Geometry, dims: [usize; 3]) -> Misalignment {
        let last = dims.map(|n| n.saturating_sub(1) as f64);
        let mut largest = Misalignment {
            voxels: 0.0,
            world: 0.0,
        };
        for corner in 0..8 {
            let at = |axis: usize| f64::from(corner >> axis & 1) * last[axis];
            let index = Point3::new(at(0), at(1), at(2));
            let theirs = other.index_to_world(index);
            let world = (theirs - self.index_to_world(index)).norm();
            let voxels = (self.world_to_index(theirs) - index).norm();
            largest.world = largest.world.max(world);
            largest.voxels = largest.voxels.max(voxels);
        }
        largest
    }

    /// Returns the homogeneous 4 x 4 matrix of the map.
    pub fn affine(&self) -> Matrix4<f64> {
        let mut affine = self.axes.to_homogeneous();
        affine.fixed_view_mut::<3, 1>(0, 3).copy_from(&self.origin);
        affine
    }

    /// Permutes the grid axes: axis `k` of the result is axis `order[k]`.
    #[must_use]
    pub(crate) fn permute_axes(&self, order: [usize; 3]) -> Self {
        Self {
            axes: Matrix3::from_columns(&order.map(|axis| self.axes.column(axis).into_owned())),
            origin: self.origin,
        }
    }

    /// Moves sample (0, 0, 0) to the (possibly negative) index `first`, as cropping and padding do.
    #[must_use]
    pub fn shifted(&self, first: [i64; 3]) -> Self {
        let index = Vector3::new(first[0] as f64, first[1] as f64, first[2] as f64);
        Self {
            axes: self.axes,
            origin: self.axes * index + self.origin,
        }
    }
}

/// Checks that spacings and origin are in range.
fn check_range(axes: &Matrix3<f64>, origin: &Vector3<f64>) -> Result<(), VolumeError> {
    for (column, axis) in ['x', 'y', 'z'].into_iter().enumerate() {
        // The largest component does not overflow or underflow, unlike the length.
        let value = axes.column(column).amax();
        if !(MIN_SPACING..=MAX_LENGTH).contains(&value) {
            return Err(VolumeError::SpacingRange { axis, value });
        }
        let value = origin[column];
        if value.abs() > MAX_LENGTH {
            return Err(VolumeError::OriginRange { axis, value });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn affine_round_trip_and_inverse() {
        let axes = Matrix3::new(0.0, -2.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 3.0);
        let geometry = Geometry::new(axes, Vector3::new(1.0, 2.0, 3.0)).unwrap();
        assert_eq!(geometry.spacing(), Vector3::new(0.5, 2.0, 3.0));
        assert_eq!(geometry.determinant(), 3.0);
        assert!(!geometry.mirrors());
        assert_eq!(Geometry::from_affine(&geometry.affine()).unwrap(), geometry);
        // expected values by hand: x' = -2·y + 1, y' = 0.5·x + 2, z' = 3·z + 3
        let world = geometry.index_to_world(Point3::new(4.0, 5.0, 6.0));
        assert_eq!(world, Point3::new(-9.0, 4.0, 21.0));
        let index = geometry.world_to_index(world);
        assert!((index - Point3::new(4.0, 5.0, 6.0)).norm() < 1e-12);
        assert_eq!(
            geometry.shifted([4, 5, 6]).origin(),
            Point3::new(-9.0, 4.0, 21.0)
        );
    }

    #[test]
    fn invalid_maps_are_errors_with_numbers() {
        let error = Geometry::from_spacing([1.0, 0.0, 1.0], [0.0; 3]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the spacing along y is 0; it must be a positive finite number"
        );
        let error = Geometry::from_spacing([1.0; 3], [0.0, 0.0, f64::NAN]).unwrap_err();
        assert!(matches!(
            error,
            VolumeError::NonFiniteGeometry {
                row: 2,
                column: 3,
                ..
            }
        ));
        let flat = Matrix3::new(1.0, 2.0, 0.0, 2.0, 4.0, 0.0, 0.0, 0.0, 1.0);
        let error = Geometry::new(flat, Vector3::zeros()).unwrap_err();
        assert!(matches!(error, VolumeError::SingularGeometry { .. }));
        let mut projective = Matrix4::identity();
        projective[(3, 0)] = 0.5;
        let error = Geometry::from_affine(&projective).unwrap_err();
        assert!(error.to_string().contains("0.5 0 0 1"), "{error}");
    }

    #[test]
    fn lengths_beyond_the_range_of_positions_are_errors() {
        for spacing in [1e-28, 1e-200, 1e28, 1e39, 1e200] {
            let error = Geometry::from_spacing([1.0, 1.0, spacing], [0.0; 3]).unwrap_err();
            let expected = VolumeError::SpacingRange {
                axis: 'z',
                value: spacing,
            };
            assert_eq!(error, expected);
        }
        let error = Geometry::from_spacing([1.0; 3], [0.0, -1e39, 0.0]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the origin has the y coordinate -1e39; the range is ±1e27: correct the origin, or use a larger unit of length"
        );
    }

    #[test]
    fn tiny_and_huge_spacings_are_valid() {
        assert!(Geometry::from_spacing([1e-9; 3], [0.0; 3]).is_ok());
        assert!(Geometry::from_spacing([1e9; 3], [0.0; 3]).is_ok());
        assert!(Geometry::from_spacing([1e-27, 1.0, 1e27], [1e27; 3]).is_ok());
        let mirror = Matrix3::from_diagonal(&Vector3::new(-1.0, 1.0, 1.0));
        assert!(Geometry::new(mirror, Vector3::zeros()).unwrap().mirrors());
    }
}
