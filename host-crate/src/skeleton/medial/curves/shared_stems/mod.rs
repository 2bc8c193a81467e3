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
    intermediate_graph::{GraphEdge, IntermediateGraph},
    resample::is_same_class,
    self_overlap,
};
use crate::{
    memory::{CollectOrUnwind, ExtendOrUnwind, copy_or_unwind},
    monitor::Cancelled,
    skeleton::medial::{
        context::ComponentContext, paths::segment_voxels::FixedPoint, topology::cocycle::Cocycle,
    },
};
use editable_graph::{EdgeEnd, EditableGraph};
use polyline::Polyline;

/// Curves are in the same place where they are no farther apart than this; in the smallest spacing,
/// as all lengths here.
const MAX_DISTANCE: f64 = 0.3;
/// Stretches from a node on that are shorter than this, both together, stay.
const MIN_LENGTH: f64 = 1.8;
/// The steps in which curves are compared.
const STEP: f64 = 0.2;
/// A curve that has parted arrives at its old place after this length.
const REJOIN_LENGTH: f64 = 1.0;

/// How often places that are passed twice are sought at most.
const MAX_ROUNDS: usize = 10;

/// Moves nodes to where their curves part, and has curves that pass a place twice meet there
/// instead. Pieces, cycles and their classes stay; what lies wholly on other curves goes.
pub fn merge_shared_stems(
    context: &ComponentContext<'_>,
    cocycle: &Cocycle,
    draft: &mut IntermediateGraph,
) -> Result<(), Cancelled> {
    let mut graph = EditableGraph::with_split_loops(std::mem::take(draft));
    let all = 0..graph.nodes.len();
    graph.merge_all(context, cocycle, all.rev().collect_or_unwind())?;
    *draft = graph.finish();
    for _ in 0..MAX_ROUNDS {
        let positions = self_overlap::find_all(context, draft);
        if positions.is_empty() {
            break;
        }
        let mut graph = EditableGraph::from_edges(std::mem::take(draft));
        let mut pending = Vec::new();
        for position in positions {
            if !position.edges.iter().any(|&edge| graph.is_changed[edge]) {
                graph.join_overlap(context, cocycle, position, &mut pending);
            }
        }
        graph.merge_all(context, cocycle, pending)?;
        *draft = graph.finish();
    }
    Ok(())
}

/// Whether a change made a new curve.
type IsNewEdge = bool;

/// What two curves from a node on share.
struct SharedStretch {
    incident_ends: [EdgeEnd; 2],
    /// How far along each.
    along: [f64; 2],
}

impl EditableGraph {
    /// Parts curves at some nodes, and where that makes others.
    fn merge_all(
        &mut self,
        context: &ComponentContext<'_>,
        cocycle: &Cocycle,
        mut pending: Vec<usize>,
    ) -> Result<(), Cancelled> {
        // so many times at most, so that it ends
        let mut left = 1000 + 20 * self.edges.len();
        while let Some(node) = pending.pop() {
            context.progress.check()?;
            if left > 0 && self.merge_at(context, cocycle, node, &mut pending) {
                left -= 1;
                pending.push_or_unwind(node);
            }
        }
        Ok(())
    }

    /// Parts two curves at a node farther on, if there are two that share a stretch. Nodes to look
    /// at again are added to `waiting`.
    fn merge_at(
        &mut self,
        context: &ComponentContext<'_>,
        cocycle: &Cocycle,
        node: usize,
        pending: &mut Vec<usize>,
    ) -> bool {
        let incident_ends = copy_or_unwind(&self.incident_ends[node]);
        if self.is_removed[node] || incident_ends.len() < 2 {
            return false;
        }
        let polylines: Vec<Polyline> = incident_ends
            .iter()
            .map(|&edge_end| self.polyline(context, edge_end))
            .collect_or_unwind();
        for first in 0..incident_ends.len() {
            for second in first + 1..incident_ends.len() {
                if incident_ends[first].0 == incident_ends[second].0 {
                    continue;
                }
                let along = shared_lengths(&polylines[first], &polylines[second]);
                if along[0] + along[1] < MIN_LENGTH {
                    continue;
                }
                let stretch = SharedStretch {
                    incident_ends: [incident_ends[first], incident_ends[second]],
                    along,
                };
                let polylines = [&polylines[first], &polylines[second]];
                if let Some(is_new) =
                    self.merge_pair(context, cocycle, &stretch, polylines, pending)
                {
                    // a new curve from a node without another leads nowhere
                    if is_new || self.incident_ends[node].len() != 1 {
                        self.simplify_node(node, pending);
                    }
                    return true;
                }
            }
        }
        false
    }

