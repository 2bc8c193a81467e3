//! Areas of cross-sections perpendicular to the curves.
//!
//! The cross-section of a point is the connected set of voxels between two planes on both sides of
//! it. Voxels are weighted by a hat function of their distance to the point's plane, whose integral
//! is 1, so that the sum of their volumes is an area. The hat is several voxels wide in thin parts,
//! where single layers of voxels have areas of a few voxels.

use super::{HALF_VOXEL, slab::Slab};
use crate::{
    memory::{CollectOrUnwind, ExtendOrUnwind},
    monitor::Cancelled,
    parallel,
    skeleton::medial::{
        certificate::Certificate,
        context::ComponentContext,
        curves::intermediate_graph::{GraphEdge, IntermediateGraph},
        voxels::segment_voxels::{to_voxels, voxel_at},
    },
};
use nalgebra::Vector3;

/// Distance from junctions and ends within which sections are undefined, as a multiple of the
/// radius.
const EXCLUDED_RADII: f64 = 1.5;
/// Radius, in units of the smallest spacing, from which the hat has a half width of one voxel.
const THICK_RADIUS: f64 = 6.0;
/// Minimum distance along the curve on both sides of a point that defines the tangent, in units of
/// the smallest spacing.
const MIN_TANGENT_DISTANCE: f64 = 4.0;
/// Maximum distance of a section's voxels from its point, as a multiple of the radius; larger
/// sections are undefined.
const MAX_EXTENT: f64 = 20.0;

/// Returns the area of the cross-section at each point of each edge, in world units squared, or
/// `None` near junctions and ends, and where the section extends very far from the curve.
/// `spacing` is the smallest spacing in world units. Takes time linear in the number of rows of
/// voxels of all sections.
///
/// # Errors
/// [`Cancelled`].
pub fn section_areas(
    context: &ComponentContext<'_>,
    graph: &IntermediateGraph,
    certificate: &Certificate,
    spacing: f64,
) -> Result<Vec<Vec<Option<f64>>>, Cancelled> {
    let degrees = graph.degrees();
    let curves: Vec<Curve<'_>> = graph
        .edges
        .iter()
        .zip(&certificate.radii)
        .map(|(edge, radii)| {
            let excluded = edge.nodes.map(|node| match degrees[node] {
                2 => 0.0,
                _ => EXCLUDED_RADII * (certificate.node_radii[node] + HALF_VOXEL),
            });
            Curve::new(context, edge, radii, excluded)
        })
        .collect_or_unwind();
    let points = graph
        .edges
        .iter()
        .enumerate()
        .flat_map(|(number, edge)| (0..edge.points.len()).map(move |point| (number, point)));
    let points: Vec<(usize, usize)> = points.collect_or_unwind();
    let areas = parallel::try_map(points.len(), |at| {
        context.progress.check()?;
        let (edge, point) = points[at];
        Ok::<_, Cancelled>(curves[edge].section_area(context, point))
    })?;
    let mut areas = areas.into_iter();
    let take_edge = |edge: &GraphEdge| {
        let areas = areas.by_ref().take(edge.points.len());
        areas
            .map(|area| area.map(|area| area * spacing * spacing))
            .collect_or_unwind()
    };
    Ok(graph.edges.iter().map(take_edge).collect_or_unwind())
}

/// Curve of an edge in world coordinates whose unit is the smallest spacing.
struct Curve<'a> {
    edge: &'a GraphEdge,
    points: Vec<Vector3<f64>>,
    /// Distance along the curve from its start to each point.
    arc_lengths: Vec<f64>,
    /// Distance from each point to the nearest background voxel centre.
    radii: Vec<f64>,
    /// Distances from both ends within which sections are undefined.
    excluded: [f64; 2],
}

impl<'a> Curve<'a> {
    fn new(
        context: &ComponentContext<'_>,
        edge: &'a GraphEdge,
        radii: &[f64],
        excluded: [f64; 2],
    ) -> Self {
        let points: Vec<Vector3<f64>> = edge
            .points
            .iter()
            .map(|&point| Vector3::from(context.metric.to_world(to_voxels(point))))
            .collect_or_unwind();
        let mut arc_lengths = Vec::new();
        let mut length = 0.0;
        for (number, point) in points.iter().enumerate() {
            length += number
                .checked_sub(1)
                .map_or(0.0, |before| (point - points[before]).norm());
            arc_lengths.push_or_unwind(length);
        }
        Self {
            edge,
            points,
            arc_lengths,
            radii: radii
                .iter()
                .map(|radius| radius + HALF_VOXEL)
                .collect_or_unwind(),
            excluded,
        }
    }

    /// Returns the position at a distance along the curve, limited to its ends.
    fn position(&self, at: f64) -> Vector3<f64> {
        let next = self.arc_lengths.partition_point(|&length| length < at);
        if next == 0 {
            return self.points[0];
        }
        let Some(&length) = self.arc_lengths.get(next) else {
            return self.points[self.points.len() - 1];
        };
        let before = self.arc_lengths[next - 1];
        let fraction = (at - before) / (length - before);
        self.points[next - 1].lerp(&self.points[next], fraction)
    }

    /// Returns the unit tangent at a point: the direction of the chord between two positions on
    /// both sides of it.
    fn tangent(&self, point: usize) -> Option<Vector3<f64>> {
        let at = self.arc_lengths[point];
        let last = self.arc_lengths[self.arc_lengths.len() - 1];
        let wanted = self.radii[point].max(MIN_TANGENT_DISTANCE);
        let distance = wanted.min(at.min(last - at).max(1.0));
        let chord = self.position(at + distance) - self.position(at - distance);
        chord.try_normalize(1e-9)
    }

    /// Returns the area of the section at a point, in units of the smallest spacing squared.
    fn section_area(&self, context: &ComponentContext<'_>, point: usize) -> Option<f64> {
        let radius = self.radii[point];
        let at = self.arc_lengths[point];
        let last = self.arc_lengths[self.arc_lengths.len() - 1];
        let margins = [at, last - at].into_iter().zip(self.excluded);
        // at nodes of degree 2 nothing is excluded
        let margins = margins.filter(|&(_, excluded)| excluded > 0.0);
        let available = margins
            .map(|(distance, excluded)| distance - excluded.max(EXCLUDED_RADII * radius))
            .fold(f64::INFINITY, f64::min);
        if available < 0.0 {
            return None;
        }
        let tangent = self.tangent(point)?;
        // extent of a voxel along the tangent
        let layer: f64 = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
            .into_iter()
            .map(|axis| {
                Vector3::from(context.metric.to_world(axis))
                    .dot(&tangent)
                    .abs()
            })
            .sum();
        let layers = (THICK_RADIUS / radius).clamp(1.0, THICK_RADIUS);
        let half_width = (layers * layer).min(available.max(layer));
        let slab = Slab {
            object: context.object,
            metric: context.metric,
            centre: self.points[point],
            normal: tangent,
            half_width,
        };
        let first = voxel_at(context.object, self.edge.points[point])?;
        let volume = slab.weighted_volume(first, MAX_EXTENT * radius + half_width)?;
        let u = context.metric.upper();
        // the integral of the hat is its half width
        Some(volume * u[0][0] * u[1][1] * u[2][2] / half_width)
    }
}
