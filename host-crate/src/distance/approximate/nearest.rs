//! Vector propagation of nearest-site indices.

use super::super::{DistanceParams, NearestIndices};
use crate::device::{Buffer, DeviceError, Element, Stream, rows, rows_launch};
use crate::{device::items_launch, grid::DeviceMask};
use ferrovox_kernels::{
    distance::approximate::{PlanePair, measure_nearest, seed_nearest, spread_nearest},
    grid::{X, Y, Z},
    sample::Count,
};

/// Computes distances and, if requested, the sites to which they are measured.
pub(super) fn propagate_vectors(
    stream: &Stream,
    sites: &DeviceMask,
    params: &DistanceParams,
) -> Result<(Buffer<f32>, Option<NearestIndices>), DeviceError> {
    if sites.grid.samples() < u64::from(u32::MAX) {
        let (distances, nearest) = propagate_indices::<u32>(stream, sites, params)?;
        Ok((
            distances,
            params.nearest.then_some(NearestIndices::U32(nearest)),
        ))
    } else {
        let (distances, nearest) = propagate_indices::<u64>(stream, sites, params)?;
        Ok((
            distances,
            params.nearest.then_some(NearestIndices::U64(nearest)),
        ))
    }
}

fn propagate_indices<I: Count + Element>(
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
    while run_pass(stream, sites, spacing, &mut nearest)? {}
    let mut distances = stream.alloc::<f32>(nearest.len())?;
    let max_distance = params.max_distance.unwrap_or(f64::INFINITY);
    // SAFETY: the indices are those of the grid, and there is one distance per voxel.
    unsafe {
        let args = (
            grid,
            spacing,
            max_distance,
            rows,
            nearest.view_mut(),
            distances.view_mut(),
        );
        stream.launch::<measure_nearest<I>>(rows_launch(rows), args)?;
    }
    Ok((distances, nearest))
}

/// Propagates sites along each axis in both directions. Returns `true` if any index changed.
fn run_pass<I: Count + Element>(
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
        let (launch, items) = items_launch(stream, voxels);
        for ascending in [true, false] {
            for step in 1..count {
                let (from, to) = if ascending {
                    (step - 1, step)
                } else {
                    (count - step, count - step - 1)
                };
                let planes = PlanePair { axis, from, to };
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
