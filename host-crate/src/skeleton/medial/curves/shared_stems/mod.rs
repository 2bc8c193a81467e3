//! Merging of curves that start at one node and share their first stretch: the stretch becomes a
//! single edge (the stem), with a new node where the curves separate.
//!
//! Curves that meet at a small angle share such a stretch after centring.

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
        context::ComponentContext, topology::cocycle::Cocycle, voxels::segment_voxels::FixedPoint,
    },
};
use editable_graph::{EdgeEnd, EditableGraph};
use polyline::Polyline;

/// Maximum distance of positions that count as shared, in units of the smallest spacing, like all
/// lengths here.
const MAX_DISTANCE: f64 = 0.3;
/// Minimum total length of the shared stretches of two curves.
const MIN_LENGTH: f64 = 1.8;
/// Step length of the comparison.
const STEP: f64 = 0.2;
/// Length after the separation within which a curve rejoins its former positions.
const REJOIN_LENGTH: f64 = 1.0;

/// Maximum number of passes that resolve self-overlaps.
const MAX_ROUNDS: usize = 10;

/// Moves nodes to where their curves separate, and creates junctions at self-overlaps. Connected
/// components, cycles and their homology classes are preserved; curves that lie entirely on others
/// are removed.
///
/// # Errors
/// [`Cancelled`].
pub fn merge_shared_stems(
    context: &ComponentContext<'_>,
    cocycle: &Cocycle,
    graph: &mut IntermediateGraph,
) -> Result<(), Cancelled> {
    let mut editable = EditableGraph::with_split_loops(std::mem::take(graph));
    let nodes = 0..editable.nodes.len();
    editable.merge_all(context, cocycle, nodes.rev().collect_or_unwind())?;
    *graph = editable.finish();
    for _ in 0..MAX_ROUNDS {
        let overlaps = self_overlap::find_all(context, graph);
        if overlaps.is_empty() {
            break;
        }
        let mut editable = EditableGraph::from_edges(std::mem::take(graph));
        let mut pending = Vec::new();
        for overlap in overlaps {
            if !overlap.edges.iter().any(|&edge| editable.is_changed[edge]) {
                editable.join_overlap(context, cocycle, overlap, &mut pending);
            }
        }
        editable.merge_all(context, cocycle, pending)?;
        *graph = editable.finish();
    }
    Ok(())
}

/// `true` if a change created an edge.
type IsNewEdge = bool;

/// Stretch that two curves share, starting at a node.
struct SharedStretch {
    incident_ends: [EdgeEnd; 2],
    /// Length of the stretch along each curve.
    along: [f64; 2],
}

impl EditableGraph {
    /// Merges the stems of curves at the pending nodes, and at nodes that become pending.
    fn merge_all(
        &mut self,
        context: &ComponentContext<'_>,
        cocycle: &Cocycle,
        mut pending: Vec<usize>,
    ) -> Result<(), Cancelled> {
        // bounds the number of changes, so that the loop terminates
        let mut remaining_changes = 1000 + 20 * self.edges.len();
        while let Some(node) = pending.pop() {
            context.progress.check()?;
            if remaining_changes > 0 && self.merge_at(context, cocycle, node, &mut pending) {
                remaining_changes -= 1;
                pending.push_or_unwind(node);
            }
        }
        Ok(())
    }

