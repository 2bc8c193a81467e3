//! Local measurement of a tip, by a front from the thickest place near its base.

use super::{
    front::{Goal, UNITS},
    graph::FrontGraph,
    input::EndSearchInput,
    protrusion::{Survey, Tip},
};
use crate::{
    monitor::Cancelled,
    skeleton::medial::voxels::{
        row_index::{ceil, floor},
        word_neighbourhood::set_bits,
    },
};

/// Distance beyond the tip at which the front stops, in extents of a node, in addition to twice the
/// width of the protrusion.
const MARGIN: f64 = 2.0;

/// Measures a tip by a front that starts at the thickest place near its base and stops beyond it,
/// and returns the most significant measurement. The front is exact for the tips that it reaches,
/// since those have lower saddles than any place beyond. Returns `None` if the tip is not among them,
/// also if the front would have to visit more than `max_nodes` nodes.
///
/// # Errors
/// [`Cancelled`].
pub fn local_tip<G: FrontGraph>(
    input: &EndSearchInput<'_>,
    survey: &mut Survey<'_, G>,
    tip: &Tip,
    max_nodes: usize,
) -> Result<Option<Tip>, Cancelled> {
    let from = thickest_voxel(input, tip.base, 2.0 * tip.width + MARGIN);
    let graph = survey.graph();
    let margin = MARGIN * graph.node_extent();
    let goal = Goal {
        node: graph.node_at(tip.voxel),
        margin: ((2.0 * tip.width + margin) * UNITS) as u32,
        max_nodes,
    };
    survey.run(graph.node_at(from), Some(goal), input.progress)?;
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

/// Returns the voxel farthest from the background within a distance of another.
fn thickest_voxel(input: &EndSearchInput<'_>, around: u32, radius: f64) -> u32 {
    let object = input.object;
    let [x, y, z] = object.position(around as usize);
    let [across_x, across_y, across_z] =
        input.metric.unit_ball_extent().map(|along| along * radius);
    let mut best = (input.squared_distances[around as usize], around);
    for plane in ceil(f64::from(z) - across_z)..=floor(f64::from(z) + across_z) {
        let range = [
            ceil(f64::from(y) - across_y),
            floor(f64::from(y) + across_y),
        ];
        for row in object.rows_between(plane, range) {
            let range = [
                ceil(f64::from(x) - across_x),
                floor(f64::from(x) + across_x),
            ];
            for (word, bits) in object.masked_words(row, range[0], range[1]) {
                let words = &object.words()[word];
                for bit in set_bits(words.bits & bits) {
                    let voxel = words.voxel_index(bit);
                    let square = input.squared_distances[voxel as usize];
                    if square > best.0 && input.distance(around, voxel) <= radius {
                        best = (square, voxel);
                    }
                }
            }
        }
    }
    best.1
}
