//! Distance to the surface along a skeleton.

use super::VoxelClasses;
use crate::{
    device::{Stream, items_launch},
    distance::{self, DistanceMap, DistanceParams, NoSites, Sites},
    memory::CollectOrUnwind,
    skeleton::{Skeleton, SkeletonError},
};
use ferrovox_kernels::{grid::Grid, skeleton::interpolation::interpolate_at_points};
use nalgebra::Point3;

/// Distance to the surface at arbitrary points: the exact distance to the nearest surface voxel's
/// centre plus half a voxel.
pub struct Radii<'a> {
    stream: &'a Stream,
    grid: Grid,
    map: DistanceMap,
    half_voxel: f64,
}

impl<'a> Radii<'a> {
    /// Computes the distance map of a classified solid.
    pub fn new(stream: &'a Stream, classes: &VoxelClasses) -> Result<Self, SkeletonError> {
        let params = DistanceParams {
            no_sites: NoSites::Infinity,
            ..DistanceParams::default()
        };
        let map = distance::transform(stream, Sites::Voxels(&classes.surface), &params)?;
        let spacing: [f64; 3] = classes.surface.geometry.spacing().into();
        Ok(Self {
            stream,
            grid: classes.surface.grid,
            map,
            half_voxel: 0.5 * spacing.into_iter().fold(f64::INFINITY, f64::min),
        })
    }

    /// Returns the distance to the surface at each point.
    pub fn at<'p>(
        &self,
        points: impl Iterator<Item = &'p Point3<f64>>,
    ) -> Result<Vec<f64>, SkeletonError> {
        let flat: Vec<f32> = points
            .flat_map(|at| [at.x as f32, at.y as f32, at.z as f32])
            .collect_or_unwind();
        let at = self.stream.upload(&flat)?;
        let mut radii = self.stream.alloc::<f32>(flat.len() / 3)?;
        let (launch, items) = items_launch(self.stream, radii.len() as u64);
        // SAFETY: the map has the samples of its grid; there are three coordinates and one radius
        // per point.
        unsafe {
            let args = (
                self.map.distances.view(),
                self.grid,
                at.view(),
                items,
                radii.view_mut(),
            );
            self.stream.launch::<interpolate_at_points>(launch, args)?;
        }
        let radii = self.stream.download(&radii)?;
        Ok(radii
            .into_iter()
            .map(|r| f64::from(r) + self.half_voxel)
            .collect_or_unwind())
    }

    /// Sets the radii of all nodes and edge points.
    pub fn measure(&self, skeleton: &mut Skeleton) -> Result<(), SkeletonError> {
        let nodes = skeleton.nodes.iter().map(|node| &node.position);
        let points = skeleton.edges.iter().flat_map(|edge| &edge.points);
        let mut radii = self.at(nodes.chain(points))?.into_iter();
        let mut next = || radii.next().expect("one for each point");
        for node in &mut skeleton.nodes {
            node.radius = next();
        }
        for edge in &mut skeleton.edges {
            edge.radii.fill_with(&mut next);
        }
        Ok(())
    }
}
