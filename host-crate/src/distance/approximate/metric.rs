//! Distances in other metrics: one axis after the other.

use super::super::DistanceParams;
use crate::device::{Buffer, DeviceError, Stream, rows, rows_launch};
use crate::{device::over, grid::DeviceMask};
use ferrovox_kernels::{
    distance::approximate::{measure_rows, spread_chessboard, spread_city_block},
    grid::{Y, Z},
    rows::Rows,
};

fn rows_of(stream: &Stream, sites: &DeviceMask) -> Rows {
    let grid = sites.grid;
    rows(stream, [grid.nx, grid.ny, grid.nz], 1)
}

/// Along x. The bound bounds what the other axes make of it too, since they only lessen it.
fn along_rows(
    stream: &Stream,
    sites: &DeviceMask,
    params: &DistanceParams,
) -> Result<Buffer<f32>, DeviceError> {
    let mut distances = stream.alloc::<f32>(sites.grid.samples() as usize)?;
    let rows = rows_of(stream, sites);
    let spacing = sites.geometry.spacing().x;
    let bound = params.max_distance.unwrap_or(f64::INFINITY) as f32;
    // SAFETY: the words and the distances are those of the grid.
    unsafe {
        let args = (
            sites.bits.view(),
            sites.layout(),
            rows,
            spacing,
            bound,
            distances.view_mut(),
        );
        stream.launch::<measure_rows>(rows_launch(rows), args)?;
    }
    Ok(distances)
}

/// The sum of the distances along the axes.
pub(super) fn city_block(
    stream: &Stream,
    sites: &DeviceMask,
    params: &DistanceParams,
) -> Result<Buffer<f32>, DeviceError> {
    let mut distances = along_rows(stream, sites, params)?;
    let grid = sites.grid;
    let spacing = sites.geometry.spacing();
    let axes = [
        (Y, u64::from(grid.nx) * u64::from(grid.nz), spacing.y),
        (Z, u64::from(grid.nx) * u64::from(grid.ny), spacing.z),
    ];
    for (axis, lines, spacing) in axes {
        let (launch, items) = over(stream, lines);
        // SAFETY: the distances are those of the grid, and the items count the lines.
        unsafe {
            let args = (grid, axis, items, spacing, distances.view_mut());
            stream.launch::<spread_city_block>(launch, args)?;
        }
    }
    Ok(distances)
}

/// The largest of the distances along the axes.
pub(super) fn chessboard(
    stream: &Stream,
    sites: &DeviceMask,
    params: &DistanceParams,
) -> Result<Buffer<f32>, DeviceError> {
    let mut distances = along_rows(stream, sites, params)?;
    let mut other = stream.alloc::<f32>(distances.len())?;
    let grid = sites.grid;
    let spacing = sites.geometry.spacing();
    let rows = rows_of(stream, sites);
    for (axis, spacing) in [(Y, spacing.y), (Z, spacing.z)] {
        // SAFETY: both are those of the grid.
        unsafe {
            let args = (
                distances.view(),
                grid,
                axis,
                rows,
                spacing,
                other.view_mut(),
            );
            stream.launch::<spread_chessboard>(rows_launch(rows), args)?;
        }
        std::mem::swap(&mut distances, &mut other);
    }
    Ok(distances)
}
