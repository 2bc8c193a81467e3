//! Whether no place is passed twice.

use super::{Object, Rules, Verdict, inside::Traced};
use ferrovox::graph::Skeleton;
use nalgebra::Point3;
use std::collections::{BTreeMap, HashMap};

/// A straight part of a curve.
struct Segment {
    /// Its ends, by their number among nodes and inner points.
    ends: [usize; 2],
    points: [Point3<f64>; 2],
    length: f64,
    edge: usize,
}

/// The curves as segments that hang together, in world units.
struct Wires {
    segments: Vec<Segment>,
    /// The segments at each end.
    at: Vec<Vec<usize>>,
}

impl Wires {
    fn of(object: &Object, skeleton: &Skeleton) -> Self {
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

    /// The lengths of the ways from an end of a segment to other ends, up to a length.
    fn ways(&self, from: usize, most: f64) -> BTreeMap<usize, f64> {
        let mut ways = BTreeMap::from([(from, 0.0)]);
        // few: a queue in order is not worth it
        let mut open = vec![from];
        while let Some(end) = open.pop() {
            let way = ways[&end];
            for &number in &self.at[end] {
                let segment = &self.segments[number];
                let other = segment.ends[usize::from(segment.ends[0] == end)];
                let next = way + segment.length;
                if next <= most && ways.get(&other).is_none_or(|&known| next < known) {
                    ways.insert(other, next);
                    open.push(other);
                }
            }
        }
        ways
    }
}

/// Looks for places that are passed twice: points of curves no farther apart than [`Rules::near`],
/// with more than two of the smallest spacing between them along the curves. And for edges and
/// segments of no length.
pub fn check(
    verdict: &mut Verdict,
    object: &Object,
    skeleton: &Skeleton,
    traced: &Traced,
    rules: &Rules,
) {
    let smallest = object.spacing().min();
    let near = rules.near * smallest;
    let apart = 2.0 * smallest;
    for (number, edge) in skeleton.edges.iter().enumerate() {
        let component = traced.edges[number];
        if let Some(pair) = edge.points.windows(2).find(|pair| pair[0] == pair[1]) {
            verdict.thin.fault(component, pair[0], || {
                format!("edge {number} has two points in one place")
            });
        }
    }
    let wires = Wires::of(object, skeleton);
    let cell = |point: Point3<f64>| [0, 1, 2].map(|k| (point[k] / smallest).floor() as i64);
    let mut cells: HashMap<[i64; 3], Vec<usize>> = HashMap::new();
    let step = 1.5 * near;
    let places = |segment: &Segment| {
        let count = (segment.length / step).ceil().max(1.0) as usize;
        let [a, b] = segment.points;
        (0..=count).map(move |n| a + (b - a) * (n as f64 / count as f64))
    };
    for (number, segment) in wires.segments.iter().enumerate() {
        for place in places(segment) {
            let inside = cells.entry(cell(place)).or_default();
            if inside.last() != Some(&number) {
                inside.push(number);
            }
        }
    }
    for (number, segment) in wires.segments.iter().enumerate() {
        let mut ways = None;
        for place in places(segment) {
            let [x, y, z] = cell(place);
            let around = (0..27).map(|n| [x + n % 3 - 1, y + n / 3 % 3 - 1, z + n / 9 - 1]);
            let others = around.filter_map(|cell| cells.get(&cell)).flatten();
            let twice = others.copied().find(|&other| {
                if other == number {
                    return false;
                }
                let theirs = &wires.segments[other];
                let (far, along) = nearest(place, theirs.points);
                if far > near {
                    return false;
                }
                let ways =
                    ways.get_or_insert_with(|| segment.ends.map(|end| wires.ways(end, apart)));
                let own = (place - segment.points[0]).norm();
                let to_own = [own, segment.length - own];
                let to_theirs = [along, theirs.length - along];
                let way = |i: usize, j: usize| {
                    let between = ways[i].get(&theirs.ends[j])?;
                    Some(to_own[i] + between + to_theirs[j])
                };
                let shortest = (0..4)
                    .filter_map(|n| way(n / 2, n % 2))
                    .fold(f64::INFINITY, f64::min);
                shortest > apart
            });
            if let Some(other) = twice {
                let theirs = wires.segments[other].edge;
                let voxels = object.geometry.world_to_index(place);
                verdict.thin.fault(traced.edges[segment.edge], voxels, || {
                    format!("edges {} and {theirs} pass here", segment.edge)
                });
            }
        }
    }
}

/// The distance of a point from a segment, and where in the segment the nearest place is, as a
/// length from its beginning.
fn nearest(point: Point3<f64>, [a, b]: [Point3<f64>; 2]) -> (f64, f64) {
    let along = b - a;
    let part = (point - a).dot(&along) / along.norm_squared().max(f64::MIN_POSITIVE);
    let part = part.clamp(0.0, 1.0);
    ((point - (a + along * part)).norm(), part * along.norm())
}
