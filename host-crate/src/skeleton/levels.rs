//! Where the curves of levels 1 and 2 begin.

use super::{
    Classes, SkeletonError, SkeletonParams, components,
    field::{ForceField, Targets},
};
use crate::{
    device::Stream,
    device_volume::{rows, rows_launch},
    distance::{SiteMask, SitePoints},
};
use ferrovox_kernels::{
    rows::Rows,
    skeleton::{curvature::solid_in_ball, divergence::divergence_of_direction},
};
use nalgebra::Point3;

/// The voxels from which curves of level 1 begin: of each cluster of voxels whose divergence is low the one where it is lowest. Lowest first.
pub fn converging(
    stream: &Stream,
    field: &ForceField,
    params: &SkeletonParams,
) -> Result<Vec<Point3<f64>>, SkeletonError> {
    let mask = &field.mask;
    let rows = rows_of(stream, mask);
    let count = field.forces.len() / 4;
    let mut divergences = stream.alloc::<f32>(count)?;
    // SAFETY: the words are those of the grid, and there are four numbers for each voxel of the mask, and one for its divergence.
    unsafe {
        let args = (
            mask.bits.view(),
            field.before.view(),
            field.forces.view(),
            mask.layout(),
            rows,
            divergences.view_mut(),
        );
        stream.launch::<divergence_of_direction>(rows_launch(rows), args)?;
    }
    let divergences = stream.download(&divergences)?;
    let finite = divergences.iter().copied().filter(|d| d.is_finite());
    let least = finite.clone().fold(f32::INFINITY, f32::min);
    let most = finite.fold(f32::NEG_INFINITY, f32::max);
    let limit = least + params.divergence as f32 * (most - least);
    // where all are the same there is nothing to choose
    if least >= most {
        return Ok(Vec::new());
    }
    let places = SitePoints::from_sites(stream, mask)?.download(stream)?;
    lowest_of_clusters(stream, mask, &places, &divergences, |d| d <= limit)
}

/// The voxels from which curves of level 2 begin: of the boundary voxels with the fewest voxels of the solid around, a fraction of all, of each cluster the
/// one with the fewest. Fewest first.
pub fn curved(
    stream: &Stream,
    solid: &SiteMask,
    classes: &Classes,
    params: &SkeletonParams,
) -> Result<Vec<Point3<f64>>, SkeletonError> {
    let boundary = &classes.boundary;
    let targets = Targets::of(stream, boundary)?;
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
        stream.launch::<solid_in_ball>(rows_launch(rows), args)?;
    }
    let counts = stream.download(&counts)?;
    let wanted = (params.curvature * counts.len() as f64) as usize;
    let mut sorted = counts.clone();
    sorted.sort_unstable();
    let Some(&limit) = wanted.checked_sub(1).and_then(|last| sorted.get(last)) else {
        return Ok(Vec::new());
    };
    let counts: Vec<f32> = counts.into_iter().map(|count| count as f32).collect();
    let places = SitePoints::from_sites(stream, boundary)?.download(stream)?;
    lowest_of_clusters(stream, boundary, &places, &counts, |count| {
        count <= limit as f32
    })
}

fn rows_of(stream: &Stream, mask: &SiteMask) -> Rows {
    let grid = mask.grid;
    rows(stream, [grid.nx, grid.ny, grid.nz], 1)
}

/// Of each cluster of chosen voxels, which touch at least at a corner, the one with the lowest value. Lowest first; of equal ones the first voxel.
fn lowest_of_clusters(
    stream: &Stream,
    mask: &SiteMask,
    places: &[[f32; 3]],
    values: &[f32],
    is_chosen: impl Fn(f32) -> bool,
) -> Result<Vec<Point3<f64>>, SkeletonError> {
    let [nx, ny, _] = mask.dims();
    let index = |at: &[f32; 3]| {
        let [x, y, z] = at.map(|a| a as u64);
        (z * ny as u64 + y) * nx as u64 + x
    };
    let chosen = places
        .iter()
        .zip(values)
        .filter(|(_, value)| is_chosen(**value));
    let indices: Vec<u64> = chosen.clone().map(|(at, _)| index(at)).collect();
    let clusters = SiteMask::from_indices(stream, &indices, mask.dims(), mask.geometry)?;
    let clusters = components(stream, &clusters)?;
    let mut lowest: Vec<Option<(f32, [f32; 3])>> = vec![None; clusters.count()];
    for (&at, &value) in chosen {
        let label = clusters.label(at.map(|a| a as usize));
        let best = &mut lowest[label.expect("a chosen voxel is in a cluster") as usize];
        if best.is_none_or(|(least, _)| value < least) {
            *best = Some((value, at));
        }
    }
    let mut lowest: Vec<_> = lowest.into_iter().flatten().collect();
    lowest.sort_by(|a, b| a.0.total_cmp(&b.0));
    let point = |(_, at): (f32, [f32; 3])| Point3::from(at.map(f64::from));
    Ok(lowest.into_iter().map(point).collect())
}
