//! Ends of curves: extends the centred part of a curve straight to the surface, instead of to the
//! farthest voxel.

use super::{
    intermediate_graph::{GraphEdge, IntermediateGraph},
    resample::is_same_class,
};
use crate::{
    memory::{CollectOrUnwind, ExtendOrUnwind, ReserveOrUnwind},
    parallel,
    skeleton::medial::{
        context::{ComponentContext, direction},
        topology::cocycle::Cocycle,
        voxels::segment_voxels::{FixedPoint, to_fixed, to_voxels, traverse_segment},
    },
};
use nalgebra::Vector3;

/// Minimum inscribed radius of a curve whose ends are trimmed, in units of the smallest spacing.
const MIN_RADIUS: f64 = 1.2;
/// A point is centred if its inscribed radius is at least this fraction of the maximum within one
/// radius ahead.
const CENTRED_FRACTION: f64 = 0.9;
/// Maximum length of a trimmed end, as a multiple of the inscribed radius plus a multiple of the
/// smallest spacing: the rim of a flat tube end is 1.41 radii away.
const MAX_TRIM_LENGTH: [f64; 2] = [2.2, 1.0];
/// Minimum extent of the straight extension, as a fraction of the extent of the trimmed end, less
/// the smallest spacing.
const MIN_EXTENT_FRACTION: f64 = 0.8;
/// Step length of the extension, in units of the smallest spacing.
const STEP: f64 = 0.25;

/// Trims the ends of curves up to their first centred point, and returns the trimmed ends for
/// [`extend_ends`].
pub fn trim_ends(context: &ComponentContext<'_>, graph: &mut IntermediateGraph) -> Vec<TrimmedEnd> {
    let degrees = graph.degrees();
    let mut trimmed_ends = Vec::new();
    for (number, edge) in graph.edges.iter_mut().enumerate() {
        if edge.nodes[0] == edge.nodes[1] {
            continue;
        }
        for (end, &node) in edge.nodes.iter().enumerate() {
            if degrees[node] != 1 {
                continue;
            }
            let count = edge.points.len();
            let point = |at: usize| edge.points[if end == 0 { at } else { count - 1 - at }];
            let found = find_centred_point(context, count, point);
            let Some((at, length, radius)) = found else {
                continue;
            };
            let trimmed_points: Vec<FixedPoint> = (0..=at).map(&point).collect_or_unwind();
            if end == 0 {
                edge.points.drain(..at);
            } else {
                edge.points.truncate(count - at);
            }
            graph.nodes[node] = trimmed_points[at];
            trimmed_ends.push_or_unwind(TrimmedEnd {
                edge: number,
                end,
                node,
                trimmed_points,
                length,
                radius,
            });
        }
    }
    trimmed_ends
}

/// Returns the first centred point of a curve, counted from its end: the index of the point, the
/// length up to it, and the inscribed radius there. `point` returns the `count` points of the curve
/// in this order. Returns `None` if no point is centred, or only beyond the maximum trimmed length.
fn find_centred_point(
    context: &ComponentContext<'_>,
    count: usize,
    point: impl Fn(usize) -> FixedPoint,
) -> Option<(usize, f64, f64)> {
    // length and inscribed radius of the points evaluated so far
    let mut evaluated = vec![(0.0, context.radius(point(0)))];
    // excludes the last points, which determine the tangent
    for at in 1..count.saturating_sub(2) {
        let evaluate = |evaluated: &mut Vec<(f64, f64)>, next: usize| {
            while evaluated.len() <= next {
                let last = evaluated.len();
                let length = evaluated[last - 1].0 + context.distance(point(last - 1), point(last));
                evaluated.push_or_unwind((length, context.radius(point(last))));
            }
            evaluated[next]
        };
        let (length, radius) = evaluate(&mut evaluated, at);
        let mut max_radius = radius;
        for next in at + 1..count {
            let (next_length, next_radius) = evaluate(&mut evaluated, next);
            max_radius = max_radius.max(next_radius);
            if next_length > length + radius {
                break;
            }
        }
        if radius >= MIN_RADIUS && radius >= CENTRED_FRACTION * max_radius {
            let is_end = length <= MAX_TRIM_LENGTH[0] * radius + MAX_TRIM_LENGTH[1];
            return is_end.then_some((at, length, radius));
        }
    }
    None
}

/// End that was trimmed.
pub struct TrimmedEnd {
    pub edge: usize,
    /// 0 for the first end of the edge, 1 for the last.
    pub end: usize,
    pub node: usize,
    /// Points from the former end to the new one.
    trimmed_points: Vec<FixedPoint>,
    /// Length of the trimmed part, in units of the smallest spacing.
    length: f64,
    /// Inscribed radius at the new end, in units of the smallest spacing.
    radius: f64,
}

