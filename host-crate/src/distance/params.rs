//! Parameters of distance transforms.

use super::{DistanceError, Method};
use crate::grid::Geometry;
use ferrovox_kernels::distance::cubes::TARGET_MAX_DIST;

/// Behaviour if there are no sites.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NoSites {
    /// Returns an error. The sites are counted first, which synchronises the stream.
    #[default]
    Error,
    /// Sets every distance to infinity, or to the maximum distance.
    Infinity,
}

/// Parameters of a distance transform.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DistanceParams {
    /// Method.
    pub method: Method,
    /// Distance in world units at which the map is truncated: voxels farther from every site get
    /// this value.
    pub max_distance: Option<f64>,
    /// `true` to compute the nearest site of each voxel too; ties are broken by the smallest index.
    pub nearest: bool,
    /// Behaviour if there are no sites.
    pub no_sites: NoSites,
    /// Device memory limit in bytes. For [`transform`](super::transform) it excludes the sites and
    /// the map itself; for [`Slabs`](super::Slabs) it covers everything on a device.
    /// [`DistanceError::Memory`] reports the minimum if the limit is too small.
    ///
    /// [`DistanceError::Memory`]: super::DistanceError::Memory
    pub memory: Option<u64>,
}

impl DistanceParams {
    /// Returns `true` if the distances on a grid with this geometry are exact up to rounding to
    /// f32. [`Method::Cubes`] is exact for maximum distances up to 36 voxels, the approximate
    /// methods never.
    ///
    /// ```
    /// use ferrovox::{distance::{DistanceParams, Method}, grid::Geometry};
    ///
    /// let geometry = Geometry::from_spacing([0.5, 0.5, 2.0], [0.0; 3])?;
    /// let params = DistanceParams { method: Method::Cubes, ..DistanceParams::default() };
    /// assert!(!params.is_exact(&geometry));
    /// assert!(DistanceParams { max_distance: Some(18.0), ..params }.is_exact(&geometry));
    /// # Ok::<(), ferrovox::grid::VolumeError>(())
    /// ```
    pub fn is_exact(&self, geometry: &Geometry) -> bool {
        match self.method {
            Method::Separable | Method::Bucketed | Method::BruteForce => true,
            Method::Cubes => {
                let target = TARGET_MAX_DIST * geometry.spacing().min();
                geometry.shear().is_none() && self.max_distance.is_some_and(|it| it <= target)
            }
            Method::CityBlock | Method::Chessboard | Method::CenterPoint => false,
        }
    }

    /// Checks that the maximum distance is positive.
    pub(super) fn check(&self) -> Result<(), DistanceError> {
        match self.max_distance {
            Some(max_distance) if max_distance.is_nan() || max_distance <= 0.0 => {
                Err(DistanceError::InvalidMaxDistance {
                    found: max_distance,
                })
            }
            _ => Ok(()),
        }
    }
}
