//! Filling of cavities, and unions of masks.

use super::SkeletonError;
use crate::{
    device::{Buffer, Stream, items_launch},
    grid::DeviceMask,
};
use ferrovox_kernels::skeleton::classes::union_masks;

/// Returns `solid` with its cavities filled.
///
/// A cavity is a set of background voxels that no path of face neighbours through the background
/// joins to the outside. Everything beyond the grid is outside, so background voxels at the grid's
/// border are never part of a cavity.
///
/// Takes the time and memory of [`DeviceMask::enclosed_by`].
///
/// # Errors
/// Errors of the device.
pub fn fill_cavities(stream: &Stream, solid: &DeviceMask) -> Result<DeviceMask, SkeletonError> {
    // `enclosed_by` treats a grid of one plane as an image; here all of its voxels are at the
    // border
    let is_flat = solid.dims().contains(&1);
    let cavities = if is_flat {
        None
    } else {
        Some(DeviceMask::enclosed_by(stream, solid)?)
    };
    union(stream, solid, cavities.as_ref().unwrap_or(solid))
}

/// Returns the union of two masks of the same grid.
pub(super) fn union(
    stream: &Stream,
    a: &DeviceMask,
    b: &DeviceMask,
) -> Result<DeviceMask, SkeletonError> {
    let mut both = stream.alloc::<u32>(a.bits.len())?;
    let (launch, items) = items_launch(stream, a.layout().words());
    // SAFETY: all three have the words of the grid, which the items count.
    unsafe {
        let args = (a.bits.view(), b.bits.view(), items, both.view_mut());
        stream.launch::<union_masks>(launch, args)?;
    }
    Ok(with_bits(a, both))
}

/// Returns a mask of the same grid as `mask` with other bits.
pub(super) fn with_bits(mask: &DeviceMask, bits: Buffer<u32>) -> DeviceMask {
    DeviceMask {
        bits,
        grid: mask.grid,
        geometry: mask.geometry,
    }
}
