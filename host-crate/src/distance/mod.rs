//! Distance maps: for every voxel the distance to the nearest site.
//!
//! Sites are voxels ([`SiteMask`]) or points anywhere ([`SitePoints`]), for [`map`]; or for each voxel of a volume of labels those of another
//! label, for [`label_map`]. [`squared_map`] and [`squared_label_map`] give squared distances as integers. Distances are between the voxels' centres and the
//! sites, in world units: axes of different spacing are each measured by their own.

mod approximate;
mod brute_force;
mod crossings;
mod cubes;
mod error;
mod from_volume;
mod host_mask;
mod labels;
mod map;
mod params;
mod points;
mod scale;
mod separable;
mod sign;
pub(crate) mod sites;
mod slabs;
mod squared;

pub use approximate::{Band, Difference, compare};
pub use error::DistanceError;
pub use host_mask::{HostMask, ReadMaskError};
pub use labels::label_map;
pub use map::{DistanceMap, Nearest};
pub use params::{DistanceParams, Method, NoSites};
pub use points::SitePoints;
pub use sign::apply_sign;
pub use sites::SiteMask;
pub use slabs::{Slab, Slabs};
pub use squared::{Square, SquaredMap, squared_label_map, squared_map};

use crate::device::Stream;

/// What distances are measured to.
#[derive(Clone, Copy, Debug)]
pub enum Sites<'a> {
    /// Voxels of the map's grid.
    Voxels(&'a SiteMask),
    /// Points anywhere.
    Points(&'a SitePoints),
}

/// The distance map of sites that are on a device, which stays there.
///
/// # Errors
/// [`DistanceError`].
pub fn map(
    stream: &Stream,
    sites: Sites<'_>,
    params: &DistanceParams,
) -> Result<DistanceMap, DistanceError> {
    params.check()?;
    match (params.method, sites) {
        (Method::Separable, Sites::Voxels(sites)) => separable::map(stream, sites, params),
        (Method::BruteForce, sites) => brute_force::map(stream, sites, params),
        (Method::Cubes, sites) => cubes::map(stream, sites, params),
        (_, Sites::Voxels(sites)) => approximate::map(stream, sites, params),
        (method, Sites::Points(_)) => Err(DistanceError::PointsWith { method }),
    }
}
