//! Signs of distances.

use super::{DistanceError, DistanceMap};
use crate::{
    device::{Stream, rows, rows_launch},
    grid::DeviceMask,
};
use ferrovox_kernels::distance::sites::negate_inside;

/// Negates the distances of the voxels in `inside`. Distances of 0 are unchanged.
///
/// ```
/// use ferrovox::device::Stream;
/// use ferrovox::distance::{self, DistanceError, DistanceParams, Sites};
/// use ferrovox::grid::DeviceMask;
///
/// # fn signed(stream: &Stream, surface: &DeviceMask) -> Result<(), DistanceError> {
/// let mut map = distance::transform(stream, Sites::Voxels(surface), &DistanceParams::default())?;
/// distance::apply_sign(stream, &mut map, &DeviceMask::enclosed_by(stream, surface)?)?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`DistanceError::GridMismatch`] if map and mask have different dimensions; errors of the device.
pub fn apply_sign(
    stream: &Stream,
    map: &mut DistanceMap,
    inside: &DeviceMask,
) -> Result<(), DistanceError> {
    if map.dims != inside.dims() {
        return Err(DistanceError::GridMismatch {
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
        stream.launch::<negate_inside>(rows_launch(rows), args)?;
    }
    Ok(())
}
