//! Local measurement of a tip, by a front from a voxel near its base.

use super::{
    front::Goal,
    graph::{FrontGraph, UNITS},
    input::EndSearchInput,
    protrusion::{Survey, Tip},
};
use crate::monitor::Cancelled;

/// Distance beyond the tip at which the front stops, in extents of a node, in addition to twice the
/// width of the protrusion.
const MARGIN: f64 = 2.0;

/// Planned measurement of a refused tip by a front that starts near its base.
pub struct Look {
    /// Index in the list of refused tips.
    pub number: usize,
    pub tip: Tip,
    /// Voxel at which the front starts.
    pub from: u32,
}

/// Measures a tip by a front that starts at a voxel near its base and stops beyond it, and returns
/// the most significant measurement. The front is exact for the tips that it reaches, since those
/// have lower saddles than any place beyond. Returns `None` if the tip is not among them, also if
/// the front would have to visit more than `max_nodes` nodes.
///
/// # Errors
/// [`Cancelled`].
pub fn local_tip<G: FrontGraph>(
    input: &EndSearchInput<'_>,
    survey: &mut Survey<'_, G>,
    look: &Look,
    max_nodes: usize,
) -> Result<Option<Tip>, Cancelled> {
    let Look { tip, from, .. } = look;
    let graph = survey.graph();
    let margin = MARGIN * graph.node_extent();
    let goal = Goal {
        node: graph.node_at(tip.voxel),
        margin: ((2.0 * tip.width + margin) * UNITS) as u32,
        max_nodes,
    };
    survey.run(graph.node_at(*from), Some(goal), input.progress)?;
    let tips = survey.tips(|_| false).into_iter();
    let same = tips.filter(|found| {
        survey.is_in_protrusion(tip.voxel, found) || {
            let reach = 2.0 * tip.width.min(found.tip.width) + margin;
            input.distance(tip.voxel, found.tip.voxel) <= reach
                && survey.is_connected(tip.voxel, found, reach)
        }
    });
    Ok(same
        .map(|found| found.tip)
        .max_by(|a, b| a.significance.total_cmp(&b.significance)))
}
