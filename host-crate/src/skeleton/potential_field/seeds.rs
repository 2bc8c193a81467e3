//! The voxels among which the curves of levels 1 and 2 begin.

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

/// The divergence where the directions of four of six neighbours point at a voxel, and those of the
/// others along a line through it.
const TO_A_LINE: f32 = -2.0;

/// The voxels where the divergence of the force's direction is low: at most its least value and a
/// fraction of its range.
///
/// What is below that of a line counts as that: there a critical point lies on or beside a voxel,
/// which is as it happens, and would move the range.
pub fn converging(
    stream: &Stream,
    field: &ForceField,
    params: &Params,
) -> Result<Vec<Candidate>, SkeletonError> {
    let mask = &field.mask;
    let rows = rows_of(stream, mask);
    let count = field.forces.len() / 4;
    let mut divergences = stream.alloc::<f32>(count)?;
    // SAFETY: the words are those of the grid, and there are four numbers for each voxel of the
    // mask, and one for its divergence.
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
    let least = finite.clone().fold(f32::INFINITY, f32::min);
    let most = finite.fold(f32::NEG_INFINITY, f32::max);
    let lower = least.max(TO_A_LINE);
    let limit = lower + params.divergence as f32 * (most - lower);
    // where all are the same there is nothing to choose
    if least >= most {
        return Ok(Vec::new());
    }
    let places = DevicePoints::from_sites(stream, mask)?.download(stream)?;
    Ok(candidates(&places, &divergences, |d| d <= limit))
}

/// So many of the 257 voxels of the ball around a boundary voxel are in the solid where the surface
/// is curved outwards: a tenth fewer than the 197 below a plane. Those are 0.77 of a ball of radius
/// 4 whose centre is 1.5 voxels below it; the steps of a surface of voxels make a few more or less.
const CURVED: u32 = 177;

/// The boundary voxels with the fewest voxels of the solid around: a fraction of all, but none
/// where the surface is not clearly curved outwards.
pub fn curved(
    stream: &Stream,
    solid: &DeviceMask,
    classes: &VoxelClasses,
    params: &Params,
) -> Result<Vec<Candidate>, SkeletonError> {
    let boundary = &classes.boundary;
    let targets = Targets::new(stream, boundary)?;
    let rows = rows_of(stream, boundary);
    let mut counts = stream.alloc::<u32>(targets.count as usize)?;
    // SAFETY: the words are those of the grid, and there is a count for each voxel of the mask.
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
    let wanted = (params.curvature * counts.len() as f64) as usize;
    let mut sorted = copy_or_unwind(&counts);
    sorted.sort_unstable();
    let Some(&limit) = wanted.checked_sub(1).and_then(|last| sorted.get(last)) else {
        return Ok(Vec::new());
    };
    let counts: Vec<f32> = counts
        .into_iter()
        .map(|count| count as f32)
        .collect_or_unwind();
    let places = DevicePoints::from_sites(stream, boundary)?.download(stream)?;
    let most = limit.min(CURVED) as f32;
    Ok(candidates(&places, &counts, |count| count <= most))
}

fn rows_of(stream: &Stream, mask: &DeviceMask) -> Rows {
    let grid = mask.grid;
    rows(stream, [grid.nx, grid.ny, grid.nz], 1)
}

/// The voxels whose values pass a test.
fn candidates(
    places: &[[f32; 3]],
    values: &[f32],
    is_candidate: impl Fn(f32) -> bool,
) -> Vec<Candidate> {
    let all = places.iter().zip(values);
    let chosen = all.filter(|(_, value)| is_candidate(**value));
    chosen
        .map(|(at, &value)| Candidate {
            voxel: at.map(|a| a as i64),
            value,
        })
        .collect_or_unwind()
}
