//! Local origins of meshes: positions relative to them fit `f32`.

use super::Geometry;
use nalgebra::{Matrix3, Point3, Vector3};

/// Maximum rounding error of vertex positions near the world origin, in voxels.
///
/// Vertices of an isosurface are at least 1/1024 voxel apart
/// ([`MARGIN`](ferrovox_kernels::isosurface::interpolate::MARGIN)), so with this error no two of
/// them round to the same position. With cubic voxels it is reached 8192 voxels from the origin.
const MAX_ERROR: f64 = 1.0 / 4096.0;

impl Geometry {
    /// Returns the origin relative to which vertices within a grid of `dims` samples are stored as
    /// `f32`.
    ///
    /// It is the world origin if `f32` world coordinates are precise enough (an error of at most
    /// 1/4096 voxel anywhere in the grid, which holds up to 8192 voxels from the world origin), and
    /// otherwise a point at the centre of the grid. The centre is rounded to a multiple of a power
    /// of two, so that few digits state it exactly.
    ///
    /// ```
    /// use ferrovox::grid::Geometry;
    ///
    /// let near = Geometry::from_spacing([0.5; 3], [-100.0; 3])?;
    /// assert_eq!(near.local_origin([512; 3]), [0.0; 3].into());
    /// let distant = Geometry::from_spacing([0.1; 3], [4_500_000.0, 0.0, 0.0])?;
    /// assert_eq!(distant.local_origin([201; 3]), [4_500_010.0, 10.0, 10.0].into());
    /// # Ok::<(), ferrovox::grid::VolumeError>(())
    /// ```
    pub fn local_origin(&self, dims: [usize; 3]) -> Point3<f64> {
        if self.f32_error(dims) <= MAX_ERROR {
            return Point3::origin();
        }
        let (low, high) = self.world_bounds(dims);
        let step = self.spacing().max().log2().floor().exp2();
        let round = |centre: f64| {
            let rounded = (centre / step).round() * step;
            if rounded.is_finite() { rounded } else { centre }
        };
        Point3::from((low + high).map(|sum| round(0.5 * sum)))
    }

    /// Returns the largest rounding error, in voxels, of `f32` world coordinates within a grid of
    /// `dims` samples and a border of one sample around it.
    pub fn f32_error(&self, dims: [usize; 3]) -> f64 {
        let (low, high) = self.world_bounds(dims);
        let error = low.abs().sup(&high.abs()).map(half_ulp);
        let inverse = self.axes().try_inverse();
        let in_voxels = inverse.unwrap_or_else(Matrix3::identity).abs() * error;
        in_voxels.max()
    }

    /// Returns the map to coordinates relative to `origin`.
    #[must_use]
    pub fn relative_to(&self, origin: Point3<f64>) -> Self {
        let mut relative = *self;
        relative.set_origin(self.origin() - origin.coords);
        relative
    }

    /// Returns the lowest and the highest world coordinates of a grid with a border of one sample.
    /// They do not depend on the order of the grid axes.
    fn world_bounds(&self, dims: [usize; 3]) -> (Vector3<f64>, Vector3<f64>) {
        let bound = |row: usize, choose: fn(f64, f64) -> f64| {
            let mut terms = [0, 1, 2].map(|axis| {
                let step = self.axes()[(row, axis)];
                choose(-step, step * dims[axis] as f64)
            });
            terms.sort_unstable_by(f64::total_cmp);
            self.origin()[row] + (terms[0] + terms[1] + terms[2])
        };
        let low = Vector3::from([0, 1, 2].map(|row| bound(row, f64::min)));
        let high = Vector3::from([0, 1, 2].map(|row| bound(row, f64::max)));
        (low, high)
    }
}

/// Returns the largest rounding error of an `f32` of at most this absolute value.
fn half_ulp(value: f64) -> f64 {
    // the smallest normal number bounds the exponent from below
    let exponent = value.max(f64::from(f32::MIN_POSITIVE)).log2().floor();
    (exponent - 24.0).exp2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unit_voxels_keep_the_world_origin_up_to_8192() {
        let at = |origin: f64| Geometry::from_spacing([1.0; 3], [origin, 0.0, 0.0]).unwrap();
        // the border ends at 8191
        assert_eq!(at(8181.0).local_origin([10; 3]), Point3::origin());
        assert_ne!(at(8182.0).local_origin([10; 3]), Point3::origin());
        assert_ne!(at(-8192.0).local_origin([10; 3]), Point3::origin());
    }

    #[test]
    fn distance_counts_in_voxels() {
        let at = |spacing: f64, origin: f64| {
            let geometry = Geometry::from_spacing([spacing; 3], [origin; 3]).unwrap();
            geometry.local_origin([100; 3]) != Point3::origin()
        };
        assert!(!at(1000.0, 1e6));
        assert!(at(0.01, 1e3));
        // axes of different lengths: each is precise enough for its own spacing
        let axes = Geometry::from_spacing([0.001, 1.0, 1.0], [0.0, 5000.0, -5000.0]).unwrap();
        assert_eq!(axes.local_origin([10; 3]), Point3::origin());
    }

    #[test]
    fn turned_axes_have_the_same_local_origin() {
        let axes = Matrix3::new(0.1, 0.02, -0.3, 0.03, 0.1, 0.007, 0.0, -0.09, 0.2);
        let geometry = Geometry::new(axes, Vector3::new(5e5, 4.5e6, 17.0)).unwrap();
        let origin = geometry.local_origin([31, 57, 90]);
        assert_ne!(origin, Point3::origin());
        let turned = geometry.permute_axes([0, 2, 1]);
        assert_eq!(turned.local_origin([31, 90, 57]), origin);
    }

    #[test]
    fn error_is_half_the_distance_of_neighbouring_numbers() {
        for value in [1.0_f32, 1.5, 8191.0, 4.5e6, 1e-30] {
            let ulp = f64::from(f32::from_bits(value.to_bits() + 1)) - f64::from(value);
            assert_eq!(half_ulp(f64::from(value)), ulp / 2.0, "{value}");
        }
    }
}
