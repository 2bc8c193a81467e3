//! Curves that leave a node through the same places: they leave it as one curve, to a node where they part.
//!
//! Curves that meet at a small angle are moved to the same middle for a while. Each such stretch is kept once.

use super::{
    cocycle::Cocycle,
    crossing::{Place, in_voxels, nearest},
    draft::{Draft, DraftEdge},
    known::Known,
    resample::is_same,
};
use nalgebra::Vector3;

/// Curves are in the same place where they are no farther apart than this; in the smallest spacing, as all lengths here.
const TOGETHER: f64 = 0.3;
/// Stretches from a node on that are shorter than this, both together, stay.
const LEAST: f64 = 1.8;
/// The steps in which curves are compared.
const STEP: f64 = 0.2;
/// A curve that has parted arrives at its old place after this length.
const AFTER: f64 = 1.0;

/// Moves nodes to where their curves part. Pieces, cycles and their classes stay; ends of curves that lie wholly on others go.
pub fn part(known: &Known<'_>, cocycle: &mut Cocycle, draft: &mut Draft) {
    let mut graph = Graph::of(std::mem::take(draft));
    let mut waiting: Vec<usize> = (0..graph.nodes.len()).rev().collect();
    // each time curves become shorter by a step or more: this many are never needed
    let mut left = 1000 + 20 * graph.edges.len();
    while let Some(node) = waiting.pop() {
        if left > 0 && graph.part_at(known, cocycle, node, &mut waiting) {
            left -= 1;
            waiting.push(node);
        }
    }
    *draft = graph.finish();
}

/// An end of an edge: the edge, and 0 or 1.
type Tip = (usize, usize);

/// A draft that is being changed.
struct Graph {
    nodes: Vec<Place>,
    /// Those without points are gone.
    edges: Vec<DraftEdge>,
    /// The ends of edges at each node.
    tips: Vec<Vec<Tip>>,
    /// Whether a node is gone.
    is_gone: Vec<bool>,
}

/// What two curves from a node on share.
struct Stretch {
    tips: [Tip; 2],
    /// How far along each.
    along: [f64; 2],
}

impl Graph {
    /// Rings get a second node.
    fn of(draft: Draft) -> Self {
        let Draft { nodes, edges } = draft;
        let mut graph = Self {
            tips: vec![Vec::new(); nodes.len()],
            is_gone: vec![false; nodes.len()],
            nodes,
            edges: Vec::with_capacity(edges.len()),
        };
        for mut edge in edges {
            if edge.nodes[0] == edge.nodes[1] && edge.points.len() > 2 {
                let at = edge.points.len() / 2;
                let middle = graph.add_node(edge.points[at]);
                graph.add_edge(DraftEdge {
                    nodes: [middle, edge.nodes[1]],
                    points: edge.points[at..].to_vec(),
                    voxels: Vec::new(),
                });
                edge.points.truncate(at + 1);
                edge.nodes[1] = middle;
            }
            graph.add_edge(edge);
        }
        graph
    }

    fn add_node(&mut self, at: Place) -> usize {
        self.nodes.push(at);
        self.tips.push(Vec::new());
        self.is_gone.push(false);
        self.nodes.len() - 1
    }

    fn add_edge(&mut self, edge: DraftEdge) {
        let number = self.edges.len();
        for (end, &node) in edge.nodes.iter().enumerate() {
            self.tips[node].push((number, end));
        }
        self.edges.push(edge);
    }

    fn remove_edge(&mut self, edge: usize) {
        for node in self.edges[edge].nodes {
            self.tips[node].retain(|tip| tip.0 != edge);
        }
        self.edges[edge].points.clear();
    }

    /// The node at the other end of an edge.
    fn beyond(&self, (edge, end): Tip) -> usize {
        self.edges[edge].nodes[1 - end]
    }

    /// An edge from one of its ends on.
    fn line(&self, known: &Known<'_>, (edge, end): Tip) -> Line {
        let points = &self.edges[edge].points;
        Line::of(
            known,
            match end {
                0 => points.clone(),
                _ => points.iter().rev().copied().collect(),
            },
        )
    }

    /// Replaces an edge by one from another node to where it went; the points are those from the new node on.
    fn replace(&mut self, tip: Tip, node: usize, mut points: Vec<Place>) {
        let (edge, end) = tip;
        let old = self.edges[edge].nodes[end];
        self.tips[old].retain(|&other| other != tip);
        self.tips[node].push(tip);
        if end == 1 {
            points.reverse();
        }
        self.edges[edge].nodes[end] = node;
        self.edges[edge].points = points;
    }

