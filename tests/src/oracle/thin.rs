//! Thinness: no position may be passed twice.

use super::{Object, Rules, Verdict, inside::CurveTrace};
use ferrovox::graph::Skeleton;
use nalgebra::Point3;
use std::collections::{BTreeMap, HashMap};

/// Straight part of a curve.
struct Segment {
    /// Ends, as indices among nodes and inner points.
    ends: [usize; 2],
    points: [Point3<f64>; 2],
    length: f64,
    edge: usize,
}

/// Curves as a graph of connected segments, in world units.
struct SegmentGraph {
    segments: Vec<Segment>,
    /// Segments at each end.
    at: Vec<Vec<usize>>,
}

impl SegmentGraph {
    fn new(object: &Object, skeleton: &Skeleton) -> Self {
        let mut segments = Vec::new();
        let mut count = skeleton.nodes.len();
        for (number, edge) in skeleton.edges.iter().enumerate() {
            let last = edge.points.len() - 1;
            let mut from = edge.nodes[0];
            for (n, pair) in edge.points.windows(2).enumerate() {
                let to = if n + 1 == last {
                    edge.nodes[1]
                } else {
                    count += 1;
                    count - 1
                };
                let points = [pair[0], pair[1]].map(|point| object.world(point));
                segments.push(Segment {
                    ends: [from, to],
                    points,
                    length: (points[1] - points[0]).norm(),
                    edge: number,
                });
                from = to;
            }
        }
        let mut at = vec![Vec::new(); count];
        for (number, segment) in segments.iter().enumerate() {
            segment.ends.iter().for_each(|&end| at[end].push(number));
        }
        Self { segments, at }
    }

    /// Returns the path lengths from an end of a segment to all ends within a maximum length.
    fn path_lengths(&self, from: usize, max_length: f64) -> BTreeMap<usize, f64> {
        let mut path_lengths = BTreeMap::from([(from, 0.0)]);
        // few, so a priority queue would not pay off
        let mut queue = vec![from];
        while let Some(end) = queue.pop() {
            let length_so_far = path_lengths[&end];
            for &number in &self.at[end] {
                let segment = &self.segments[number];
                let other_end = segment.ends[usize::from(segment.ends[0] == end)];
                let next = length_so_far + segment.length;
                if next <= max_length
                    && path_lengths.get(&other_end).is_none_or(|&best| next < best)
                {
                    path_lengths.insert(other_end, next);
                    queue.push(other_end);
                }
            }
        }
        path_lengths
    }
}

/// Finds positions that are passed twice: points of curves at a distance of at most [`Rules::near`]
/// whose distance along the curves is more than twice the smallest spacing. Also finds edges and
/// segments of zero length.
pub fn check(
    verdict: &mut Verdict,
    object: &Object,
    skeleton: &Skeleton,
    traced: &CurveTrace,
    rules: &Rules,
) {
    let smallest = object.spacing().min();
    let near = rules.near * smallest;
    let min_separation = 2.0 * smallest;
    for (number, edge) in skeleton.edges.iter().enumerate() {
        let component = traced.edges[number];
        if let Some(pair) = edge.points.windows(2).find(|pair| pair[0] == pair[1]) {
            verdict.thin.add_fault(component, pair[0], || {
                format!("edge {number} has two coincident points")
            });
        }
    }
    let graph = SegmentGraph::new(object, skeleton);
    let cell = |point: Point3<f64>| [0, 1, 2].map(|k| (point[k] / smallest).floor() as i64);
    let mut cells: HashMap<[i64; 3], Vec<usize>> = HashMap::new();
    let step = 1.5 * near;
    let sample_positions = |segment: &Segment| {
        let count = (segment.length / step).ceil().max(1.0) as usize;
        let [a, b] = segment.points;
        (0..=count).map(move |n| a + (b - a) * (n as f64 / count as f64))
    };
    for (number, segment) in graph.segments.iter().enumerate() {
        for position in sample_positions(segment) {
            let inside = cells.entry(cell(position)).or_default();
            if inside.last() != Some(&number) {
                inside.push(number);
            }
        }
    }
    for (number, segment) in graph.segments.iter().enumerate() {
        let mut path_lengths = None;
        for position in sample_positions(segment) {
            let [x, y, z] = cell(position);
            let around = (0..27).map(|n| [x + n % 3 - 1, y + n / 3 % 3 - 1, z + n / 9 - 1]);
            let others = around.filter_map(|cell| cells.get(&cell)).flatten();
            let passed_segment = others.copied().find(|&candidate| {
                if candidate == number {
                    return false;
                }
                let other_segment = &graph.segments[candidate];
                let (distance, offset_along) = nearest(position, other_segment.points);
                if distance > near {
                    return false;
                }
                let path_lengths = path_lengths.get_or_insert_with(|| {
                    segment
                        .ends
                        .map(|end| graph.path_lengths(end, min_separation))
                });
                let offset = (position - segment.points[0]).norm();
                let distances_to_ends = [offset, segment.length - offset];
                let distances_to_other_ends = [offset_along, other_segment.length - offset_along];
                let length_through = |i: usize, j: usize| {
                    let between = path_lengths[i].get(&other_segment.ends[j])?;
                    Some(distances_to_ends[i] + between + distances_to_other_ends[j])
                };
                let shortest = (0..4)
                    .filter_map(|n| length_through(n / 2, n % 2))
                    .fold(f64::INFINITY, f64::min);
                shortest > min_separation
            });
            if let Some(candidate) = passed_segment {
                let other_edge = graph.segments[candidate].edge;
                let voxels = object.geometry.world_to_index(position);
                verdict
                    .thin
                    .add_fault(traced.edges[segment.edge], voxels, || {
                        format!("edges {} and {other_edge} coincide here", segment.edge)
                    });
            }
        }
    }
}

/// Returns the distance of a point from a segment, and the position of the nearest point as a
/// length from the segment's start.
fn nearest(point: Point3<f64>, [a, b]: [Point3<f64>; 2]) -> (f64, f64) {
    let direction = b - a;
    let part = (point - a).dot(&direction) / direction.norm_squared().max(f64::MIN_POSITIVE);
    let part = part.clamp(0.0, 1.0);
    (
        (point - (a + direction * part)).norm(),
        part * direction.norm(),
    )
}