/// Extends trimmed ends straight to the surface; if the extension is much shorter than the trimmed
/// part, the trimmed part is restored.
pub fn extend_ends(
    context: &ComponentContext<'_>,
    cocycle: &Cocycle,
    graph: &mut IntermediateGraph,
    trimmed_ends: Vec<TrimmedEnd>,
) {
    let mut ends_by_edge: Vec<Vec<TrimmedEnd>> = Vec::new();
    ends_by_edge.reserve_or_unwind(graph.edges.len());
    ends_by_edge.resize_with(graph.edges.len(), Vec::new);
    for trimmed in trimmed_ends {
        ends_by_edge[trimmed.edge].push_or_unwind(trimmed);
    }
    let ends = parallel::map_mut(&mut graph.edges, |number, edge| {
        let trimmed_ends = ends_by_edge[number].iter();
        let extended =
            trimmed_ends.map(|trimmed| (trimmed.node, extend_end(context, cocycle, edge, trimmed)));
        extended.collect_or_unwind()
    });
    for (node, position) in ends.into_iter().flatten() {
        graph.nodes[node] = position;
    }
}

/// Extends one end, and returns its new position.
fn extend_end(
    context: &ComponentContext<'_>,
    cocycle: &Cocycle,
    edge: &mut GraphEdge,
    trimmed: &TrimmedEnd,
) -> FixedPoint {
    if trimmed.end == 1 {
        edge.points.reverse();
    }
    // from here on, the end is the first point
    let start = edge.points[0];
    let extension = straight_extension(
        context,
        &edge.points,
        trimmed.trimmed_points[0],
        trimmed.length,
        trimmed.radius,
    );
    let mut added: Vec<FixedPoint> = if let Some(extension) = extension {
        extension
    } else {
        // restored only if the end did not move across, or if the connection to it stays inside
        let mut restored: Vec<FixedPoint> = trimmed
            .trimmed_points
            .iter()
            .rev()
            .copied()
            .collect_or_unwind();
        if restored[0] == start {
            restored.remove(0);
        } else {
            let before = [
                trimmed.trimmed_points[trimmed.trimmed_points.len() - 1],
                start,
            ];
            let is_inside = is_same_class(context, cocycle, &before, &before);
            if !is_inside {
                restored.clear();
            }
        }
        restored
    };
    added.reverse();
    edge.points.splice(0..0, added);
    let end = edge.points[0];
    if trimmed.end == 1 {
        edge.points.reverse();
    }
    end
}

/// Returns the points that [`trim_ends`] and [`extend_ends`] would add at the first point of a
/// curve.
pub fn extension_points(context: &ComponentContext<'_>, points: &[FixedPoint]) -> Vec<FixedPoint> {
    find_centred_point(context, points.len(), |at| points[at])
        .and_then(|(at, length, radius)| {
            straight_extension(context, &points[at..], points[0], length, radius)
        })
        .unwrap_or_default()
}

/// Returns the straight extension from the first of the points, if it extends about as far as the
/// former end.
fn straight_extension(
    context: &ComponentContext<'_>,
    points: &[FixedPoint],
    old: FixedPoint,
    length: f64,
    radius: f64,
) -> Option<Vec<FixedPoint>> {
    let start = points[0];
    let mut index = 0;
    let mut length_back = 0.0;
    while index + 1 < points.len() && length_back < radius.max(2.0) {
        length_back += context.distance(points[index], points[index + 1]);
        index += 1;
    }
    let tangent = direction(context, points[index], start)?;
    let extension = extend_straight(context, start, &tangent, 3.0 * length + 2.0 * radius);
    let extent = extension
        .last()
        .map_or(0.0, |&last| context.distance(start, last));
    let [from, to] = [start, old].map(to_voxels);
    let old = context
        .metric
        .to_world([0, 1, 2].map(|axis| to[axis] - from[axis]));
    (extent + 1.0 >= MIN_EXTENT_FRACTION * Vector3::from(old).dot(&tangent)).then_some(extension)
}

/// Returns the points of the straight extension up to half of the smallest spacing from the
/// surface, or up to a maximum length.
fn extend_straight(
    context: &ComponentContext<'_>,
    start: FixedPoint,
    tangent: &Vector3<f64>,
    max_length: f64,
) -> Vec<FixedPoint> {
    let mut points = Vec::new();
    let from = to_voxels(start);
    let mut last = start;
    let mut length = STEP;
    while length <= max_length {
        let step = context.metric.to_voxels(tangent * length);
        let next = to_fixed([0, 1, 2].map(|axis| from[axis] + step[axis]));
        if !traverse_segment(context.object, last, next, &mut Vec::new())
            || context.has_radius_below(next, 0.49)
        {
            break;
        }
        points.push_or_unwind(next);
        last = next;
        length += STEP;
    }
    points
}
