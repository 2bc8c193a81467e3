//! The exact map, one axis after the other.

mod weights;

use super::{DistanceError, DistanceMap, DistanceParams, NoSites, SiteMask};
use crate::device::{Buffer, DeviceError, Element, Launch, Stream};
use ferrovox_kernels::distance::separable::{
    COLUMNS, Cost, Place, Shape, least_along_x, least_along_y, nearest_along_z,
};
pub(super) use weights::integer_weights;
use weights::{Number, Unit, Weights};

pub(super) fn map(
    stream: &Stream,
    sites: &SiteMask,
    params: &DistanceParams,
) -> Result<DistanceMap, DistanceError> {
    if params.no_sites == NoSites::Error && sites.count(stream)? == 0 {
        return Err(DistanceError::NoSites);
    }
    let unit = Unit::of(sites, params);
    let distances = match unit.weights {
        Weights::U32(weights) => with_places::<u32>(stream, sites, &unit, weights)?,
        Weights::U64(weights) => with_places::<u64>(stream, sites, &unit, weights)?,
        Weights::F64(weights) => with_places::<f64>(stream, sites, &unit, weights)?,
    };
    Ok(DistanceMap {
        distances,
        nearest: None,
        dims: sites.dims(),
        geometry: sites.geometry,
    })
}

fn with_places<C: Cost + Number + Element>(
    stream: &Stream,
    sites: &SiteMask,
    unit: &Unit,
    weights: [C; 3],
) -> Result<Buffer<f32>, DeviceError> {
    if sites.grid.nz < u16::MAX as u32 {
        separable::<u16, C>(stream, sites, unit, weights)
    } else {
        separable::<u32, C>(stream, sites, unit, weights)
    }
}

fn separable<P: Place + Element, C: Cost + Number + Element>(
    stream: &Stream,
    sites: &SiteMask,
    unit: &Unit,
    weights: [C; 3],
) -> Result<Buffer<f32>, DeviceError> {
    let grid = sites.grid;
    let voxels = grid.samples() as usize;
    let mut places = stream.alloc::<P>(voxels)?;
    let launch = Launch::pieces(grid.ny.into()).threads_of_use(grid.nx);
    // SAFETY: there is a bit and an element for each voxel.
    unsafe {
        let args = (
            sites.bits.view(),
            grid,
            unit.most_along(2),
            places.view_mut(),
        );
        stream.launch::<nearest_along_z<P>>(launch, args)?;
    }
    let mut squared = stream.alloc::<C>(voxels)?;
    let shape = Shape {
        len: grid.ny,
        stride: COLUMNS,
    };
    let tiles = u64::from(grid.nx.div_ceil(COLUMNS)) * u64::from(grid.nz);
    // SAFETY: there is an element for each voxel, and room for a tile.
    unsafe {
        let axis = unit.axis(&weights, 1, grid.ny);
        let args = (places.view(), grid, weights[2], axis, squared.view_mut());
        stream.launch::<least_along_y<P, C>>(tile_launch::<C>(shape, tiles), args)?;
    }
    let mut distances = stream.alloc::<f32>(voxels)?;
    let shape = Shape {
        len: grid.nx,
        stride: COLUMNS + 1,
    };
    let rows = u64::from(grid.ny) * u64::from(grid.nz);
    // SAFETY: as above.
    unsafe {
        let axis = unit.axis(&weights, 0, grid.nx);
        let args = (squared.view(), grid, axis, unit.far, distances.view_mut());
        let launch = tile_launch::<C>(shape, rows.div_ceil(COLUMNS.into()));
        stream.launch::<least_along_x<C>>(launch, args)?;
    }
    Ok(distances)
}

/// A launch whose blocks take tiles, with room for one.
fn tile_launch<C>(shape: Shape, tiles: u64) -> Launch {
    let bytes = shape.costs() * size_of::<C>() + shape.bests() * size_of::<u32>();
    Launch::pieces(tiles)
        .threads_of_use(shape.groups() * COLUMNS)
        .dynamic_shared_bytes(bytes as u32)
        .dynamic_shared_bytes_per_thread(size_of::<u32>() as u32)
}
