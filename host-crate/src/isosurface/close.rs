//! Closing the surface at the boundary of the volume.

use super::{Inside, IsosurfaceError, IsosurfaceParams};
use crate::{
    device::{Buffer, DeviceError, Stream, rows, rows_launch},
    grid::{DeviceSample, DeviceVolume, kernel_grid},
};
use ferrovox_kernels::{
    grid::Grid,
    isosurface::{interpolate::FAR, pad_mask as pad_mask_kernel, pad_samples, padded::PaddedGrid},
};

/// Returns the value of the samples around the volume: so far outside of the solid that the surface
/// closes within [`MARGIN`](ferrovox_kernels::isosurface::interpolate::MARGIN) of the boundary, and
/// far from overflow.
fn outside(params: &IsosurfaceParams) -> f32 {
    let far = if params.iso.abs() < FAR {
        FAR
    } else {
        f32::MAX
    };
    match params.inside {
        Inside::Above => -far,
        Inside::Below => far,
    }
}

/// Returns the grid with a virtual border of one sample on every side.
pub(super) fn padded_grid(
    grid: Grid,
    params: &IsosurfaceParams,
) -> Result<PaddedGrid, DeviceError> {
    Ok(PaddedGrid {
        grid: padded(grid)?.1,
        stored: grid,
        offset: [1; 3],
        outside: outside(params),
    })
}

/// Returns a copy of the volume in `f32` with a border of one outside sample on every side.
pub(super) fn pad<T: DeviceSample>(
    stream: &Stream,
    volume: &DeviceVolume<T>,
    params: &IsosurfaceParams,
) -> Result<DeviceVolume<f32>, IsosurfaceError> {
    let outside = outside(params);
    let (dims, grid) = padded(volume.grid())?;
    let mut samples = stream.alloc::<f32>(grid.samples() as usize)?;
    let sample_rows = rows(stream, [grid.nx, grid.ny, grid.nz], 1);
    // SAFETY: the volume has one element per sample of its grid, and `samples` one per item of
    // `sample_rows`.
    unsafe {
        let args = (
            volume.samples().view(),
            volume.grid(),
            sample_rows,
            outside,
            samples.view_mut(),
        );
        stream.launch::<pad_samples<T>>(rows_launch(sample_rows), args)?;
    }
    let geometry = volume.geometry().shifted([-1; 3]);
    Ok(DeviceVolume::from_buffer(samples, dims, geometry)?)
}

/// Returns a copy of the mask, if there is one, with a border that replicates its nearest element.
pub(super) fn pad_mask(
    stream: &Stream,
    mask: &Buffer<u8>,
    grid: Grid,
) -> Result<Buffer<u8>, IsosurfaceError> {
    if mask.is_empty() {
        return Ok(stream.alloc(0)?);
    }
    let (_, padded_grid) = padded(grid)?;
    let mut out = stream.alloc::<u8>(padded_grid.samples() as usize)?;
    let sample_rows = rows(stream, [padded_grid.nx, padded_grid.ny, padded_grid.nz], 1);
    // SAFETY: the mask has one element per sample of the grid, and `out` one per item of
    // `sample_rows`.
    unsafe {
        let args = (mask.view(), grid, sample_rows, out.view_mut());
        stream.launch::<pad_mask_kernel>(rows_launch(sample_rows), args)?;
    }
    Ok(out)
}

fn padded(grid: Grid) -> Result<([usize; 3], Grid), DeviceError> {
    let dims = [grid.nx, grid.ny, grid.nz].map(|n| if n == 0 { 0 } else { n as usize + 2 });
    Ok((dims, kernel_grid(dims)?))
}
