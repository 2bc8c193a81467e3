//! Curves that leave a node through the same places: they leave it as one curve, to a node where
//! they part.
//!
//! Curves that meet at a small angle are moved to the same middle for a while. Each such stretch is
//! kept once.

mod editable_graph;
mod overlap_junctions;
mod polyline;
#[cfg(test)]
mod tests;

use super::{
    intermediate_graph::{Draft, DraftEdge},
    resample::is_same,
    self_overlap,
};
use crate::{
    memory::{CollectOrUnwind, ExtendOrUnwind, copy_or_unwind},
    monitor::Cancelled,
    skeleton::medial::{context::Known, paths::segment_voxels::Place, topology::cocycle::Cocycle},
};
use editable_graph::{Graph, Tip};
use polyline::Line;

/// Curves are in the same place where they are no farther apart than this; in the smallest spacing,
/// as all lengths here.
const TOGETHER: f64 = 0.3;
/// Stretches from a node on that are shorter than this, both together, stay.
const LEAST: f64 = 1.8;
/// The steps in which curves are compared.
const STEP: f64 = 0.2;
/// A curve that has parted arrives at its old place after this length.
const AFTER: f64 = 1.0;

/// How often places that are passed twice are sought at most.
const ROUNDS: usize = 10;

/// Moves nodes to where their curves part, and has curves that pass a place twice meet there
/// instead. Pieces, cycles and their classes stay; what lies wholly on other curves goes.
pub fn part(known: &Known<'_>, cocycle: &Cocycle, draft: &mut Draft) -> Result<(), Cancelled> {
    let mut graph = Graph::of(std::mem::take(draft));
    let all = 0..graph.nodes.len();
    graph.part_all(known, cocycle, all.rev().collect_or_unwind())?;
    *draft = graph.finish();
    for _ in 0..ROUNDS {
        let places = self_overlap::all(known, draft);
        if places.is_empty() {
            break;
        }
        let mut graph = Graph::of_edges(std::mem::take(draft));
        let mut waiting = Vec::new();
        for place in places {
            if !place.edges.iter().any(|&edge| graph.is_changed[edge]) {
                graph.meet(known, cocycle, place, &mut waiting);
            }
        }
        graph.part_all(known, cocycle, waiting)?;
        *draft = graph.finish();
    }
    Ok(())
}

/// Whether a change made a new curve.
type IsNew = bool;

/// What two curves from a node on share.
struct Stretch {
    tips: [Tip; 2],
    /// How far along each.
    along: [f64; 2],
}

impl Graph {
    /// Parts curves at some nodes, and where that makes others.
    fn part_all(
        &mut self,
        known: &Known<'_>,
        cocycle: &Cocycle,
        mut waiting: Vec<usize>,
    ) -> Result<(), Cancelled> {
        // so many times at most, so that it ends
        let mut left = 1000 + 20 * self.edges.len();
        while let Some(node) = waiting.pop() {
            known.steps.check()?;
            if left > 0 && self.part_at(known, cocycle, node, &mut waiting) {
                left -= 1;
                waiting.push_or_unwind(node);
            }
        }
        Ok(())
    }

    /// Parts two curves at a node farther on, if there are two that share a stretch. Nodes to look
    /// at again are added to `waiting`.
    fn part_at(
        &mut self,
        known: &Known<'_>,
        cocycle: &Cocycle,
        node: usize,
        waiting: &mut Vec<usize>,
    ) -> bool {
        let tips = copy_or_unwind(&self.tips[node]);
        if self.is_gone[node] || tips.len() < 2 {
            return false;
        }
        let lines: Vec<Line> = tips
            .iter()
            .map(|&tip| self.line(known, tip))
            .collect_or_unwind();
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
                let lines = [&lines[first], &lines[second]];
                if let Some(is_new) = self.part_two(known, cocycle, &stretch, lines, waiting) {
                    // a new curve from a node without another leads nowhere
                    if is_new || self.tips[node].len() != 1 {
                        self.tidy(node, waiting);
                    }
                    return true;
                }
            }
        }
        false
    }

    /// Parts two curves where they part; whether that was possible, and whether it made a new curve
    /// from the node.
    fn part_two(
        &mut self,
        known: &Known<'_>,
        cocycle: &Cocycle,
        stretch: &Stretch,
        lines: [&Line; 2],
        waiting: &mut Vec<usize>,
    ) -> Option<IsNew> {
        let far = stretch.tips.map(|tip| self.beyond(tip));
        let is_used = [0, 1].map(|k| stretch.along[k] >= lines[k].length() - 1e-9);
        // one lies on the other, up to its end
        for k in [1, 0] {
            if is_used[k] && self.tips[far[k]].len() == 1 {
                self.remove_edge(stretch.tips[k].0);
                self.is_gone[far[k]] = true;
                return Some(false);
            }
        }
        // up to a node, from which the other goes on
        for k in [1, 0] {
            let other = 1 - k;
            if is_used[k] && !is_used[other] {
                let back = lines[k].places.iter().rev().copied();
                let along = stretch.along[other];
                let Some(points) = leaving(
                    known,
                    cocycle,
                    back.collect_or_unwind(),
                    lines[other],
                    along,
                ) else {
                    continue;
                };
                self.replace(stretch.tips[other], far[k], points);
                waiting.push_or_unwind(far[k]);
                return Some(false);
            }
        }
        if is_used == [true, true] {
            return None;
        }
        // a node where they part, a little before if that is not inside
        for part in [1.0, 0.75, 0.5] {
            let along = stretch.along.map(|along| along * part);
            if along[0] + along[1] < LEAST && part < 1.0 {
                return None;
            }
            let [kept, _] = lines;
            let (stem, rest) = kept.cut(along[0]);
            let node = stem[stem.len() - 1];
            let whole: Vec<Place> = stem.iter().chain(&rest[1..]).copied().collect_or_unwind();
            if !is_same(known, cocycle, &kept.places, &whole) {
                continue;
            }
            let back = stem.iter().rev().copied().collect_or_unwind();
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
            waiting.extend_or_unwind([node, far[0], far[1]]);
            return Some(true);
        }
        None
    }

    /// Takes away a node that curves no longer lead through: an end that was none, or the place
    /// between two edges.
    fn tidy(&mut self, node: usize, waiting: &mut Vec<usize>) {
        match self.tips[node][..] {
            [tip] => {
                let other = self.beyond(tip);
                self.remove_edge(tip.0);
                self.is_gone[node] = true;
                self.join_edges(other);
                waiting.push_or_unwind(other);
            }
            [one, other] => {
                waiting.extend_or_unwind([one, other].map(|tip| self.beyond(tip)));
                self.join_edges(node);
            }
            _ => {}
        }
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

/// The points of a curve that leaves another at the first of `back` and is in its old place soon
/// after `along`. `back` leads from there to the node that both came from.
fn leaving(
    known: &Known<'_>,
    cocycle: &Cocycle,
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
        let mut whole = copy_or_unwind(&back);
        whole.extend_or_unwind(line.places[1..].iter().copied());
        let mut new = vec![node];
        new.extend_or_unwind(rest.iter().copied());
        if is_same(known, cocycle, &whole, &new) {
            return Some(new);
        }
    }
    None
}
