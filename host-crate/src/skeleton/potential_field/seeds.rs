//! Seed voxels of the divergence level of the hierarchy.

use super::{Params, clusters::Candidate, field::ForceField};
use crate::{
    device::{Stream, rows, rows_launch},
    grid::{DeviceMask, DevicePoints},
    memory::CollectOrUnwind,
    skeleton::SkeletonError,
};
use ferrovox_kernels::{rows::Rows, skeleton::divergence::direction_divergence};

/// Divergence of a direction field that converges on a line: four of the six neighbours point at
/// the voxel, and the other two along the line.
const LINE_DIVERGENCE: f32 = -2.0;

/// Selects the voxels where the divergence of the force's direction is low: at most its minimum
/// plus a fraction of its range.
///
/// The minimum is limited to [`LINE_DIVERGENCE`]: lower values occur where a critical point happens
/// to lie on or next to a voxel, and would shift the range.
pub fn low_divergence_voxels(
    stream: &Stream,
    field: &ForceField,
    params: &Params,
) -> Result<Vec<Candidate>, SkeletonError> {
    let mask = &field.mask;
    let rows = mask_rows(stream, mask);
    let count = field.forces.len() / 4;
    let mut divergences = stream.alloc::<f32>(count)?;
    // SAFETY: the words are those of the grid; there are four floats per mask voxel, and one
    // divergence.
    unsafe {
        let args = (
            mask.bits.view(),
            field.before.view(),
            field.forces.view(),
            mask.layout(),
            rows,
            divergences.view_mut(),
        );
        stream.launch::<direction_divergence>(rows_launch(rows), args)?;
    }
    let divergences = stream.download(&divergences)?;
    let finite = divergences.iter().copied().filter(|d| d.is_finite());
    let min = finite.clone().fold(f32::INFINITY, f32::min);
    let max = finite.fold(f32::NEG_INFINITY, f32::max);
    let lower = min.max(LINE_DIVERGENCE);
    let limit = lower + params.divergence as f32 * (max - lower);
    // a constant divergence singles out no voxel
    if min >= max {
        return Ok(Vec::new());
    }
    let positions = DevicePoints::from_mask(stream, mask)?.download(stream)?;
    Ok(candidates(&positions, &divergences, |d| d <= limit))
}

fn mask_rows(stream: &Stream, mask: &DeviceMask) -> Rows {
    let grid = mask.grid;
    rows(stream, [grid.nx, grid.ny, grid.nz], 1)
}

/// Returns the voxels whose values pass a test.
fn candidates(
    positions: &[[f32; 3]],
    values: &[f32],
    is_candidate: impl Fn(f32) -> bool,
) -> Vec<Candidate> {
    let all = positions.iter().zip(values);
    let selected = all.filter(|(_, value)| is_candidate(**value));
    selected
        .map(|(at, &value)| Candidate {
            voxel: at.map(|a| a as i64),
            value,
        })
        .collect_or_unwind()
}
