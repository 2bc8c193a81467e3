//! Seed voxels of the divergence and curvature levels of the hierarchy.

use super::{
    Params, VoxelClasses,
    clusters::Candidate,
    field::{ForceField, Targets},
};
use crate::{
    device::{Stream, rows, rows_launch},
    grid::{DeviceMask, DevicePoints},
    memory::{CollectOrUnwind, copy_or_unwind},
    skeleton::SkeletonError,
};
use ferrovox_kernels::{
    rows::Rows,
    skeleton::{curvature::count_solid_in_ball, divergence::direction_divergence},
};

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

/// Maximum number of solid voxels in the ball of 257 voxels around a convex boundary voxel: ten per
/// cent fewer than the 197 voxels below a plane, which are 0.77 of a ball of radius 4 whose centre
/// is 1.5 voxels below the plane. The steps of a voxelised surface add or remove a few.
const MAX_CONVEX_COUNT: u32 = 177;

/// Selects the boundary voxels with the fewest solid voxels in the surrounding ball: a fraction of
/// all, limited to clearly convex parts of the surface.
pub fn high_curvature_voxels(
    stream: &Stream,
    solid: &DeviceMask,
    classes: &VoxelClasses,
    params: &Params,
) -> Result<Vec<Candidate>, SkeletonError> {
    let boundary = &classes.boundary;
    let targets = Targets::new(stream, boundary)?;
    let rows = mask_rows(stream, boundary);
    let mut counts = stream.alloc::<u32>(targets.count as usize)?;
    // SAFETY: the words are those of the grid, and there is one count per mask voxel.
    unsafe {
        let args = (
            solid.bits.view(),
            boundary.bits.view(),
            targets.before.view(),
            boundary.layout(),
            rows,
            counts.view_mut(),
        );
        stream.launch::<count_solid_in_ball>(rows_launch(rows), args)?;
    }
    let counts = stream.download(&counts)?;
    let target_count = (params.curvature * counts.len() as f64) as usize;
    let mut sorted = copy_or_unwind(&counts);
    sorted.sort_unstable();
    let Some(&limit) = target_count
        .checked_sub(1)
        .and_then(|last| sorted.get(last))
    else {
        return Ok(Vec::new());
    };
    let counts: Vec<f32> = counts
        .into_iter()
        .map(|count| count as f32)
        .collect_or_unwind();
    let positions = DevicePoints::from_mask(stream, boundary)?.download(stream)?;
    let max = limit.min(MAX_CONVEX_COUNT) as f32;
    Ok(candidates(&positions, &counts, |count| count <= max))
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