    /// Parts two curves where they part; whether that was possible, and whether it made a new curve
    /// from the node.
    fn merge_pair(
        &mut self,
        context: &ComponentContext<'_>,
        cocycle: &Cocycle,
        stretch: &SharedStretch,
        polylines: [&Polyline; 2],
        pending: &mut Vec<usize>,
    ) -> Option<IsNewEdge> {
        let far = stretch
            .incident_ends
            .map(|edge_end| self.opposite_node(edge_end));
        let is_used = [0, 1].map(|k| stretch.along[k] >= polylines[k].length() - 1e-9);
        // one lies on the other, up to its end
        for k in [1, 0] {
            if is_used[k] && self.incident_ends[far[k]].len() == 1 {
                self.remove_edge(stretch.incident_ends[k].0);
                self.is_removed[far[k]] = true;
                return Some(false);
            }
        }
        // up to a node, from which the other goes on
        for k in [1, 0] {
            let other = 1 - k;
            if is_used[k] && !is_used[other] {
                let back = polylines[k].positions.iter().rev().copied();
                let along = stretch.along[other];
                let Some(points) = branch_off(
                    context,
                    cocycle,
                    back.collect_or_unwind(),
                    polylines[other],
                    along,
                ) else {
                    continue;
                };
                self.reattach_edge(stretch.incident_ends[other], far[k], points);
                pending.push_or_unwind(far[k]);
                return Some(false);
            }
        }
        if is_used == [true, true] {
            return None;
        }
        // a node where they part, a little before if that is not inside
        for part in [1.0, 0.75, 0.5] {
            let along = stretch.along.map(|along| along * part);
            if along[0] + along[1] < MIN_LENGTH && part < 1.0 {
                return None;
            }
            let [kept, _] = polylines;
            let (stem, rest) = kept.split_at(along[0]);
            let node = stem[stem.len() - 1];
            let whole: Vec<FixedPoint> = stem.iter().chain(&rest[1..]).copied().collect_or_unwind();
            if !is_same_class(context, cocycle, &kept.positions, &whole) {
                continue;
            }
            let back = stem.iter().rev().copied().collect_or_unwind();
            let Some(points) = branch_off(context, cocycle, back, polylines[1], along[1]) else {
                continue;
            };
            let from = self.edges[stretch.incident_ends[0].0].nodes[stretch.incident_ends[0].1];
            let node = self.add_node(node);
            self.reattach_edge(stretch.incident_ends[0], node, rest);
            self.reattach_edge(stretch.incident_ends[1], node, points);
            self.add_edge(GraphEdge {
                nodes: [from, node],
                points: stem,
                voxels: Vec::new(),
            });
            pending.extend_or_unwind([node, far[0], far[1]]);
            return Some(true);
        }
        None
    }

    /// Takes away a node that curves no longer lead through: an end that was none, or the place
    /// between two edges.
    fn simplify_node(&mut self, node: usize, pending: &mut Vec<usize>) {
        match self.incident_ends[node][..] {
            [edge_end] => {
                let other = self.opposite_node(edge_end);
                self.remove_edge(edge_end.0);
                self.is_removed[node] = true;
                self.join_edges(other);
                pending.push_or_unwind(other);
            }
            [one, other] => {
                pending.extend_or_unwind([one, other].map(|edge_end| self.opposite_node(edge_end)));
                self.join_edges(node);
            }
            _ => {}
        }
    }
}

/// How far along two curves from one node are in the same place.
fn shared_lengths(one: &Polyline, other: &Polyline) -> [f64; 2] {
    let mut along = [0.0, 0.0];
    while along[0] < one.length() {
        let next = (along[0] + STEP).min(one.length());
        let (far, there) = other.nearest_between(one.at(next), along[1], along[1] + 4.0 * STEP);
        if far > MAX_DISTANCE {
            break;
        }
        along = [next, there];
    }
    along
}

/// The points of a curve that leaves another at the first of `back` and is in its old place soon
/// after `along`. `back` leads from there to the node that both came from.
fn branch_off(
    context: &ComponentContext<'_>,
    cocycle: &Cocycle,
    back: Vec<FixedPoint>,
    polyline: &Polyline,
    along: f64,
) -> Option<Vec<FixedPoint>> {
    let node = back[0];
    for after in [REJOIN_LENGTH, 0.5 * REJOIN_LENGTH, 2.0 * REJOIN_LENGTH] {
        let (_, rest) = polyline.split_at((along + after).min(polyline.length()));
        if rest[0] == node {
            continue;
        }
        let mut whole = copy_or_unwind(&back);
        whole.extend_or_unwind(polyline.positions[1..].iter().copied());
        let mut new = vec![node];
        new.extend_or_unwind(rest.iter().copied());
        if is_same_class(context, cocycle, &whole, &new) {
            return Some(new);
        }
    }
    None
}
