//! Exact distance transforms on grids with oblique axes.

mod sites;
mod tree;

use super::{DistanceError, DistanceMap, DistanceParams, NearestIndices, NoSites, Sites};
use crate::{
    device::{Buffer, Stream},
    grid::{DeviceSample, DeviceVolume, kernel_grid},
};
pub(super) use sites::{MaybeOwned, ObliqueSites};
pub(super) use tree::{SiteTree, tree_bytes};

/// Computes the distance map of voxels or points.
pub(super) fn transform(
    stream: &Stream,
    sites: Sites<'_>,
    params: &DistanceParams,
) -> Result<DistanceMap, DistanceError> {
    let oblique_sites = match sites {
        Sites::Voxels(mask) => ObliqueSites::from_mask(stream, MaybeOwned::Borrowed(mask))?,
        Sites::Points(points) => ObliqueSites::from_points(stream, points)?,
    };
    transform_sites(stream, oblique_sites, params)
}

/// Computes the distance map of labels, without nearest sites.
pub(super) fn transform_labels<T: DeviceSample>(
    stream: &Stream,
    labels: &DeviceVolume<T>,
    params: &DistanceParams,
) -> Result<DistanceMap, DistanceError> {
    transform_sites(stream, ObliqueSites::from_labels(stream, labels)?, params)
}

/// Computes the map of all planes.
fn transform_sites(
    stream: &Stream,
    sites: ObliqueSites<'_>,
    params: &DistanceParams,
) -> Result<DistanceMap, DistanceError> {
    let (dims, geometry) = (sites.dims(), *sites.geometry());
    if sites.is_empty() && params.no_sites == NoSites::Error {
        return Err(DistanceError::NoSites);
    }
    let voxels = kernel_grid(dims)?.samples() as usize;
    let max_index = voxels.max(sites.count());
    let site_tree = SiteTree::new(stream, sites, params)?;
    let mut distances = stream.alloc::<f32>(voxels)?;
    let mut nearest = match (params.nearest, max_index < u32::MAX as usize) {
        (false, _) => None,
        (true, true) => Some(NearestIndices::U32(stream.alloc(voxels)?)),
        (true, false) => Some(NearestIndices::U64(stream.alloc(voxels)?)),
    };
    let planes = 0..dims[2];
    match &mut nearest {
        None => {
            let mut no_indices: Buffer<u32> = stream.alloc(0)?;
            site_tree.write_distances(stream, planes, &mut distances, &mut no_indices)?;
        }
        Some(NearestIndices::U32(nearest)) => {
            site_tree.write_distances(stream, planes, &mut distances, nearest)?;
        }
        Some(NearestIndices::U64(nearest)) => {
            site_tree.write_distances(stream, planes, &mut distances, nearest)?;
        }
    }
    Ok(DistanceMap {
        distances,
        nearest,
        dims,
        geometry,
    })
}
