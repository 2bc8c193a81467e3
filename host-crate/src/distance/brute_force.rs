//! The reference.

use super::{DistanceError, DistanceMap, DistanceParams, Nearest, NoSites, Sites, scale::tilt_of};
use crate::grid::{DeviceMask, DevicePoints};
use crate::{
    device::{Buffer, DeviceError, Element, Launch, Stream},
    grid::grid_of,
    partition::TooLittleMemory,
};
use ferrovox_kernels::{
    distance::{
        brute_force::{VOXELS, nearest_of_all},
        sheared::Tilt,
    },
    grid::Grid,
    sample::Count,
};

/// The sites as points; voxels become points at their centres, which are numbered as they are.
pub(super) enum Points<'a> {
    Given(&'a DevicePoints),
    OfVoxels(Box<DevicePoints>),
}

impl<'a> Points<'a> {
    pub fn of(stream: &Stream, sites: Sites<'a>) -> Result<Self, DistanceError> {
        Ok(match sites {
            Sites::Points(points) => Self::Given(points),
            Sites::Voxels(sites) => Self::OfVoxels(Box::new(of_voxels(stream, sites)?)),
        })
    }

    pub fn get(&self) -> &DevicePoints {
        match self {
            Self::Given(points) => points,
            Self::OfVoxels(points) => points,
        }
    }

    pub fn are_voxels(&self) -> bool {
        matches!(self, Self::OfVoxels(_))
    }
}

/// Floats have every integer up to 2²⁴.
fn of_voxels(stream: &Stream, sites: &DeviceMask) -> Result<DevicePoints, DistanceError> {
    for len in sites.dims() {
        if len > 1 << 24 {
            return Err(DeviceError::TooLarge { len, size: 1 }.into());
        }
    }
    Ok(DevicePoints::from_sites(stream, sites)?)
}

pub(super) fn map(
    stream: &Stream,
    sites: Sites<'_>,
    params: &DistanceParams,
) -> Result<DistanceMap, DistanceError> {
    let points = Points::of(stream, sites)?;
    let given = points.get();
    if given.is_empty() && params.no_sites == NoSites::Error {
        return Err(DistanceError::NoSites);
    }
    if let (Some(limit), true) = (params.memory, points.are_voxels()) {
        let least = given.coordinates.bytes() as u64;
        if limit < least {
            return Err(TooLittleMemory {
                needed: least,
                budget: limit,
            }
            .into());
        }
    }
    let grid = grid_of(given.dims)?;
    let tilt = tilt_of(&given.geometry, params);
    let mut distances = stream.alloc::<f32>(grid.samples() as usize)?;
    let numbers = if points.are_voxels() {
        grid.samples()
    } else {
        given.len() as u64
    };
    let nearest = if numbers <= u64::from(u32::MAX) {
        launch::<u32>(stream, &points, grid, tilt, params.nearest, &mut distances)?
            .map(Nearest::U32)
    } else {
        launch::<u64>(stream, &points, grid, tilt, params.nearest, &mut distances)?
            .map(Nearest::U64)
    };
    Ok(DistanceMap {
        distances,
        nearest,
        dims: given.dims,
        geometry: given.geometry,
    })
}

fn launch<I: Count + Element>(
    stream: &Stream,
    points: &Points<'_>,
    grid: Grid,
    tilt: Tilt,
    wanted: bool,
    distances: &mut Buffer<f32>,
) -> Result<Option<Buffer<I>>, DeviceError> {
    let voxels = grid.samples();
    let mut nearest = stream.alloc::<I>(if wanted { voxels as usize } else { 0 })?;
    let pieces = voxels.div_ceil(u64::from(VOXELS));
    // SAFETY: the coordinates are those of the points, there is a distance for each voxel, and an
    // index for each or none.
    unsafe {
        let args = (
            points.get().coordinates.view(),
            u32::from(points.are_voxels()),
            grid,
            tilt,
            distances.view_mut(),
            nearest.view_mut(),
        );
        let launch = Launch::pieces(pieces).max_useful_threads(VOXELS / 4);
        stream.launch::<nearest_of_all<I>>(launch, args)?;
    }
    Ok(wanted.then_some(nearest))
}
