//! What can be chosen.

use super::{DistanceError, Method};
use crate::grid::Geometry;
use ferrovox_kernels::distance::cubes::TARGET_MAX_DIST;

/// What to do if there is no site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NoSites {
    /// An error. The sites are counted first, which synchronises the stream.
    #[default]
    Error,
    /// Every distance is infinite, or the bound.
    Infinity,
}

/// What a distance map is to be.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DistanceParams {
    /// How.
    pub method: Method,
    /// The largest distance of interest, in world units: where it is farther to a site, the map has
    /// this.
    pub max_distance: Option<f64>,
    /// Find the nearest site of each voxel too; of several at the same distance the one with the
    /// smallest index.
    pub nearest: bool,
    /// What to do if there is no site.
    pub no_sites: NoSites,
    /// The most device memory that may be taken, in bytes: by [`map`](super::map) besides the sites
    /// given and the map itself, by [`Slabs`](super::Slabs) for everything on a device.
    /// [`DistanceError::Memory`] has what is needed at least, if that is more.
    ///
    /// [`DistanceError::Memory`]: super::DistanceError::Memory
    pub memory: Option<u64>,
}

impl DistanceParams {
    /// Whether the distances of a map of such a grid are exact, but for the rounding to f32: those
    /// of [`Method::Cubes`] are up to a bound of 36 voxels, and those of the methods for comparison
    /// never.
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

    /// Refuses a bound that bounds nothing.
    pub(super) fn check(&self) -> Result<(), DistanceError> {
        match self.max_distance {
            Some(found) if found.is_nan() || found <= 0.0 => {
                Err(DistanceError::MaxDistance { found })
            }
            _ => Ok(()),
        }
    }
}
