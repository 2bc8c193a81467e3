//! Places that curves pass twice.

use super::intermediate_graph::Draft;
use crate::{
    memory::{CollectOrUnwind, ExtendOrUnwind, filled_or_unwind, with_capacity_or_unwind},
    parallel,
    skeleton::medial::{
        context::Known, paths::segment_voxels::in_voxels, voxels::row_index::floor,
    },
};
use nalgebra::Vector3;
use rayon::slice::ParallelSliceMut;
use std::collections::HashMap;

/// Two places are one if they are no farther apart than this, in the smallest spacing,
const NEAR: f64 = 0.12;
/// and longer than this is the way from one to the other along the curves.
const APART: f64 = 1.95;
/// Pairs of segments that a thread looks at in a row.
const PAIRS: usize = 1 << 6;

/// Segments of curves, which hang together at their ends.
struct Segments {
    /// For each its ends: a node, or the nodes' number and the number of the point.
    ends: Vec<[usize; 2]>,
    points: Vec<[Vector3<f64>; 2]>,
    /// The edge of each, and its number there.
    of_edge: Vec<[usize; 2]>,
    /// The segments at each end.
    at: Vec<Vec<usize>>,
}

/// A place of a draft that is passed twice.
#[derive(Clone, Copy, Debug)]
pub struct Twice {
    /// The two edges, which may be one, the segments, and how far along these the place is.
    pub edges: [usize; 2],
    pub segments: [usize; 2],
    pub along: [f64; 2],
}

/// The first place of a draft that is passed twice.
pub fn first(known: &Known<'_>, draft: &Draft) -> Option<Twice> {
    let segments = Segments::of(known, draft);
    let pairs = segments.near();
    parallel::find_first(pairs.len(), PAIRS, |range| {
        let mut pairs = pairs[range].iter();
        pairs.find_map(|&pair| segments.passed_by_both(pair))
    })
}

/// Places of a draft that are passed twice, of two segments the first.
pub fn all(known: &Known<'_>, draft: &Draft) -> Vec<Twice> {
    let segments = Segments::of(known, draft);
    let pairs = segments.near();
    parallel::collect(pairs.len(), PAIRS, |range, list| {
        let pairs = pairs[range].iter();
        list.extend_or_unwind(pairs.filter_map(|&pair| segments.passed_by_both(pair)));
    })
}

type Cell = [i32; 3];

/// The cells of one spacing around a segment and what is near to it: the first and the last along
/// each axis.
fn cells_of([a, b]: &[Vector3<f64>; 2]) -> [Cell; 2] {
    [
        [0, 1, 2].map(|axis| floor(a[axis].min(b[axis]) - NEAR)),
        [0, 1, 2].map(|axis| floor(a[axis].max(b[axis]) + NEAR)),
    ]
}

impl Segments {
    fn of(known: &Known<'_>, draft: &Draft) -> Self {
        let mut segments = Self {
            ends: Vec::new(),
            points: Vec::new(),
            of_edge: Vec::new(),
            at: filled_or_unwind(Vec::new(), draft.nodes.len()),
        };
        let world = |place| Vector3::from(known.metric.world(in_voxels(place)));
        for (number, edge) in draft.edges.iter().enumerate() {
            let mut from = edge.nodes[0];
            for (at, pair) in edge.points.windows(2).enumerate() {
                let to = if at + 2 == edge.points.len() {
                    edge.nodes[1]
                } else {
                    segments.at.push_or_unwind(Vec::new());
                    segments.at.len() - 1
                };
                for end in [from, to] {
                    segments.at[end].push_or_unwind(segments.ends.len());
                }
                segments.ends.push_or_unwind([from, to]);
                segments
                    .points
                    .push_or_unwind([world(pair[0]), world(pair[1])]);
                segments.of_edge.push_or_unwind([number, at]);
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
    fn near(&self) -> Vec<[u32; 2]> {
        let boxes: Vec<[Cell; 2]> = self.points.iter().map(cells_of).collect_or_unwind();
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
        a.dot(&b) > 0.5 * a.norm() * b.norm() && a.norm() + b.norm() > APART
    }

    /// The first place of a segment that another passes too.
    fn passed_by_both(&self, [segment, other]: [u32; 2]) -> Option<Twice> {
        let [segment, other] = [segment as usize, other as usize];
        let mut ways = None;
        let [a, b] = self.points[segment];
        let length = self.length(segment);
        let count = (length / (0.3 * NEAR)).ceil().max(1.0) as usize;
        (0..=count).find_map(|number| {
            let part = number as f64 / count as f64;
            let (place, along) = (a.lerp(&b, part), part * length);
            let (far, part) = nearest(&place, &self.points[other]);
            if far > NEAR {
                return None;
            }
            let whole = self.length(other);
            let there = part * whole;
            let ways = ways.get_or_insert_with(|| self.ends[segment].map(|end| self.ways(end)));
            let way = |mine: usize, theirs: usize| {
                let between = ways[mine].get(&self.ends[other][theirs])?;
                let own = [along, length - along][mine];
                Some(own + between + [there, whole - there][theirs])
            };
            let is_far = (0..4)
                .filter_map(|pair| way(pair / 2, pair % 2))
                .all(|way| way > APART);
            let [mine, theirs] = [segment, other].map(|segment| self.of_edge[segment]);
            is_far.then_some(Twice {
                edges: [mine[0], theirs[0]],
                segments: [mine[1], theirs[1]],
                along: [along, there],
            })
        })
    }

    /// The lengths of the shortest ways from an end to others along curves, up to the longest that
    /// counts.
    fn ways(&self, from: usize) -> HashMap<usize, f64> {
        let mut ways = HashMap::from([(from, 0.0)]);
        let mut waiting = vec![from];
        while let Some(end) = waiting.pop() {
            let length = ways[&end];
            for &segment in &self.at[end] {
                let [a, b] = self.ends[segment];
                let other = if a == end { b } else { a };
                let next = length + self.length(segment);
                if next <= APART && ways.get(&other).is_none_or(|&known| next < known) {
                    ways.push_or_unwind((other, next));
                    waiting.push_or_unwind(other);
                }
            }
        }
        ways
    }
}

/// Whether boxes around two segments are so near that the segments may be.
fn segments_are_near(one: &[Vector3<f64>; 2], other: &[Vector3<f64>; 2]) -> bool {
    (0..3).all(|axis| {
        let range = |[a, b]: &[Vector3<f64>; 2]| (a[axis].min(b[axis]), a[axis].max(b[axis]));
        let ((from, to), (low, high)) = (range(one), range(other));
        from <= high + NEAR && low <= to + NEAR
    })
}

/// The distance of a place from a segment, and which part of it is before the nearest place.
fn nearest(place: &Vector3<f64>, [a, b]: &[Vector3<f64>; 2]) -> (f64, f64) {
    let way = b - a;
    let part = (place - a).dot(&way) / way.norm_squared().max(f64::MIN_POSITIVE);
    let part = part.clamp(0.0, 1.0);
    ((place - (a + way * part)).norm(), part)
}
