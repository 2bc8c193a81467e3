//! Places that curves pass twice.

use super::intermediate_graph::IntermediateGraph;
use crate::{
    memory::{CollectOrUnwind, ExtendOrUnwind, filled_or_unwind, with_capacity_or_unwind},
    parallel,
    skeleton::medial::{
        context::ComponentContext, paths::segment_voxels::to_voxels, voxels::row_index::floor,
    },
};
use nalgebra::Vector3;
use rayon::slice::ParallelSliceMut;
use std::collections::HashMap;

/// Two places are one if they are no farther apart than this, in the smallest spacing,
const MAX_DISTANCE: f64 = 0.12;
/// and longer than this is the way from one to the other along the curves.
const MIN_PATH_LENGTH: f64 = 1.95;
/// Pairs of segments that a thread looks at in a row.
const PAIRS_PER_TASK: usize = 1 << 6;

/// Segments of curves, which hang together at their ends.
struct Segments {
    /// For each its ends: a node, or the nodes' number and the number of the point.
    ends: Vec<[usize; 2]>,
    points: Vec<[Vector3<f64>; 2]>,
    /// The edge of each, and its number there.
    edge_segments: Vec<[usize; 2]>,
    /// The segments at each end.
    incident: Vec<Vec<usize>>,
}

/// A place of a draft that is passed twice.
#[derive(Clone, Copy, Debug)]
pub struct SelfOverlap {
    /// The two edges, which may be one, the segments, and how far along these the place is.
    pub edges: [usize; 2],
    pub segments: [usize; 2],
    pub along: [f64; 2],
}

/// The first place of a draft that is passed twice.
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

/// Places of a draft that are passed twice, of two segments the first.
pub fn find_all(context: &ComponentContext<'_>, graph: &IntermediateGraph) -> Vec<SelfOverlap> {
    let segments = Segments::new(context, graph);
    let pairs = segments.candidate_pairs();
    parallel::collect(pairs.len(), PAIRS_PER_TASK, |range, list| {
        let pairs = pairs[range].iter();
        list.extend_or_unwind(pairs.filter_map(|&pair| segments.find_overlap(pair)));
    })
}

type Cell = [i32; 3];

/// The cells of one spacing around a segment and what is near to it: the first and the last along
/// each axis.
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
        let world = |position| Vector3::from(context.metric.world(to_voxels(position)));
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

    /// Pairs of segments that may be near each other and are not next to each other in a curve that
    /// goes on, by the first of the two.
    fn candidate_pairs(&self) -> Vec<[u32; 2]> {
        let boxes: Vec<[Cell; 2]> = self.points.iter().map(cell_range).collect_or_unwind();
        let mut inside: Vec<(Cell, u32)> = with_capacity_or_unwind(8 * boxes.len());
        for (segment, [low, high]) in (0u32..).zip(&boxes) {
            for z in low[2]..=high[2] {
                for y in low[1]..=high[1] {
                    inside.extend_or_unwind((low[0]..=high[0]).map(|x| ([x, y, z], segment)));
                }
            }
        }
        inside.par_sort_unstable();
        let mut pairs = Vec::new();
        for there in inside.chunk_by(|one, other| one.0 == other.0) {
            for (at, &(cell, one)) in there.iter().enumerate() {
                for &(_, other) in &there[at + 1..] {
                    let [a, b] = [one, other].map(|segment| boxes[segment as usize][0]);
                    // once, in the first cell that both are in
                    let is_first = (0..3).all(|axis| a[axis].max(b[axis]) == cell[axis]);
                    if is_first && self.may_be_near(one as usize, other as usize) {
                        pairs.push_or_unwind([one, other]);
                    }
                }
            }
        }
        pairs.par_sort_unstable();
        pairs
    }

    /// Whether two segments may have a place in common that counts.
    fn may_be_near(&self, one: usize, other: usize) -> bool {
        let [p, q] = [one, other].map(|segment| &self.points[segment]);
        if !segments_are_near(p, q) {
            return false;
        }
        let (mine, theirs) = (self.ends[one], self.ends[other]);
        let shared = (0..4)
            .map(|pair| [pair / 2, pair % 2])
            .find(|&[i, j]| mine[i] == theirs[j]);
        let Some([i, j]) = shared else {
            return true;
        };
        // from a common end on segments at an angle of 60 degrees or more are soon apart
        let (a, b) = (p[1 - i] - p[i], q[1 - j] - q[j]);
        a.dot(&b) > 0.5 * a.norm() * b.norm() && a.norm() + b.norm() > MIN_PATH_LENGTH
    }

    /// The first place of a segment that another passes too.
    fn find_overlap(&self, [segment, other]: [u32; 2]) -> Option<SelfOverlap> {
        let [segment, other] = [segment as usize, other as usize];
        let mut path_lengths = None;
        let [a, b] = self.points[segment];
        let length = self.length(segment);
        let count = (length / (0.3 * MAX_DISTANCE)).ceil().max(1.0) as usize;
        (0..=count).find_map(|number| {
            let part = number as f64 / count as f64;
            let (position, along) = (a.lerp(&b, part), part * length);
            let (far, part) = nearest_on_segment(&position, &self.points[other]);
            if far > MAX_DISTANCE {
                return None;
            }
            let whole = self.length(other);
            let there = part * whole;
            let path_lengths = path_lengths
                .get_or_insert_with(|| self.ends[segment].map(|end| self.path_lengths(end)));
            let path_length = |mine: usize, theirs: usize| {
                let between = path_lengths[mine].get(&self.ends[other][theirs])?;
                let own = [along, length - along][mine];
                Some(own + between + [there, whole - there][theirs])
            };
            let is_far = (0..4)
                .filter_map(|pair| path_length(pair / 2, pair % 2))
                .all(|length| length > MIN_PATH_LENGTH);
            let [mine, theirs] = [segment, other].map(|segment| self.edge_segments[segment]);
            is_far.then_some(SelfOverlap {
                edges: [mine[0], theirs[0]],
                segments: [mine[1], theirs[1]],
                along: [along, there],
            })
        })
    }

    /// The lengths of the shortest ways from an end to others along curves, up to the longest that
    /// counts.
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

/// Whether boxes around two segments are so near that the segments may be.
fn segments_are_near(one: &[Vector3<f64>; 2], other: &[Vector3<f64>; 2]) -> bool {
    (0..3).all(|axis| {
        let range = |[a, b]: &[Vector3<f64>; 2]| (a[axis].min(b[axis]), a[axis].max(b[axis]));
        let ((from, to), (low, high)) = (range(one), range(other));
        from <= high + MAX_DISTANCE && low <= to + MAX_DISTANCE
    })
}

/// The distance of a place from a segment, and which part of it is before the nearest place.
fn nearest_on_segment(position: &Vector3<f64>, [a, b]: &[Vector3<f64>; 2]) -> (f64, f64) {
    let offset = b - a;
    let part = (position - a).dot(&offset) / offset.norm_squared().max(f64::MIN_POSITIVE);
    let part = part.clamp(0.0, 1.0);
    ((position - (a + offset * part)).norm(), part)
}
