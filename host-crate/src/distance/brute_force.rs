//! Brute-force distance transform: the reference for the other methods.

use super::{
    DistanceError, DistanceMap, DistanceParams, NearestIndices, NoSites, Sites,
    scale::oblique_metric,
};
use crate::grid::{DeviceMask, DevicePoints};
use crate::{
    device::{Buffer, DeviceError, Element, Launch, Stream},
    grid::kernel_grid,
    partition::TooLittleMemory,
};
use ferrovox_kernels::{
    distance::{
        brute_force::{BLOCK_VOXELS, nearest_brute_force},
        oblique::ObliqueMetric,
    },
    grid::Grid,
    sample::Count,
};

/// Sites as points. Voxels become points at their centres, in index order.
pub(super) enum SitePoints<'a> {
    Borrowed(&'a DevicePoints),
    FromVoxels(Box<DevicePoints>),
}

impl<'a> SitePoints<'a> {
    pub fn new(stream: &Stream, sites: Sites<'a>) -> Result<Self, DistanceError> {
        Ok(match sites {
            Sites::Points(points) => Self::Borrowed(points),
            Sites::Voxels(sites) => Self::FromVoxels(Box::new(voxel_points(stream, sites)?)),
        })
    }

    pub fn get(&self) -> &DevicePoints {
        match self {
            Self::Borrowed(points) => points,
            Self::FromVoxels(points) => points,
        }
    }

    pub fn are_voxels(&self) -> bool {
        matches!(self, Self::FromVoxels(_))
    }
}

/// Converts voxels to points, with coordinates as f32, which represents all integers up to 2²⁴.
fn voxel_points(stream: &Stream, sites: &DeviceMask) -> Result<DevicePoints, DistanceError> {
    for len in sites.dims() {
        if len > 1 << 24 {
            return Err(DeviceError::TooLarge { len, size: 1 }.into());
        }
    }
    Ok(DevicePoints::from_mask(stream, sites)?)
}

pub(super) fn transform(
    stream: &Stream,
    sites: Sites<'_>,
    params: &DistanceParams,
) -> Result<DistanceMap, DistanceError> {
    let points = SitePoints::new(stream, sites)?;
    let site_points = points.get();
    if site_points.is_empty() && params.no_sites == NoSites::Error {
        return Err(DistanceError::NoSites);
    }
    if let (Some(limit), true) = (params.memory, points.are_voxels()) {
        let needed = site_points.coordinates.bytes() as u64;
        if limit < needed {
            return Err(TooLittleMemory {
                needed,
                budget: limit,
            }
            .into());
        }
    }
    let grid = kernel_grid(site_points.dims)?;
    let metric = oblique_metric(&site_points.geometry, params);
    let mut distances = stream.alloc::<f32>(grid.samples() as usize)?;
    let index_count = if points.are_voxels() {
        grid.samples()
    } else {
        site_points.len() as u64
    };
    let nearest = if index_count <= u64::from(u32::MAX) {
        launch::<u32>(
            stream,
            &points,
            grid,
            metric,
            params.nearest,
            &mut distances,
        )?
        .map(NearestIndices::U32)
    } else {
        launch::<u64>(
            stream,
            &points,
            grid,
            metric,
            params.nearest,
            &mut distances,
        )?
        .map(NearestIndices::U64)
    };
    Ok(DistanceMap {
        distances,
        nearest,
        dims: site_points.dims,
        geometry: site_points.geometry,
    })
}

fn launch<I: Count + Element>(
    stream: &Stream,
    points: &SitePoints<'_>,
    grid: Grid,
    metric: ObliqueMetric,
    nearest_requested: bool,
    distances: &mut Buffer<f32>,
) -> Result<Option<Buffer<I>>, DeviceError> {
    let voxels = grid.samples();
    let mut nearest = stream.alloc::<I>(if nearest_requested {
        voxels as usize
    } else {
        0
    })?;
    let batches = voxels.div_ceil(u64::from(BLOCK_VOXELS));
    // SAFETY: the coordinates are those of the points, there is one distance per voxel, and one
    // index per voxel or none.
    unsafe {
        let args = (
            points.get().coordinates.view(),
            u32::from(points.are_voxels()),
            grid,
            metric,
            distances.view_mut(),
            nearest.view_mut(),
        );
        let launch = Launch::pieces(batches).max_useful_threads(BLOCK_VOXELS / 4);
        stream.launch::<nearest_brute_force<I>>(launch, args)?;
    }
    Ok(nearest_requested.then_some(nearest))
}
