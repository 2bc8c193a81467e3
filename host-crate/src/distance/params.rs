//! What can be chosen.

use super::DistanceError;

/// How the map is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// Exact, for sites that are voxels: one axis after the other, in integers where the spacing allows it.
    #[default]
    Separable,
    /// The document's: exact up to 36 voxels from the sites, an estimate beyond, for sites anywhere.
    Cubes,
    /// Every voxel against every site, for sites anywhere: the reference.
    BruteForce,
    /// Steps along the axes, for comparison.
    CityBlock,
    /// The longest of the steps along the axes, for comparison.
    Chessboard,
    /// Propagation of the nearest known site from voxel to voxel, for comparison.
    CenterPoint,
}

impl Method {
    /// All of them.
    pub const ALL: [Method; 6] = [
        Method::Separable,
        Method::Cubes,
        Method::BruteForce,
        Method::CityBlock,
        Method::Chessboard,
        Method::CenterPoint,
    ];

    /// The method's name, as the command line takes it.
    pub fn name(self) -> &'static str {
        match self {
            Method::Separable => "separable",
            Method::Cubes => "cubes",
            Method::BruteForce => "brute-force",
            Method::CityBlock => "city-block",
            Method::Chessboard => "chessboard",
            Method::CenterPoint => "center-point",
        }
    }
}

/// What to do if there is no site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NoSites {
    /// An error that says so. The sites are counted first, and that is waited for.
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
    /// The largest distance of interest, in world units: where it is farther to a site, the map has this.
    pub max_distance: Option<f64>,
    /// Find the nearest site of each voxel too; of several at the same distance the one with the smallest index.
    pub nearest: bool,
    /// What to do if there is no site.
    pub no_sites: NoSites,
    /// The most device memory that may be taken, in bytes: by [`map`](super::map) besides the sites given and the map itself, by
    /// [`Slabs`](super::Slabs) for everything on a device. [`DistanceError::Memory`] says what is needed at least, if that is more.
    ///
    /// [`DistanceError::Memory`]: super::DistanceError::Memory
    pub memory: Option<u64>,
}

impl DistanceParams {
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
