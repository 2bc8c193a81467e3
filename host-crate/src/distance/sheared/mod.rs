//! Exact maps on grids whose axes are not at right angles.

mod search;
mod sites;

use super::{DistanceError, DistanceMap, DistanceParams, Nearest, NoSites, Sites};
use crate::{
    device::{Buffer, Stream},
    grid::{DeviceSample, DeviceVolume, grid_of},
};
pub(super) use search::{Prepared, bytes};
pub(super) use sites::{Given, Held};

/// The map of voxels or points.
pub(super) fn map(
    stream: &Stream,
    sites: Sites<'_>,
    params: &DistanceParams,
) -> Result<DistanceMap, DistanceError> {
    let given = match sites {
        Sites::Voxels(mask) => Given::of_mask(stream, Held::Given(mask))?,
        Sites::Points(points) => Given::of_points(stream, points)?,
    };
    whole(stream, given, params)
}

/// The map of labels, without nearest sites.
pub(super) fn label_map<T: DeviceSample>(
    stream: &Stream,
    labels: &DeviceVolume<T>,
    params: &DistanceParams,
) -> Result<DistanceMap, DistanceError> {
    whole(stream, Given::of_labels(stream, labels)?, params)
}

/// All planes of a map.
fn whole(
    stream: &Stream,
    given: Given<'_>,
    params: &DistanceParams,
) -> Result<DistanceMap, DistanceError> {
    let (dims, geometry) = (given.dims(), *given.geometry());
    if given.is_empty() && params.no_sites == NoSites::Error {
        return Err(DistanceError::NoSites);
    }
    let voxels = grid_of(dims)?.samples() as usize;
    let names = voxels.max(given.count());
    let prepared = Prepared::new(stream, given, params)?;
    let mut distances = stream.alloc::<f32>(voxels)?;
    let mut nearest = match (params.nearest, names < u32::MAX as usize) {
        (false, _) => None,
        (true, true) => Some(Nearest::U32(stream.alloc(voxels)?)),
        (true, false) => Some(Nearest::U64(stream.alloc(voxels)?)),
    };
    let planes = 0..dims[2];
    match &mut nearest {
        None => {
            let mut none: Buffer<u32> = stream.alloc(0)?;
            prepared.measure(stream, planes, &mut distances, &mut none)?;
        }
        Some(Nearest::U32(nearest)) => {
            prepared.measure(stream, planes, &mut distances, nearest)?;
        }
        Some(Nearest::U64(nearest)) => {
            prepared.measure(stream, planes, &mut distances, nearest)?;
        }
    }
    Ok(DistanceMap {
        distances,
        nearest,
        dims,
        geometry,
    })
}
