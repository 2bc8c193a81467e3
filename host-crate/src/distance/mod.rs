//! Distance transforms: the distance from every voxel to the nearest site.
//!
//! Sites are voxels ([`DeviceMask`]) or arbitrary points ([`DevicePoints`]), for [`transform`]; for
//! a label volume the sites of each voxel are the voxels with another label, for
//! [`transform_labels`]. [`transform_signed`] computes the signed distances of a mask.
//! [`transform_squared`] and [`transform_labels_squared`] compute squared distances as integers,
//! and [`transform_part`] a part of a map, given the [`ColumnEnvelopes`] of the other parts.
//! Distances are measured between voxel centres and sites in world units, with the spacing of each
//! axis.

mod approximate;
mod brute_force;
mod column_envelopes;
mod cubes;
mod error;
mod labels;
mod method;
mod oblique;
mod params;
mod scale;
mod separable;
mod sign;
mod slabs;
mod squared;

pub use approximate::{Band, Difference, compare};
pub use column_envelopes::{ColumnEnvelopes, MapPart, transform_part};
pub use error::DistanceError;
pub use labels::{transform_labels, transform_labels_by_envelopes};
pub use method::Method;
pub use params::{DistanceParams, NoSites};
#[doc(hidden)]
pub use separable::{ScanlineKernels, transform_by_envelopes, transform_by_scanlines};
pub(crate) use sign::transform_opposite;
pub use sign::{SignConvention, apply_sign, clear_inside, transform_signed};
pub use slabs::{Slab, Slabs};
pub use squared::{SquaredMap, SquaredValue, transform_labels_squared, transform_squared};

use crate::{
    device::{Buffer, DeviceError, Stream},
    grid::{DeviceMask, DevicePoints, Geometry, Volume},
};

/// Sites to which distances are measured.
#[derive(Clone, Copy, Debug)]
pub enum Sites<'a> {
    /// Voxels of the map's grid.
    Voxels(&'a DeviceMask),
    /// Arbitrary points.
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

/// Feature transform: for each voxel the index of its nearest site, which is the linear index of a
/// voxel (x fastest) or the number of a point; all ones if there is none within the maximum
/// distance.
#[derive(Debug)]
pub enum NearestIndices {
    /// Indices of up to 2³² − 1 voxels or points.
    U32(Buffer<u32>),
    /// Indices of more voxels or points.
    U64(Buffer<u64>),
}

/// Distance map in device memory.
#[derive(Debug)]
pub struct DistanceMap {
    /// Distance of each voxel in world units, x fastest.
    pub distances: Buffer<f32>,
    /// Index of the nearest site of each voxel, if requested.
    pub nearest: Option<NearestIndices>,
    dims: [usize; 3],
    geometry: Geometry,
}

impl DistanceMap {
    /// Returns the number of voxels along x, y and z.
    pub fn dims(&self) -> [usize; 3] {
        self.dims
    }

    /// Returns the position of the voxels in the world.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Copies the distances to the host. Synchronises the stream.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn download(&self, stream: &Stream) -> Result<Volume<f32>, DeviceError> {
        let samples = stream.download(&self.distances)?;
        Ok(Volume::new(samples, self.dims, self.geometry).expect("one distance per voxel"))
    }
}

/// Number of points up to which comparing all pairs is as fast as using buckets.
const MAX_BRUTE_FORCE_POINTS: usize = 8;

/// Returns the exact method that is likely to be the fastest for sites on a device:
/// [`Method::Separable`] for voxels, and [`Method::Bucketed`] for points. For few points, or if
/// nearest sites are requested, it is [`Method::BruteForce`], whose time is proportional to the
/// number of voxels times the number of points. (On oblique grids [`Method::Bucketed`] finds
/// nearest sites too.)
///
/// ```
/// use ferrovox::device::Device;
/// use ferrovox::distance::{Method, Sites, fastest_exact_method};
/// use ferrovox::grid::{DevicePoints, Geometry};
///
/// let stream = Device::cpu().stream()?;
/// let points = [[0.5; 3]; 100];
/// let points = DevicePoints::from_voxels(&stream, &points, [4, 4, 4], Geometry::default())?;
/// assert_eq!(fastest_exact_method(Sites::Points(&points), false), Method::Bucketed);
/// assert_eq!(fastest_exact_method(Sites::Points(&points), true), Method::BruteForce);
/// # Ok::<(), ferrovox::grid::GridError>(())
/// ```
pub fn fastest_exact_method(sites: Sites<'_>, nearest: bool) -> Method {
    match sites {
        Sites::Voxels(_) => Method::Separable,
        Sites::Points(points) if points.len() <= MAX_BRUTE_FORCE_POINTS => Method::BruteForce,
        Sites::Points(points) if nearest && points.geometry.shear().is_none() => Method::BruteForce,
        Sites::Points(_) => Method::Bucketed,
    }
}

/// Computes the distance map of sites in device memory. The map stays on the device.
///
/// On oblique grids ([`Geometry::shear`]), distances are measured in world coordinates too.
/// [`Method::Separable`] and [`Method::Bucketed`] then compare bricks of voxels with the sites
/// found in a tree of bounding boxes, which is exact but slower; the nearest sites of points are
/// available too.
///
/// # Errors
/// [`DistanceError`].
pub fn transform(
    stream: &Stream,
    sites: Sites<'_>,
    params: &DistanceParams,
) -> Result<DistanceMap, DistanceError> {
    params.check()?;
    if let Some(shear) = sites.geometry().shear() {
        return match (params.method, sites) {
            (Method::Separable, Sites::Points(_)) => Err(DistanceError::PointsUnsupported {
                method: params.method,
            }),
            (Method::Separable | Method::Bucketed, sites) => {
                oblique::transform(stream, sites, params)
            }
            (Method::BruteForce, sites) => brute_force::transform(stream, sites, params),
            (method, _) => Err(DistanceError::ObliqueUnsupported { method, shear }),
        };
    }
    match (params.method, sites) {
        (Method::Separable, Sites::Voxels(sites)) => separable::transform(stream, sites, params),
        (Method::BruteForce, sites) => brute_force::transform(stream, sites, params),
        (Method::Cubes | Method::Bucketed, sites) => cubes::transform(stream, sites, params),
        (_, Sites::Voxels(sites)) => approximate::transform(stream, sites, params),
        (method, Sites::Points(_)) => Err(DistanceError::PointsUnsupported { method }),
    }
}
