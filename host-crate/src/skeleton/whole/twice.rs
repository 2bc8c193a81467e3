//! Places that curves pass twice.

use super::{crossing::in_voxels, draft::Draft, known::Known};
use nalgebra::Vector3;
use std::collections::HashMap;

/// Two places are one if they are no farther apart than this, in the smallest spacing,
const NEAR: f64 = 0.12;
/// and longer than this is the way from one to the other along the curves.
const APART: f64 = 1.95;

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
    let cells = segments.cells();
    (0..segments.ends.len()).find_map(|segment| segments.passed_again(segment, &cells))
}

/// For each segment of a draft the first of its places that is passed again by a later segment.
pub fn all(known: &Known<'_>, draft: &Draft) -> Vec<Twice> {
    let segments = Segments::of(known, draft);
    let cells = segments.cells();
    (0..segments.ends.len())
        .filter_map(|segment| segments.passed_again(segment, &cells))
        .collect()
}

type Cell = [i32; 3];

/// The cells of one spacing that a segment is in or near to.
fn cells_of([a, b]: &[Vector3<f64>; 2], mut visit: impl FnMut(Cell)) {
    let ends = [0, 1, 2].map(|axis| {
        let (low, high) = (a[axis].min(b[axis]) - NEAR, a[axis].max(b[axis]) + NEAR);
        [low.floor() as i32, high.floor() as i32]
    });
    for z in ends[2][0]..=ends[2][1] {
        for y in ends[1][0]..=ends[1][1] {
            for x in ends[0][0]..=ends[0][1] {
                visit([x, y, z]);
            }
        }
    }
}

impl Segments {
    fn of(known: &Known<'_>, draft: &Draft) -> Self {
        let mut segments = Self {
            ends: Vec::new(),
            points: Vec::new(),
            of_edge: Vec::new(),
            at: vec![Vec::new(); draft.nodes.len()],
        };
        let world = |place| Vector3::from(known.metric.world(in_voxels(place)));
        for (number, edge) in draft.edges.iter().enumerate() {
            let mut from = edge.nodes[0];
            for (at, pair) in edge.points.windows(2).enumerate() {
                let to = if at + 2 == edge.points.len() {
                    edge.nodes[1]
                } else {
                    segments.at.push(Vec::new());
                    segments.at.len() - 1
                };
                for end in [from, to] {
                    segments.at[end].push(segments.ends.len());
                }
                segments.ends.push([from, to]);
                segments.points.push([world(pair[0]), world(pair[1])]);
                segments.of_edge.push([number, at]);
                from = to;
            }
        }
        segments
    }

    fn length(&self, segment: usize) -> f64 {
        let [a, b] = self.points[segment];
        (b - a).norm()
    }

    /// The segments in each cell.
    fn cells(&self) -> HashMap<Cell, Vec<u32>> {
        let mut cells: HashMap<Cell, Vec<u32>> = HashMap::new();
        for (segment, points) in (0u32..).zip(&self.points) {
            cells_of(points, |cell| cells.entry(cell).or_default().push(segment));
        }
        cells
    }

    /// The first place of a segment that is one of a later segment too.
    fn passed_again(&self, segment: usize, cells: &HashMap<Cell, Vec<u32>>) -> Option<Twice> {
        let mut others = Vec::new();
        cells_of(&self.points[segment], |cell| {
            let there = cells.get(&cell).into_iter().flatten();
            others.extend(
                there
                    .map(|&other| other as usize)
                    .filter(|&other| other > segment),
            );
        });
        others.sort_unstable();
        others.dedup();
        others.retain(|&other| segments_are_near(&self.points[segment], &self.points[other]));
        if others.is_empty() {
            return None;
        }
        let ways = self.ends[segment].map(|end| self.ways(end));
        let [a, b] = self.points[segment];
        let length = self.length(segment);
        let count = (length / (0.3 * NEAR)).ceil().max(1.0) as usize;
        (0..=count).find_map(|number| {
            let part = number as f64 / count as f64;
            let (place, along) = (a.lerp(&b, part), part * length);
            others.iter().find_map(|&other| {
                let (far, part) = nearest(&place, &self.points[other]);
                if far > NEAR {
                    return None;
                }
                let whole = self.length(other);
                let there = part * whole;
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
        })
    }

    /// The lengths of the shortest ways from an end to others along curves, up to the longest that counts.
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
                    ways.insert(other, next);
                    waiting.push(other);
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
