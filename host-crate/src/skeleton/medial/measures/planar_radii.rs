//! Radii in images that are one voxel thick.

use super::HALF_VOXEL;
use crate::{
    grid::{Geometry, Metric},
    memory::CollectOrUnwind,
    monitor::Cancelled,
    parallel,
    skeleton::medial::{
        context::ComponentContext,
        curves::intermediate_graph::IntermediateGraph,
        paths::edge_weights::round_squares,
        voxels::{
            boundary_faces::BoundaryFaces, distance_transform::squared_distances, frame::Frame,
            segment_voxels::FixedPoint,
        },
    },
};
use nalgebra::Matrix3;

/// Factor by which the spacing across the image is enlarged, so that the nearest background voxel
/// lies in the image plane.
const ENLARGEMENT: f64 = 1e6;

/// Grid of an image that is one voxel thick, with the background in its plane only.
pub struct PlanarGrid {
    /// Metric of the volume, whose unit is the smallest spacing within the plane.
    metric: Metric,
    /// Smallest spacing within the plane, in world units.
    spacing: f64,
}

impl PlanarGrid {
    /// Returns the planar grid of a volume that is one voxel thick along exactly one axis.
    pub fn new(dims: [usize; 3], geometry: &Geometry) -> Option<Self> {
        let mut flat = (0..3).filter(|&axis| dims[axis] == 1);
        let (Some(axis), None) = (flat.next(), flat.next()) else {
            return None;
        };
        let mut axes: Matrix3<f64> = *geometry.axes();
        let in_plane = (0..3).filter(|&other| other != axis);
        let longest = in_plane
            .map(|other| axes.column(other).norm())
            .fold(0.0, f64::max);
        let scale = ENLARGEMENT * longest / axes.column(axis).norm();
        axes.column_mut(axis).scale_mut(scale);
        let enlarged = Geometry::new(axes, geometry.origin().coords).ok()?;
        let (metric, spacing) = Metric::rounded(&enlarged);
        Some(Self { metric, spacing })
    }

    /// Returns the smallest spacing within the plane, in world units.
    pub fn spacing(&self) -> f64 {
        self.spacing
    }
}

/// Returns the distances within the image plane from the nodes, and from the points of the edges,
/// to the nearest background voxel centre, in world units.
///
/// # Errors
/// [`Cancelled`].
pub fn planar_radii(
    context: &ComponentContext<'_>,
    graph: &IntermediateGraph,
    grid: &PlanarGrid,
    frame: &Frame,
) -> Result<(Vec<f64>, Vec<Vec<f64>>), Cancelled> {
    let metric = &frame.metric(&grid.metric);
    let squared_distances = squared_distances(context.object, metric, context.progress)?;
    let squared_distances = round_squares(&squared_distances);
    let boundary = BoundaryFaces::new(context.object, metric);
    let context = ComponentContext {
        metric,
        squared_distances: &squared_distances,
        boundary: &boundary,
        ..*context
    };
    let distance = |&at: &FixedPoint| grid.spacing * (context.radius(at) + HALF_VOXEL);
    let node_radii = graph.nodes.iter().map(distance).collect_or_unwind();
    let radii = parallel::map(graph.edges.len(), |edge| {
        let points = graph.edges[edge].points.iter();
        points.map(distance).collect_or_unwind()
    });
    Ok((node_radii, radii))
}
