//! Radii and cross-sections along the curves of a component.

mod cross_sections;
mod planar_radii;
mod slab;

pub use planar_radii::PlanarGrid;

use super::{
    certificate::Certificate,
    context::ComponentContext,
    curves::intermediate_graph::{GraphEdge, IntermediateGraph},
    voxels::frame::Frame,
};
use crate::{memory::CollectOrUnwind, monitor::Cancelled};
use cross_sections::section_areas;
use planar_radii::planar_radii;

/// Difference between the distance to the nearest background voxel centre and the inscribed radius,
/// in units of the smallest spacing.
const HALF_VOXEL: f64 = 0.5;

/// Grid on which a component is measured.
#[derive(Clone, Copy)]
pub struct MeasuringGrid<'a> {
    /// Frame of the component.
    pub frame: &'a Frame,
    /// Smallest spacing, in world units.
    pub spacing: f64,
    /// Planar grid, if the volume is an image that is one voxel thick.
    pub planar: Option<&'a PlanarGrid>,
}

/// Radii and cross-sections along the curves of a component, in world units.
pub struct CurveMeasures {
    /// Distance from each node to the nearest background voxel centre.
    pub node_radii: Vec<f64>,
    /// Distance from each point of each edge to the nearest background voxel centre.
    pub radii: Vec<Vec<f64>>,
    /// Area of the cross-section at each point of each edge, or `None` where it is undefined.
    pub section_areas: Vec<Vec<Option<f64>>>,
}

impl CurveMeasures {
    /// Measures a graph. In an image that is one voxel thick, radii are distances within the image
    /// plane, and cross-sections are undefined.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn new(
        context: &ComponentContext<'_>,
        graph: &IntermediateGraph,
        certificate: &Certificate,
        grid: MeasuringGrid<'_>,
    ) -> Result<Self, Cancelled> {
        if let Some(planar) = grid.planar {
            let (node_radii, radii) = planar_radii(context, graph, planar, grid.frame)?;
            return Ok(Self {
                node_radii,
                radii,
                section_areas: edges_without_sections(&graph.edges),
            });
        }
        let distance = |&radius: &f64| grid.spacing * (radius + HALF_VOXEL);
        let node_radii: Vec<f64> = certificate
            .node_radii
            .iter()
            .map(distance)
            .collect_or_unwind();
        let radii: Vec<Vec<f64>> = certificate
            .radii
            .iter()
            .map(|radii| radii.iter().map(distance).collect_or_unwind())
            .collect_or_unwind();
        let section_areas = section_areas(context, graph, certificate, grid.spacing)?;
        Ok(Self {
            node_radii,
            radii,
            section_areas,
        })
    }

    /// Returns the measures of a component of one voxel: a node.
    pub fn single_voxel(grid: MeasuringGrid<'_>) -> Self {
        Self {
            node_radii: vec![grid.planar.map_or(grid.spacing, PlanarGrid::spacing)],
            radii: Vec::new(),
            section_areas: Vec::new(),
        }
    }
}

/// Returns undefined cross-sections for all points.
fn edges_without_sections(edges: &[GraphEdge]) -> Vec<Vec<Option<f64>>> {
    let undefined = |edge: &GraphEdge| edge.points.iter().map(|_| None).collect_or_unwind();
    edges.iter().map(undefined).collect_or_unwind()
}
