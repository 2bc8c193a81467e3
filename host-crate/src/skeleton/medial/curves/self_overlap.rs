//! Self-overlaps: positions that two stretches of the curves share.

use super::intermediate_graph::IntermediateGraph;
use crate::{
    memory::{CollectOrUnwind, ExtendOrUnwind, filled_or_unwind, with_capacity_or_unwind},
    parallel,
    skeleton::medial::{
        context::ComponentContext,
        voxels::{row_index::floor, segment_voxels::to_voxels},
    },
};
use nalgebra::Vector3;
use rayon::slice::ParallelSliceMut;
use std::collections::HashMap;

/// Maximum distance of overlapping positions, in units of the smallest spacing.
const MAX_DISTANCE: f64 = 0.12;
/// Minimum length of the path between them along the curves, in units of the smallest spacing.
const MIN_PATH_LENGTH: f64 = 1.95;
/// Number of segment pairs per parallel task.
const PAIRS_PER_TASK: usize = 1 << 6;

/// Segments of the curves, connected at their ends.
struct Segments {
    /// Ends of each segment: a node, or the number of nodes plus the index of an inner point.
    ends: Vec<[usize; 2]>,
    points: Vec<[Vector3<f64>; 2]>,
    /// Edge of each segment, and its index in the edge.
    edge_segments: Vec<[usize; 2]>,
    /// Segments at each end.
    incident: Vec<Vec<usize>>,
}

/// Self-overlap of an intermediate graph.
#[derive(Clone, Copy, Debug)]
pub struct SelfOverlap {
    /// The two edges, which can be the same.
    pub edges: [usize; 2],
    /// Index of the segment in each edge.
    pub segments: [usize; 2],
    /// Length from the start of each segment to the overlap.
    pub along: [f64; 2],
}

/// Returns the first self-overlap of a graph.
pub fn find_first(
    context: &ComponentContext<'_>,
    graph: &IntermediateGraph,
) -> Option<SelfOverlap> {
    let segments = Segments::new(context, graph);
    let pairs = segments.candidate_pairs();
    parallel::find_first(pairs.len(), PAIRS_PER_TASK, |range| {
        let mut pairs = pairs[range].iter();
        pairs.find_map(|&pair| segments.find_overlap(pair))
    })
}

/// Returns the self-overlaps of a graph, at most one per pair of segments.
pub fn find_all(context: &ComponentContext<'_>, graph: &IntermediateGraph) -> Vec<SelfOverlap> {
    let segments = Segments::new(context, graph);
    let pairs = segments.candidate_pairs();
    parallel::collect(pairs.len(), PAIRS_PER_TASK, |range, list| {
        let pairs = pairs[range].iter();
        list.extend_or_unwind(pairs.filter_map(|&pair| segments.find_overlap(pair)));
    })
}

/// Cell of a uniform grid with the smallest spacing as its side.
type Cell = [i32; 3];

/// Returns the first and the last cell along each axis that can contain positions near a segment.
fn cell_range([a, b]: &[Vector3<f64>; 2]) -> [Cell; 2] {
    [
        [0, 1, 2].map(|axis| floor(a[axis].min(b[axis]) - MAX_DISTANCE)),
        [0, 1, 2].map(|axis| floor(a[axis].max(b[axis]) + MAX_DISTANCE)),
    ]
}

impl Segments {
    fn new(context: &ComponentContext<'_>, graph: &IntermediateGraph) -> Self {
        let mut segments = Self {
            ends: Vec::new(),
            points: Vec::new(),
            edge_segments: Vec::new(),
            incident: filled_or_unwind(Vec::new(), graph.nodes.len()),
        };
        let world = |position| Vector3::from(context.metric.to_world(to_voxels(position)));
        for (number, edge) in graph.edges.iter().enumerate() {
            let mut from = edge.nodes[0];
            for (at, pair) in edge.points.windows(2).enumerate() {
                let to = if at + 2 == edge.points.len() {
                    edge.nodes[1]
                } else {
                    segments.incident.push_or_unwind(Vec::new());
                    segments.incident.len() - 1
                };
                for end in [from, to] {
                    segments.incident[end].push_or_unwind(segments.ends.len());
                }
                segments.ends.push_or_unwind([from, to]);
                segments
                    .points
                    .push_or_unwind([world(pair[0]), world(pair[1])]);
                segments.edge_segments.push_or_unwind([number, at]);
                from = to;
            }
        }
        segments
    }

    fn length(&self, segment: usize) -> f64 {
        let [a, b] = self.points[segment];
        (b - a).norm()
    }

