//! Taut curves in lines that are one voxel thick.
//!
//! The voxels of an oblique line are a staircase, along which a curve through voxel centres is 5 to
//! 8 % too long. The shortest curve through the cubes of the same voxels has the length of the
//! line. In thicker parts it would cut corners, so these keep their curves.

use super::intermediate_graph::IntermediateGraph;
use crate::{
    memory::{CollectOrUnwind, ExtendOrUnwind},
    parallel,
    skeleton::medial::{
        context::ComponentContext,
        voxels::{
            neighbour_bits::is_in_square,
            segment_voxels::{
                FixedPoint, UNITS_PER_VOXEL, to_voxels, traverse_segment, voxel_at, voxel_centre,
            },
        },
    },
};
use nalgebra::Vector3;
use std::ops::RangeInclusive;

/// Number of times that each point moves. Lengths differ by less than 0.1 % after half of them.
const SWEEPS: usize = 64;
/// Smoothing of distances, in units of the smallest spacing, without which points in a common
/// corner of several cubes could not move one at a time.
const SMOOTHING: f64 = 0.02;

/// Points of an edge before it was pulled taut.
pub struct LooseEdge {
    /// Index of the edge.
    pub edge: usize,
    points: Vec<FixedPoint>,
}

/// Pulls the curves taut in lines that are one voxel thick. Nodes keep their positions, and curves
/// stay in the same voxels. Returns the former points of the edges that changed.
pub fn pull_lines_taut(
    context: &ComponentContext<'_>,
    graph: &mut IntermediateGraph,
) -> Vec<LooseEdge> {
    let loose = parallel::map_mut(&mut graph.edges, |edge, curve| {
        let taut = taut_curve(context, &curve.points)?;
        let points = std::mem::replace(&mut curve.points, taut);
        Some(LooseEdge { edge, points })
    });
    loose.into_iter().flatten().collect_or_unwind()
}

/// Restores the former points of edges.
pub fn restore_edges(
    graph: &mut IntermediateGraph,
    loose_edges: impl IntoIterator<Item = LooseEdge>,
) {
    for loose in loose_edges {
        graph.edges[loose.edge].points = loose.points;
    }
}

/// Returns a curve that is taut in its thin stretches, or `None` if there are none.
fn taut_curve(context: &ComponentContext<'_>, points: &[FixedPoint]) -> Option<Vec<FixedPoint>> {
    let is_thin = |&point: &FixedPoint| {
        voxel_at(context.object, point)
            .is_some_and(|voxel| !is_in_square(context.object.neighbour_mask(voxel)))
    };
    let thin: Vec<bool> = points.iter().map(is_thin).collect_or_unwind();
    let mut curve = Vec::new();
    let mut has_changed = false;
    let mut at = 0;
    while at < points.len() {
        let count = thin[at..].iter().take_while(|&&thin| thin).count();
        let stretch = at..=at + count.saturating_sub(1);
        match taut_stretch(context, points, stretch.clone()) {
            Some(taut) => {
                has_changed = true;
                curve.extend_or_unwind(taut);
            }
            None => curve.extend_or_unwind(points[stretch.clone()].iter().copied()),
        }
        at = stretch.end() + 1;
    }
    // a closed curve has an area
    let is_valid = curve.len() > 3 || points[0] != points[points.len() - 1];
    (has_changed && is_valid).then_some(curve)
}

/// Returns the shortest curve between the ends of a stretch through the voxels of the stretch, or
/// `None` if these are too few.
fn taut_stretch(
    context: &ComponentContext<'_>,
    points: &[FixedPoint],
    stretch: RangeInclusive<usize>,
) -> Option<Vec<FixedPoint>> {
    let points = &points[stretch];
    let mut voxels = Vec::new();
    for ends in points.windows(2) {
        if !traverse_segment(context.object, ends[0], ends[1], &mut voxels) {
            return None;
        }
    }
    if voxels.len() < 3 {
        return None;
    }
    let passages: Vec<Passage> = voxels
        .windows(2)
        .map(|pair| Passage::new(context, [pair[0], pair[1]]))
        .collect_or_unwind();
    let ends = [points[0], points[points.len() - 1]];
    let mut positions: Vec<[f64; 3]> = passages.iter().map(Passage::middle).collect_or_unwind();
    for sweep in 0..SWEEPS {
        for step in 0..positions.len() {
            // alternating directions spread changes along the whole curve
            let at = if sweep % 2 == 0 {
                step
            } else {
                positions.len() - 1 - step
            };
            let neighbour = |at: Option<usize>, end: usize| {
                at.and_then(|at| positions.get(at))
                    .map_or_else(|| to_voxels(ends[end]), |&position| position)
            };
            let adjacent = [neighbour(at.checked_sub(1), 0), neighbour(Some(at + 1), 1)];
            positions[at] = passages[at].nearest_position(context, positions[at], adjacent);
        }
    }
    let rounded = positions
        .iter()
        .zip(&passages)
        .map(|(&position, passage)| passage.round(position));
    let mut taut: Vec<FixedPoint> = Vec::new();
    taut.push_or_unwind(ends[0]);
    taut.extend_or_unwind(rounded);
    taut.push_or_unwind(ends[1]);
    taut.dedup();
    (context.length(&taut) < context.length(points)).then_some(taut)
}

/// Common face, edge or corner of the cubes of two consecutive voxels.
struct Passage {
    low: FixedPoint,
    high: FixedPoint,
}

impl Passage {
    fn new(context: &ComponentContext<'_>, voxels: [u32; 2]) -> Self {
        let half = UNITS_PER_VOXEL / 2;
        let [a, b] = voxels.map(|voxel| voxel_centre(context.object.position(voxel as usize)));
        Self {
            low: [0, 1, 2].map(|axis| a[axis].max(b[axis]) - half),
            high: [0, 1, 2].map(|axis| a[axis].min(b[axis]) + half),
        }
    }

    /// Returns the middle, in voxels.
    fn middle(&self) -> [f64; 3] {
        let [low, high] = [self.low, self.high].map(to_voxels);
        [0, 1, 2].map(|axis| 0.5 * (low[axis] + high[axis]))
    }

    /// Moves a position along each axis of the passage to where the sum of its distances to the
    /// adjacent positions is least.
    fn nearest_position(
        &self,
        context: &ComponentContext<'_>,
        mut position: [f64; 3],
        adjacent: [[f64; 3]; 2],
    ) -> [f64; 3] {
        let [low, high] = [self.low, self.high].map(to_voxels);
        for axis in (0..3).filter(|&axis| low[axis] < high[axis]) {
            let mut unit = [0.0; 3];
            unit[axis] = 1.0;
            let along = Vector3::from(context.metric.to_world(unit));
            // reflection: the distances across the axis divide the distance along it
            let [(t0, h0), (t1, h1)] = adjacent.map(|other| {
                let offset = [0, 1, 2].map(|axis| other[axis] - position[axis]);
                let offset = Vector3::from(context.metric.to_world(offset));
                let t = offset.dot(&along) / along.norm_squared();
                (t, (offset - along * t).norm().hypot(SMOOTHING))
            });
            let moved = position[axis] + (t0 * h1 + t1 * h0) / (h0 + h1);
            position[axis] = moved.clamp(low[axis], high[axis]);
        }
        position
    }

    /// Rounds a position to fixed point, within the passage.
    fn round(&self, position: [f64; 3]) -> FixedPoint {
        [0, 1, 2].map(|axis| {
            let rounded = (position[axis] * UNITS_PER_VOXEL as f64).round() as i64;
            rounded.clamp(self.low[axis], self.high[axis])
        })
    }
}
