//! City-block (Manhattan) and chessboard (Chebyshev) distances, computed one axis at a time.

use super::super::DistanceParams;
use crate::device::{Buffer, DeviceError, Stream, rows, rows_launch};
use crate::{device::items_launch, grid::DeviceMask};
use ferrovox_kernels::{
    distance::approximate::{measure_rows, spread_chessboard, spread_city_block},
    grid::{Y, Z},
    rows::Rows,
};

fn mask_rows(stream: &Stream, sites: &DeviceMask) -> Rows {
    let grid = sites.grid;
    rows(stream, [grid.nx, grid.ny, grid.nz], 1)
}

/// Computes the distances along x, truncated at the maximum distance. The other axes only decrease
/// them, so the result is truncated too.
fn row_distances(
    stream: &Stream,
    sites: &DeviceMask,
    params: &DistanceParams,
) -> Result<Buffer<f32>, DeviceError> {
    let mut distances = stream.alloc::<f32>(sites.grid.samples() as usize)?;
    let rows = mask_rows(stream, sites);
    let spacing = sites.geometry.spacing().x;
    let max_distance = params.max_distance.unwrap_or(f64::INFINITY) as f32;
    // SAFETY: the words and the distances are those of the grid.
    unsafe {
        let args = (
            sites.bits.view(),
            sites.layout(),
            rows,
            spacing,
            max_distance,
            distances.view_mut(),
        );
        stream.launch::<measure_rows>(rows_launch(rows), args)?;
    }
    Ok(distances)
}

/// Computes the sums of the distances along the axes.
pub(super) fn city_block_distances(
    stream: &Stream,
    sites: &DeviceMask,
    params: &DistanceParams,
) -> Result<Buffer<f32>, DeviceError> {
    let mut distances = row_distances(stream, sites, params)?;
    let grid = sites.grid;
    let spacing = sites.geometry.spacing();
    let axes = [
        (Y, u64::from(grid.nx) * u64::from(grid.nz), spacing.y),
        (Z, u64::from(grid.nx) * u64::from(grid.ny), spacing.z),
    ];
    for (axis, lines, spacing) in axes {
        let (launch, items) = items_launch(stream, lines);
        // SAFETY: the distances are those of the grid, and the items count the scanlines.
        unsafe {
            let args = (grid, axis, items, spacing, distances.view_mut());
            stream.launch::<spread_city_block>(launch, args)?;
        }
    }
    Ok(distances)
}

/// Computes the maxima of the distances along the axes.
pub(super) fn chessboard_distances(
    stream: &Stream,
    sites: &DeviceMask,
    params: &DistanceParams,
) -> Result<Buffer<f32>, DeviceError> {
    let mut distances = row_distances(stream, sites, params)?;
    let mut target = stream.alloc::<f32>(distances.len())?;
    let grid = sites.grid;
    let spacing = sites.geometry.spacing();
    let rows = mask_rows(stream, sites);
    for (axis, spacing) in [(Y, spacing.y), (Z, spacing.z)] {
        // SAFETY: both buffers have the voxels of the grid.
        unsafe {
            let args = (
                distances.view(),
                grid,
                axis,
                rows,
                spacing,
                target.view_mut(),
            );
            stream.launch::<spread_chessboard>(rows_launch(rows), args)?;
        }
        std::mem::swap(&mut distances, &mut target);
    }
    Ok(distances)
}