    /// Returns the pairs of segments that can be near each other without being consecutive parts of
    /// a curve, sorted.
    fn candidate_pairs(&self) -> Vec<[u32; 2]> {
        let boxes: Vec<[Cell; 2]> = self.points.iter().map(cell_range).collect_or_unwind();
        let mut cell_members: Vec<(Cell, u32)> = with_capacity_or_unwind(8 * boxes.len());
        for (segment, [low, high]) in (0u32..).zip(&boxes) {
            for z in low[2]..=high[2] {
                for y in low[1]..=high[1] {
                    cell_members.extend_or_unwind((low[0]..=high[0]).map(|x| ([x, y, z], segment)));
                }
            }
        }
        cell_members.par_sort_unstable();
        let mut pairs = Vec::new();
        for members in cell_members.chunk_by(|first, second| first.0 == second.0) {
            for (at, &(cell, first)) in members.iter().enumerate() {
                for &(_, second) in &members[at + 1..] {
                    let [a, b] = [first, second].map(|segment| boxes[segment as usize][0]);
                    // each pair is reported once, in the first cell that both occupy
                    let is_first = (0..3).all(|axis| a[axis].max(b[axis]) == cell[axis]);
                    if is_first && self.may_be_near(first as usize, second as usize) {
                        pairs.push_or_unwind([first, second]);
                    }
                }
            }
        }
        pairs.par_sort_unstable();
        pairs
    }

    /// Returns `true` if two segments can overlap.
    fn may_be_near(&self, first: usize, second: usize) -> bool {
        let [p, q] = [first, second].map(|segment| &self.points[segment]);
        if !segments_are_near(p, q) {
            return false;
        }
        let (first_ends, second_ends) = (self.ends[first], self.ends[second]);
        let shared = (0..4)
            .map(|pair| [pair / 2, pair % 2])
            .find(|&[i, j]| first_ends[i] == second_ends[j]);
        let Some([i, j]) = shared else {
            return true;
        };
        // segments that diverge from a common end by at least 60 degrees separate quickly
        let (a, b) = (p[1 - i] - p[i], q[1 - j] - q[j]);
        a.dot(&b) > 0.5 * a.norm() * b.norm() && a.norm() + b.norm() > MIN_PATH_LENGTH
    }

    /// Returns the first position of a segment that overlaps another.
    fn find_overlap(&self, [segment, other]: [u32; 2]) -> Option<SelfOverlap> {
        let [segment, other] = [segment as usize, other as usize];
        let mut path_lengths = None;
        let [a, b] = self.points[segment];
        let length = self.length(segment);
        let count = (length / (0.3 * MAX_DISTANCE)).ceil().max(1.0) as usize;
        (0..=count).find_map(|number| {
            let part = number as f64 / count as f64;
            let (position, along) = (a.lerp(&b, part), part * length);
            let (distance, part) = nearest_on_segment(&position, &self.points[other]);
            if distance > MAX_DISTANCE {
                return None;
            }
            let other_length = self.length(other);
            let other_along = part * other_length;
            let path_lengths = path_lengths
                .get_or_insert_with(|| self.ends[segment].map(|end| self.path_lengths(end)));
            let path_length = |mine: usize, theirs: usize| {
                let between = path_lengths[mine].get(&self.ends[other][theirs])?;
                let own = [along, length - along][mine];
                Some(own + between + [other_along, other_length - other_along][theirs])
            };
            let is_far = (0..4)
                .filter_map(|pair| path_length(pair / 2, pair % 2))
                .all(|length| length > MIN_PATH_LENGTH);
            let [mine, theirs] = [segment, other].map(|segment| self.edge_segments[segment]);
            is_far.then_some(SelfOverlap {
                edges: [mine[0], theirs[0]],
                segments: [mine[1], theirs[1]],
                along: [along, other_along],
            })
        })
    }

    /// Returns the lengths of the shortest paths along curves from an end to others, up to
    /// [`MIN_PATH_LENGTH`].
    fn path_lengths(&self, from: usize) -> HashMap<usize, f64> {
        let mut path_lengths = HashMap::from([(from, 0.0)]);
        let mut stack = vec![from];
        while let Some(end) = stack.pop() {
            let length = path_lengths[&end];
            for &segment in &self.incident[end] {
                let [a, b] = self.ends[segment];
                let other = if a == end { b } else { a };
                let next = length + self.length(segment);
                if next <= MIN_PATH_LENGTH
                    && path_lengths.get(&other).is_none_or(|&best| next < best)
                {
                    path_lengths.push_or_unwind((other, next));
                    stack.push_or_unwind(other);
                }
            }
        }
        path_lengths
    }
}

/// Returns `true` if the bounding boxes of two segments are within [`MAX_DISTANCE`].
fn segments_are_near(first: &[Vector3<f64>; 2], second: &[Vector3<f64>; 2]) -> bool {
    (0..3).all(|axis| {
        let range = |[a, b]: &[Vector3<f64>; 2]| (a[axis].min(b[axis]), a[axis].max(b[axis]));
        let ((from, to), (low, high)) = (range(first), range(second));
        from <= high + MAX_DISTANCE && low <= to + MAX_DISTANCE
    })
}

/// Returns the distance of a position from a segment, and the fraction of the segment before the
/// nearest position.
fn nearest_on_segment(position: &Vector3<f64>, [a, b]: &[Vector3<f64>; 2]) -> (f64, f64) {
    let offset = b - a;
    let part = (position - a).dot(&offset) / offset.norm_squared().max(f64::MIN_POSITIVE);
    let part = part.clamp(0.0, 1.0);
    ((position - (a + offset * part)).norm(), part)
}
