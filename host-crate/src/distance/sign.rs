//! Distances with a sign.

use super::{DistanceError, DistanceMap};
use crate::{
    device::{Stream, rows, rows_launch},
    grid::DeviceMask,
};
use ferrovox_kernels::distance::sites::negate_within;

/// Makes the distances of the voxels in `inside` negative. Distances of 0 stay 0.
///
/// ```
/// use ferrovox::{device::Device, distance::{self, DistanceParams, Sites}, grid::{DeviceMask, Geometry}};
///
/// # fn signed(stream: &ferrovox::device::Stream, surface: &DeviceMask) -> Result<(), distance::DistanceError> {
/// let mut map = distance::map(stream, Sites::Voxels(surface), &DistanceParams::default())?;
/// distance::apply_sign(stream, &mut map, &DeviceMask::enclosed_by(stream, surface)?)?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`DistanceError::Dims`] if the two have not as many voxels along each axis; errors of the
/// device.
pub fn apply_sign(
    stream: &Stream,
    map: &mut DistanceMap,
    inside: &DeviceMask,
) -> Result<(), DistanceError> {
    if map.dims != inside.dims() {
        return Err(DistanceError::Dims {
            map: map.dims,
            mask: inside.dims(),
        });
    }
    let grid = inside.grid;
    let rows = rows(stream, [grid.nx, grid.ny, grid.nz], 1);
    let distances = map.distances.view_mut();
    // SAFETY: both have the voxels of the grid.
    unsafe {
        let args = (inside.bits.view(), inside.layout(), rows, distances);
        stream.launch::<negate_within>(rows_launch(rows), args)?;
    }
    Ok(())
}
