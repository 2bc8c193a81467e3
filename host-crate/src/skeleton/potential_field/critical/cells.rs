//! Cells in which a critical point may be.

use crate::{
    device::{Stream, over},
    grid::{DeviceMask, DevicePoints},
    skeleton::{SkeletonError, potential_field::field::ForceField},
};
use ferrovox_kernels::skeleton::critical::mark_critical_cells;

/// The cells at all of whose corners there is a force, of which no component has the same sign at
/// all: by their first corners. Synchronises the stream.
pub fn candidates(stream: &Stream, field: &ForceField) -> Result<Vec<[f32; 3]>, SkeletonError> {
    let mask = &field.mask;
    let bits = mask.layout();
    let mut words = stream.alloc::<u32>(mask.bits.len())?;
    let (launch, items) = over(stream, bits.words());
    // SAFETY: there is a word of cells for each word of the mask, which the items count, and four
    // numbers for each voxel with a force.
    unsafe {
        let args = (
            mask.bits.view(),
            field.before.view(),
            field.forces.view(),
            bits,
            items,
            words.view_mut(),
        );
        stream.launch::<mark_critical_cells>(launch, args)?;
    }
    let cells = DeviceMask {
        bits: words,
        grid: mask.grid,
        geometry: mask.geometry,
    };
    Ok(DevicePoints::from_sites(stream, &cells)?.download(stream)?)
}