    /// Merges the stems of two curves at a node if they share a stretch. Nodes that must be
    /// examined again are added to `pending`.
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
                    // a new edge at a node without other edges is a dangling end
                    if is_new || self.incident_ends[node].len() != 1 {
                        self.simplify_node(node, pending);
                    }
                    return true;
                }
            }
        }
        false
    }

    /// Merges the stems of two curves. Returns `true` if an edge was created at the node, and
    /// `None` if the stems cannot be merged.
    fn merge_pair(
        &mut self,
        context: &ComponentContext<'_>,
        cocycle: &Cocycle,
        stretch: &SharedStretch,
        polylines: [&Polyline; 2],
        pending: &mut Vec<usize>,
    ) -> Option<IsNewEdge> {
        let far_nodes = stretch
            .incident_ends
            .map(|edge_end| self.opposite_node(edge_end));
        let is_used = [0, 1].map(|k| stretch.along[k] >= polylines[k].length() - 1e-9);
        // one curve lies on the other up to its endpoint
        for k in [1, 0] {
            if is_used[k] && self.incident_ends[far_nodes[k]].len() == 1 {
                self.remove_edge(stretch.incident_ends[k].0);
                self.is_removed[far_nodes[k]] = true;
                return Some(false);
            }
        }
        // one curve lies on the other up to a node, from which the other continues
        for k in [1, 0] {
            let longer = 1 - k;
            if is_used[k] && !is_used[longer] {
                let reversed_stem = polylines[k].positions.iter().rev().copied();
                let along = stretch.along[longer];
                let Some(points) = branch_off(
                    context,
                    cocycle,
                    reversed_stem.collect_or_unwind(),
                    polylines[longer],
                    along,
                ) else {
                    continue;
                };
                self.reattach_edge(stretch.incident_ends[longer], far_nodes[k], points);
                pending.push_or_unwind(far_nodes[k]);
                return Some(false);
            }
        }
        if is_used == [true, true] {
            return None;
        }
        // a new node where they separate, or slightly before if that is not inside
        for part in [1.0, 0.75, 0.5] {
            let along = stretch.along.map(|along| along * part);
            if along[0] + along[1] < MIN_LENGTH && part < 1.0 {
                return None;
            }
            let [kept, _] = polylines;
            let (stem, remainder) = kept.split_at(along[0]);
            let node = stem[stem.len() - 1];
            let split_points: Vec<FixedPoint> = stem
                .iter()
                .chain(&remainder[1..])
                .copied()
                .collect_or_unwind();
            if !is_same_class(context, cocycle, &kept.positions, &split_points) {
                continue;
            }
            let reversed_stem = stem.iter().rev().copied().collect_or_unwind();
            let Some(points) = branch_off(context, cocycle, reversed_stem, polylines[1], along[1])
            else {
                continue;
            };
            let from = self.edges[stretch.incident_ends[0].0].nodes[stretch.incident_ends[0].1];
            let node = self.add_node(node);
            self.reattach_edge(stretch.incident_ends[0], node, remainder);
            self.reattach_edge(stretch.incident_ends[1], node, points);
            self.add_edge(GraphEdge {
                nodes: [from, node],
                points: stem,
                voxels: Vec::new(),
            });
            pending.extend_or_unwind([node, far_nodes[0], far_nodes[1]]);
            return Some(true);
        }
        None
    }

    /// Removes a node that is no longer a junction: a dangling end that was not an endpoint before,
    /// or a node between two edges.
    fn simplify_node(&mut self, node: usize, pending: &mut Vec<usize>) {
        match self.incident_ends[node][..] {
            [dangling] => {
                let second = self.opposite_node(dangling);
                self.remove_edge(dangling.0);
                self.is_removed[node] = true;
                self.join_edges(second);
                pending.push_or_unwind(second);
            }
            [first, second] => {
                pending
                    .extend_or_unwind([first, second].map(|edge_end| self.opposite_node(edge_end)));
                self.join_edges(node);
            }
            _ => {}
        }
    }
}

/// Returns the lengths along two curves from a common node over which they share positions.
fn shared_lengths(first: &Polyline, second: &Polyline) -> [f64; 2] {
    let mut along = [0.0, 0.0];
    while along[0] < first.length() {
        let next = (along[0] + STEP).min(first.length());
        let (distance, second_along) =
            second.nearest_between(first.at(next), along[1], along[1] + 4.0 * STEP);
        if distance > MAX_DISTANCE {
            break;
        }
        along = [next, second_along];
    }
    along
}

/// Returns the points of a curve that branches off another at the first position of `back` and
/// rejoins its former positions soon after `along`. `back` leads from there to the node from which
/// both curves start.
fn branch_off(
    context: &ComponentContext<'_>,
    cocycle: &Cocycle,
    back: Vec<FixedPoint>,
    polyline: &Polyline,
    along: f64,
) -> Option<Vec<FixedPoint>> {
    let node = back[0];
    for after in [REJOIN_LENGTH, 0.5 * REJOIN_LENGTH, 2.0 * REJOIN_LENGTH] {
        let (_, remainder) = polyline.split_at((along + after).min(polyline.length()));
        if remainder[0] == node {
            continue;
        }
        let mut original = copy_or_unwind(&back);
        original.extend_or_unwind(polyline.positions[1..].iter().copied());
        let mut branch = vec![node];
        branch.extend_or_unwind(remainder.iter().copied());
        if is_same_class(context, cocycle, &original, &branch) {
            return Some(branch);
        }
    }
    None
}
