//! The exact map, one axis after the other.

mod weights;

use super::{DistanceError, DistanceMap, DistanceParams, Nearest, NoSites, SiteMask};
use crate::device::{Buffer, DeviceError, Element, Launch, Stream};
use ferrovox_kernels::{
    distance::separable::{
        Axis, COLUMNS, Cost, Place, Shape, least_along_x, least_along_y, nearest_along_z,
        sites_along_x, sites_along_y,
    },
    grid::Grid,
    sample::Count,
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
    let wants_sites = params.nearest;
    let (distances, nearest) = match unit.weights {
        Weights::U32(weights) => in_numbers::<u32>(stream, sites, &unit, weights, wants_sites)?,
        Weights::U64(weights) => in_numbers::<u64>(stream, sites, &unit, weights, wants_sites)?,
        Weights::F64(weights) => in_numbers::<f64>(stream, sites, &unit, weights, wants_sites)?,
    };
    Ok(DistanceMap {
        distances,
        nearest,
        dims: sites.dims(),
        geometry: sites.geometry,
    })
}

/// The distances, and the nearest sites if they are wanted.
type Found = (Buffer<f32>, Option<Nearest>);

fn in_numbers<C: Cost + Number + Element>(
    stream: &Stream,
    sites: &SiteMask,
    unit: &Unit,
    weights: [C; 3],
    wants_sites: bool,
) -> Result<Found, DeviceError> {
    if sites.grid.nz < u16::MAX as u32 {
        separable::<u16, C>(stream, sites, unit, weights, wants_sites)
    } else {
        separable::<u32, C>(stream, sites, unit, weights, wants_sites)
    }
}

fn separable<P: Place + Element, C: Cost + Number + Element>(
    stream: &Stream,
    sites: &SiteMask,
    unit: &Unit,
    weights: [C; 3],
    wants_sites: bool,
) -> Result<Found, DeviceError> {
    let grid = sites.grid;
    let voxels = grid.samples() as usize;
    let mut places = stream.alloc::<P>(voxels)?;
    let launch = Launch::pieces(grid.ny.into()).threads_of_use(grid.nx);
    // SAFETY: there is a bit and an element for each voxel.
    unsafe {
        let most = unit.most_along(2);
        let args = (sites.bits.view(), grid, most, places.view_mut());
        stream.launch::<nearest_along_z<P>>(launch, args)?;
    }
    let columns = Shape {
        len: grid.ny,
        stride: COLUMNS,
    };
    let tiles = u64::from(grid.nx.div_ceil(COLUMNS)) * u64::from(grid.nz);
    let along_y = tile_launch::<C>(columns, tiles);
    let axis = unit.axis(&weights, 1, grid.ny);
    let mut squared = stream.alloc::<C>(voxels)?;
    // SAFETY: there is an element for each voxel, and room for a tile.
    unsafe {
        let args = (places.view(), grid, weights[2], axis, squared.view_mut());
        stream.launch::<least_along_y<P, C>>(along_y, args)?;
    }
    let mut ys = stream.alloc::<u32>(if wants_sites { voxels } else { 0 })?;
    if wants_sites {
        // SAFETY: as above.
        unsafe {
            let args = (places.view(), grid, weights[2], axis, ys.view_mut());
            stream.launch::<sites_along_y<P, C>>(along_y, args)?;
        }
    }
    let rows = Shape {
        len: grid.nx,
        stride: COLUMNS + 1,
    };
    let tiles = (u64::from(grid.ny) * u64::from(grid.nz)).div_ceil(COLUMNS.into());
    let along_x = Along {
        launch: tile_launch::<C>(rows, tiles),
        axis: unit.axis(&weights, 0, grid.nx),
        grid,
    };
    let mut distances = stream.alloc::<f32>(voxels)?;
    // SAFETY: as above.
    unsafe {
        let args = (
            squared.view(),
            grid,
            along_x.axis,
            unit.far,
            distances.view_mut(),
        );
        stream.launch::<least_along_x<C>>(along_x.launch, args)?;
    }
    let nearest = match (wants_sites, voxels < u32::MAX as usize) {
        (false, _) => None,
        (true, true) => Some(Nearest::U32(along_x.sites(stream, &squared, &places, &ys)?)),
        (true, false) => Some(Nearest::U64(along_x.sites(stream, &squared, &places, &ys)?)),
    };
    Ok((distances, nearest))
}

/// The last axis.
struct Along<C> {
    launch: Launch,
    axis: Axis<C>,
    grid: Grid,
}

impl<C: Cost + Element> Along<C> {
    fn sites<P: Place + Element, I: Count + Element>(
        &self,
        stream: &Stream,
        squared: &Buffer<C>,
        places: &Buffer<P>,
        ys: &Buffer<u32>,
    ) -> Result<Buffer<I>, DeviceError> {
        let mut nearest = stream.alloc::<I>(squared.len())?;
        // SAFETY: there is an element for each voxel, and room for a tile.
        unsafe {
            let args = (
                squared.view(),
                places.view(),
                ys.view(),
                self.grid,
                self.axis,
                nearest.view_mut(),
            );
            stream.launch::<sites_along_x<P, C, I>>(self.launch, args)?;
        }
        Ok(nearest)
    }
}

/// A launch whose blocks take tiles, with room for one.
fn tile_launch<C>(shape: Shape, tiles: u64) -> Launch {
    let bytes = shape.costs() * size_of::<C>() + shape.bests() * size_of::<u32>();
    Launch::pieces(tiles)
        .threads_of_use(shape.groups() * COLUMNS)
        .dynamic_shared_bytes(bytes as u32)
        .dynamic_shared_bytes_per_thread(size_of::<u32>() as u32)
}
