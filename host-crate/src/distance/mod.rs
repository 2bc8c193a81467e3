//! Distance maps: for every voxel the distance to the nearest site.
//!
//! Sites are voxels ([`DeviceMask`]) or points anywhere ([`DevicePoints`]), for [`map`]; or for
//! each voxel of a volume of labels those of another label, for [`label_map`]. [`squared_map`] and
//! [`squared_label_map`] give squared distances as integers. Distances are between the voxels'
//! centres and the sites, in world units: axes of different spacing are each measured by their own.

mod approximate;
mod brute_force;
mod cubes;
mod error;
mod labels;
mod method;
mod params;
mod scale;
mod separable;
mod sheared;
mod sign;
mod slabs;
mod squared;

pub use approximate::{Band, Difference, compare};
pub use error::DistanceError;
pub use labels::{label_map, label_map_by_hulls};
pub use method::Method;
pub use params::{DistanceParams, NoSites};
#[doc(hidden)]
pub use separable::map_by_hulls;
pub use sign::apply_sign;
pub use slabs::{Slab, Slabs};
pub use squared::{Square, SquaredMap, squared_label_map, squared_map};

use crate::{
    device::{Buffer, DeviceError, Stream},
    grid::{DeviceMask, DevicePoints, Geometry, Volume},
};

/// What distances are measured to.
#[derive(Clone, Copy, Debug)]
pub enum Sites<'a> {
    /// Voxels of the map's grid.
    Voxels(&'a DeviceMask),
    /// Points anywhere.
    Points(&'a DevicePoints),
}

impl<'a> Sites<'a> {
    fn geometry(self) -> &'a Geometry {
        match self {
            Self::Voxels(sites) => &sites.geometry,
            Self::Points(points) => &points.geometry,
        }
    }
}

/// For each voxel the index of its nearest site: the linear index of a voxel (x fastest), or the
/// number of a point. All ones where there is none within the bound.
#[derive(Debug)]
pub enum Nearest {
    /// For up to 2³² − 1 voxels or points.
    U32(Buffer<u32>),
    /// For more.
    U64(Buffer<u64>),
}

/// A distance map on the device that made it.
#[derive(Debug)]
pub struct DistanceMap {
    /// The distance of each voxel, x fastest, in world units.
    pub distances: Buffer<f32>,
    /// The nearest site of each voxel, if asked for.
    pub nearest: Option<Nearest>,
    dims: [usize; 3],
    geometry: Geometry,
}

impl DistanceMap {
    /// Voxels along x, y and z.
    pub fn dims(&self) -> [usize; 3] {
        self.dims
    }

    /// The voxels' place in the world.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// The distances on the host. Synchronises the stream.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn download(&self, stream: &Stream) -> Result<Volume<f32>, DeviceError> {
        let samples = stream.download(&self.distances)?;
        Ok(Volume::new(samples, self.dims, self.geometry).expect("as many as there are voxels"))
    }
}

/// Voxels against this many points are compared as quickly all with all as by way of buckets.
const FEW_POINTS: usize = 8;

/// The exact method that is likely to be the quickest, for sites on a device: [`Method::Separable`]
/// for voxels; for points [`Method::Bucketed`], but for few of them, or if the nearest site is
/// asked for, [`Method::BruteForce`], whose time is that of as many comparisons as there are voxels
/// times points. (Where axes are not at right angles bucketed maps have nearest sites too.)
///
/// ```
/// use ferrovox::{device::Device, distance::{Method, Sites, exact_method}, grid::{DevicePoints, Geometry}};
///
/// let stream = Device::cpu().stream()?;
/// let points = DevicePoints::from_voxels(&stream, &[[0.5; 3]; 100], [4, 4, 4], Geometry::default())?;
/// assert_eq!(exact_method(Sites::Points(&points), false), Method::Bucketed);
/// assert_eq!(exact_method(Sites::Points(&points), true), Method::BruteForce);
/// # Ok::<(), ferrovox::grid::GridError>(())
/// ```
pub fn exact_method(sites: Sites<'_>, nearest: bool) -> Method {
    match sites {
        Sites::Voxels(_) => Method::Separable,
        Sites::Points(points) if points.len() <= FEW_POINTS => Method::BruteForce,
        Sites::Points(points) if nearest && points.geometry.shear().is_none() => Method::BruteForce,
        Sites::Points(_) => Method::Bucketed,
    }
}

/// The distance map of sites that are on a device, which stays there.
///
/// Where axes are not at right angles ([`Geometry::shear`]), distances are those of the world too.
/// [`Method::Separable`] and [`Method::Bucketed`] then compare bricks of voxels with the sites that
/// a tree of boxes finds: as exact, and slower. The nearest sites of points are found by it too.
///
/// # Errors
/// [`DistanceError`].
pub fn map(
    stream: &Stream,
    sites: Sites<'_>,
    params: &DistanceParams,
) -> Result<DistanceMap, DistanceError> {
    params.check()?;
    if let Some(shear) = sites.geometry().shear() {
        return match (params.method, sites) {
            (Method::Separable, Sites::Points(_)) => Err(DistanceError::PointsWith {
                method: params.method,
            }),
            (Method::Separable | Method::Bucketed, sites) => sheared::map(stream, sites, params),
            (Method::BruteForce, sites) => brute_force::map(stream, sites, params),
            (method, _) => Err(DistanceError::ShearedWith { method, shear }),
        };
    }
    match (params.method, sites) {
        (Method::Separable, Sites::Voxels(sites)) => separable::map(stream, sites, params),
        (Method::BruteForce, sites) => brute_force::map(stream, sites, params),
        (Method::Cubes | Method::Bucketed, sites) => cubes::map(stream, sites, params),
        (_, Sites::Voxels(sites)) => approximate::map(stream, sites, params),
        (method, Sites::Points(_)) => Err(DistanceError::PointsWith { method }),
    }
}