    /// Parts two curves at a node farther on, if there are two that share a stretch. Nodes to look at again are added to `waiting`.
    fn part_at(
        &mut self,
        known: &Known<'_>,
        cocycle: &mut Cocycle,
        node: usize,
        waiting: &mut Vec<usize>,
    ) -> bool {
        let tips = self.tips[node].clone();
        if self.is_gone[node] || tips.len() < 2 {
            return false;
        }
        let lines: Vec<Line> = tips.iter().map(|&tip| self.line(known, tip)).collect();
        for first in 0..tips.len() {
            for second in first + 1..tips.len() {
                if tips[first].0 == tips[second].0 {
                    continue;
                }
                let along = together(&lines[first], &lines[second]);
                if along[0] + along[1] < LEAST {
                    continue;
                }
                let stretch = Stretch {
                    tips: [tips[first], tips[second]],
                    along,
                };
                if self.part_two(
                    known,
                    cocycle,
                    &stretch,
                    [&lines[first], &lines[second]],
                    waiting,
                ) {
                    self.tidy(node, waiting);
                    return true;
                }
            }
        }
        false
    }

    /// Parts two curves where they part; whether that was possible.
    fn part_two(
        &mut self,
        known: &Known<'_>,
        cocycle: &mut Cocycle,
        stretch: &Stretch,
        lines: [&Line; 2],
        waiting: &mut Vec<usize>,
    ) -> bool {
        let far = stretch.tips.map(|tip| self.beyond(tip));
        let is_used = [0, 1].map(|k| stretch.along[k] >= lines[k].length() - 1e-9);
        // one lies on the other, up to its end
        for k in [1, 0] {
            if is_used[k] && self.tips[far[k]].len() == 1 {
                self.remove_edge(stretch.tips[k].0);
                self.is_gone[far[k]] = true;
                return true;
            }
        }
        // up to a node, from which the other goes on
        for k in [1, 0] {
            let other = 1 - k;
            if is_used[k] && !is_used[other] {
                let back = lines[k].places.iter().rev().copied();
                let along = stretch.along[other];
                let Some(points) = leaving(known, cocycle, back.collect(), lines[other], along)
                else {
                    continue;
                };
                self.replace(stretch.tips[other], far[k], points);
                waiting.push(far[k]);
                return true;
            }
        }
        if is_used == [true, true] {
            return false;
        }
        // a node where they part, a little before if that is not inside
        for part in [1.0, 0.75, 0.5] {
            let along = stretch.along.map(|along| along * part);
            if along[0] + along[1] < LEAST && part < 1.0 {
                return false;
            }
            let [kept, _] = lines;
            let (stem, rest) = kept.cut(along[0]);
            let node = stem[stem.len() - 1];
            let whole: Vec<Place> = stem.iter().chain(&rest[1..]).copied().collect();
            if !is_same(known, cocycle, &kept.places, &whole) {
                continue;
            }
            let back = stem.iter().rev().copied().collect();
            let Some(points) = leaving(known, cocycle, back, lines[1], along[1]) else {
                continue;
            };
            let from = self.edges[stretch.tips[0].0].nodes[stretch.tips[0].1];
            let node = self.add_node(node);
            self.replace(stretch.tips[0], node, rest);
            self.replace(stretch.tips[1], node, points);
            self.add_edge(DraftEdge {
                nodes: [from, node],
                points: stem,
                voxels: Vec::new(),
            });
            waiting.extend([node, far[0], far[1]]);
            return true;
        }
        false
    }

    /// Takes away a node that curves no longer lead through: an end that was none, or the place between two edges.
    fn tidy(&mut self, node: usize, waiting: &mut Vec<usize>) {
        match self.tips[node][..] {
            [tip] => {
                let other = self.beyond(tip);
                self.remove_edge(tip.0);
                self.is_gone[node] = true;
                self.join_edges(other);
                waiting.push(other);
            }
            [one, other] => {
                waiting.extend([one, other].map(|tip| self.beyond(tip)));
                self.join_edges(node);
            }
            _ => {}
        }
    }

    /// Makes one edge of the only two at a node.
    fn join_edges(&mut self, node: usize) {
        let [one, other] = self.tips[node][..] else {
            return;
        };
        if one.0 == other.0 {
            return;
        }
        let ends = [one, other].map(|tip| self.beyond(tip));
        let oriented = |(edge, end): Tip, last: usize| {
            let mut points = self.edges[edge].points.clone();
            if end != last {
                points.reverse();
            }
            points
        };
        let mut points = oriented(one, 1);
        points.extend(&oriented(other, 0)[1..]);
        self.remove_edge(one.0);
        self.remove_edge(other.0);
        self.is_gone[node] = true;
        self.edges[one.0] = DraftEdge {
            nodes: ends,
            points,
            voxels: Vec::new(),
        };
        for (end, &node) in ends.iter().enumerate() {
            self.tips[node].push((one.0, end));
        }
    }

