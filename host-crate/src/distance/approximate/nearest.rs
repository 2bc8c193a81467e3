//! The nearest of the sites that neighbours have found.

use super::super::{DistanceParams, Nearest};
use crate::device::{Buffer, DeviceError, Element, Stream, rows, rows_launch};
use crate::{device::over, grid::DeviceMask};
use ferrovox_kernels::{
    distance::approximate::{Planes, measure_nearest, seed_nearest, spread_nearest},
    grid::{X, Y, Z},
    sample::Count,
};

/// Distances, and the sites they are measured to if asked for.
pub(super) fn center_point(
    stream: &Stream,
    sites: &DeviceMask,
    params: &DistanceParams,
) -> Result<(Buffer<f32>, Option<Nearest>), DeviceError> {
    if sites.grid.samples() < u64::from(u32::MAX) {
        let (distances, nearest) = indexed::<u32>(stream, sites, params)?;
        Ok((distances, params.nearest.then_some(Nearest::U32(nearest))))
    } else {
        let (distances, nearest) = indexed::<u64>(stream, sites, params)?;
        Ok((distances, params.nearest.then_some(Nearest::U64(nearest))))
    }
}

fn indexed<I: Count + Element>(
    stream: &Stream,
    sites: &DeviceMask,
    params: &DistanceParams,
) -> Result<(Buffer<f32>, Buffer<I>), DeviceError> {
    let grid = sites.grid;
    let rows = rows(stream, [grid.nx, grid.ny, grid.nz], 1);
    let spacing: [f64; 3] = sites.geometry.spacing().into();
    let mut nearest = stream.alloc::<I>(grid.samples() as usize)?;
    // SAFETY: the words and the indices are those of the grid.
    unsafe {
        let args = (sites.bits.view(), sites.layout(), rows, nearest.view_mut());
        stream.launch::<seed_nearest<I>>(rows_launch(rows), args)?;
    }
    while round(stream, sites, spacing, &mut nearest)? {}
    let mut distances = stream.alloc::<f32>(nearest.len())?;
    let bound = params.max_distance.unwrap_or(f64::INFINITY);
    // SAFETY: as above, and there is a distance for each voxel.
    unsafe {
        let args = (
            grid,
            spacing,
            bound,
            rows,
            nearest.view_mut(),
            distances.view_mut(),
        );
        stream.launch::<measure_nearest<I>>(rows_launch(rows), args)?;
    }
    Ok((distances, nearest))
}

/// Hands sites on along each axis, up and down; whether that changed anything.
fn round<I: Count + Element>(
    stream: &Stream,
    sites: &DeviceMask,
    spacing: [f64; 3],
    nearest: &mut Buffer<I>,
) -> Result<bool, DeviceError> {
    let grid = sites.grid;
    let [nx, ny, nz] = [grid.nx, grid.ny, grid.nz].map(u64::from);
    let mut changed = stream.zeros::<u32>(1)?;
    let axes = [
        (Z, grid.nz, nx * ny),
        (Y, grid.ny, nx * nz),
        (X, grid.nx, ny * nz),
    ];
    for (axis, count, voxels) in axes {
        let (launch, items) = over(stream, voxels);
        for up in [true, false] {
            for step in 1..count {
                let (from, to) = if up {
                    (step - 1, step)
                } else {
                    (count - step, count - step - 1)
                };
                let planes = Planes { axis, from, to };
                let (nearest, changed) = (nearest.view_mut(), changed.view_mut());
                // SAFETY: the indices are those of the grid, and the items count the voxels of a
                // plane.
                unsafe {
                    let args = (grid, spacing, planes, items, nearest, changed);
                    stream.launch::<spread_nearest<I>>(launch, args)?;
                }
            }
        }
    }
    Ok(stream.download(&changed)?[0] != 0)
}
