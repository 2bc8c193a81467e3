//! Grid cells that may contain a critical point.

use crate::{
    device::{Stream, items_launch},
    grid::{DeviceMask, DevicePoints},
    skeleton::{SkeletonError, potential_field::field::ForceField},
};
use ferrovox_kernels::skeleton::critical::mark_critical_cells;

/// Returns the first corners of the cells with a force at all eight corners of which no component
/// has the same sign throughout. Synchronises the stream.
pub fn candidate_cells(
    stream: &Stream,
    field: &ForceField,
) -> Result<Vec<[f32; 3]>, SkeletonError> {
    let mask = &field.mask;
    let bits = mask.layout();
    let mut words = stream.alloc::<u32>(mask.bits.len())?;
    let (launch, items) = items_launch(stream, bits.words());
    // SAFETY: there is one word of cells per word of the mask, one word per item, and four floats
    // per voxel with a force.
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
    Ok(DevicePoints::from_mask(stream, &cells)?.download(stream)?)
}