    /// What is left. Rings lose their second nodes.
    fn finish(mut self) -> Draft {
        for node in (0..self.nodes.len()).rev() {
            if !self.is_gone[node] {
                self.join_edges(node);
            }
        }
        let mut number = vec![0; self.nodes.len()];
        let mut draft = Draft::default();
        for (node, &at) in self.nodes.iter().enumerate() {
            if !self.is_gone[node] {
                number[node] = draft.nodes.len();
                draft.nodes.push(at);
            }
        }
        for mut edge in self.edges {
            if !edge.points.is_empty() {
                edge.nodes = edge.nodes.map(|node| number[node]);
                draft.edges.push(edge);
            }
        }
        draft
    }
}

/// How far along two curves from one node are in the same place.
fn together(one: &Line, other: &Line) -> [f64; 2] {
    let mut along = [0.0, 0.0];
    while along[0] < one.length() {
        let next = (along[0] + STEP).min(one.length());
        let (far, there) = other.nearest(one.at(next), along[1], along[1] + 4.0 * STEP);
        if far > TOGETHER {
            break;
        }
        along = [next, there];
    }
    along
}

/// The points of a curve that leaves another at the first of `back` and is in its old place soon after `along`. `back` leads from there to the node that both came from.
fn leaving(
    known: &Known<'_>,
    cocycle: &mut Cocycle,
    back: Vec<Place>,
    line: &Line,
    along: f64,
) -> Option<Vec<Place>> {
    let node = back[0];
    for after in [AFTER, 0.5 * AFTER, 2.0 * AFTER] {
        let (_, rest) = line.cut((along + after).min(line.length()));
        if rest[0] == node {
            continue;
        }
        let mut whole = back.clone();
        whole.extend(&line.places[1..]);
        let mut new = vec![node];
        new.extend(&rest);
        if is_same(known, cocycle, &whole, &new) {
            return Some(new);
        }
    }
    None
}

/// A way with its lengths.
struct Line {
    places: Vec<Place>,
    world: Vec<Vector3<f64>>,
    /// The length up to each place.
    sums: Vec<f64>,
}

impl Line {
    fn of(known: &Known<'_>, places: Vec<Place>) -> Self {
        let world: Vec<Vector3<f64>> = places
            .iter()
            .map(|&place| known.metric.world(in_voxels(place)).into())
            .collect();
        let mut sums = vec![0.0];
        for ends in world.windows(2) {
            sums.push(sums[sums.len() - 1] + (ends[1] - ends[0]).norm());
        }
        Self {
            places,
            world,
            sums,
        }
    }

    fn length(&self) -> f64 {
        self.sums[self.sums.len() - 1]
    }

    /// The segment with a length along the way, and the part of it.
    fn segment(&self, along: f64) -> (usize, f64) {
        let after = self.sums.partition_point(|&sum| sum <= along);
        let segment = after.clamp(1, self.sums.len() - 1) - 1;
        let length = self.sums[segment + 1] - self.sums[segment];
        let part = (along - self.sums[segment]) / length.max(f64::MIN_POSITIVE);
        (segment, part.clamp(0.0, 1.0))
    }

    fn at(&self, along: f64) -> Vector3<f64> {
        let (segment, part) = self.segment(along);
        self.world[segment].lerp(&self.world[segment + 1], part)
    }

    /// The nearest place between two lengths: its distance, and the length up to it.
    fn nearest(&self, from: Vector3<f64>, low: f64, high: f64) -> (f64, f64) {
        let high = high.min(self.length());
        let mut best = (f64::INFINITY, low);
        for segment in self.segment(low).0..=self.segment(high).0 {
            let [a, b] = [self.world[segment], self.world[segment + 1]];
            let way = b - a;
            let length = self.sums[segment + 1] - self.sums[segment];
            let part = (from - a).dot(&way) / way.norm_squared().max(f64::MIN_POSITIVE);
            let along = self.sums[segment] + part.clamp(0.0, 1.0) * length;
            let along = along.clamp(low, high);
            let far = (self.at(along) - from).norm();
            if far < best.0 {
                best = (far, along);
            }
        }
        best
    }

    /// The places up to a length and those from there on; what is there is in both.
    fn cut(&self, along: f64) -> (Vec<Place>, Vec<Place>) {
        let (segment, part) = self.segment(along);
        let [a, b] = [segment, segment + 1].map(|at| in_voxels(self.places[at]));
        let at = nearest([0, 1, 2].map(|axis| a[axis] + part * (b[axis] - a[axis])));
        let mut before = self.places[..=segment].to_vec();
        if before[segment] != at {
            before.push(at);
        }
        let mut after = vec![at];
        let rest = &self.places[segment + 1..];
        after.extend(&rest[usize::from(rest[0] == at)..]);
        (before, after)
    }
}
