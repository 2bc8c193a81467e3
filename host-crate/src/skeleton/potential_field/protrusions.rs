//! Seeds of the curvature level of the hierarchy: voxels that protrude from the skeleton.
//!
//! A convex part of the surface that the skeleton does not reach is a local maximum, over the
//! boundary voxels, of the distance from the skeleton of the same component. The *prominence* of a
//! maximum is the height above the highest pass to a greater one; the steps of a voxelised surface
//! and of the skeleton cause maxima of low prominence only.

use super::{clusters::neighbours, context::Context};
use crate::{
    grid::{DevicePoints, Metric},
    memory::{
        CollectOrUnwind, ExtendOrUnwind, OutOfMemory, collect_into_or_unwind, filled_or_unwind,
        stable_sort_or_unwind, with_capacity_or_unwind, zeroed_or_unwind,
    },
    mesh::{Corners, TriangleTree},
    skeleton::{Skeleton, SkeletonError},
    union_find::UnionFind,
};
use nalgebra::Point3;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};
use std::collections::HashMap;

/// Minimum prominence of a seed, in units of the smallest spacing. The steps of a surface are at
/// most √3 voxels high. Two corners count as one if the middle of their edge is less than this
/// nearer to the skeleton.
const MIN_PROMINENCE: f64 = 2.0;

/// Boundary voxel at a distance from the skeleton.
#[derive(Clone, Copy)]
struct Elevation {
    voxel: [i64; 3],
    /// Distance in units of the smallest spacing.
    distance: f64,
}

impl Context<'_> {
    /// Returns the boundary voxels that are prominent local maxima of the distance from the
    /// skeleton, in order of decreasing distance.
    ///
    /// Takes time O(n log n) for n boundary voxels.
    ///
    /// # Errors
    /// Errors of the device, and [`SkeletonError`] without memory.
    pub fn protruding_voxels(
        &self,
        skeleton: &Skeleton,
    ) -> Result<Vec<Point3<f64>>, SkeletonError> {
        let (metric, _) = Metric::snapped(&self.solid.geometry);
        let trees = self.skeleton_trees(skeleton, metric)?;
        let boundary = DevicePoints::from_mask(self.stream, &self.classes.boundary)?;
        let boundary = boundary.download(self.stream)?;
        let elevation = |at: &[f32; 3]| {
            let at = at.map(f64::from);
            let component = self.label(at)? as usize;
            let point = Point3::from(metric.to_world(at));
            Some(Elevation {
                voxel: at.map(|a| a as i64),
                distance: trees[component].nearest(point)?.distance,
            })
        };
        let mut found = filled_or_unwind(None, boundary.len());
        boundary
            .par_iter()
            .map(elevation)
            .collect_into_vec(&mut found);
        let mut elevations: Vec<Elevation> = found.into_iter().flatten().collect_or_unwind();
        // the sort is stable, so that equal distances keep the order of the voxels
        stable_sort_or_unwind(&mut elevations, |a, b| b.distance.total_cmp(&a.distance));
        Ok(prominent_maxima(&elevations, MIN_PROMINENCE)?)
    }

    /// Builds the hierarchy of the skeleton's segments for each component of the solid, in units of
    /// the smallest spacing.
    fn skeleton_trees(
        &self,
        skeleton: &Skeleton,
        metric: Metric,
    ) -> Result<Vec<TriangleTree>, SkeletonError> {
        let mut segments: Vec<Vec<Corners>> = filled_or_unwind(Vec::new(), self.components.count());
        let mut add = |[a, b]: [&Point3<f64>; 2]| {
            let component = self.containing_component(a) as usize;
            let [a, b] = [a, b].map(|at| Point3::from(metric.to_world([at.x, at.y, at.z])));
            segments[component].push_or_unwind([a, b, b]);
        };
        for node in &skeleton.nodes {
            add([&node.position; 2]);
        }
        for edge in &skeleton.edges {
            for ends in edge.points.windows(2) {
                add([&ends[0], &ends[1]]);
            }
        }
        let mut trees = with_capacity_or_unwind(segments.len());
        for segments in segments {
            trees.push(TriangleTree::new(segments)?);
        }
        Ok(trees)
    }
}

/// Returns the local maxima of a prominence of at least `min_prominence`; the greatest maximum of
/// each set of connected voxels is one of them. The voxels must be in order of decreasing distance.
fn prominent_maxima(
    elevations: &[Elevation],
    min_prominence: f64,
) -> Result<Vec<Point3<f64>>, OutOfMemory> {
    let indices: HashMap<[i64; 3], usize> =
        collect_into_or_unwind(elevations.iter().map(|one| one.voxel).zip(0..));
    // the smallest index of a set is that of its greatest maximum
    let mut sets: UnionFind = UnionFind::try_new(elevations.len())?;
    let mut prominences = zeroed_or_unwind::<f64>(elevations.len());
    for (index, at) in elevations.iter().enumerate() {
        prominences[index] = f64::INFINITY;
        for &neighbour in neighbours(at.voxel).filter_map(|voxel| indices.get(&voxel)) {
            if neighbour > index {
                continue;
            }
            let ended = sets.root(index).max(sets.root(neighbour));
            if sets.join(index, neighbour) {
                prominences[ended] = elevations[ended].distance - at.distance;
            }
        }
    }
    let prominent = elevations.iter().zip(prominences);
    let voxels = prominent.filter(|(_, prominence)| *prominence >= min_prominence);
    Ok(voxels
        .map(|(at, _)| Point3::from(at.voxel.map(|a| a as f64)))
        .collect_or_unwind())
}
