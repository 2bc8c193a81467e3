//! Surroundings of tips in a block graph.

use super::{
    block_graph::{BlockGraph, Place},
    front::{Front, Goal, UNREACHED},
    graph::{FrontGraph, UNITS},
    input::EndSearchInput,
    local_look::Look,
};
use crate::{
    memory::{ExtendOrUnwind, filled_or_unwind},
    monitor::Cancelled,
};

/// Relative difference between distances through blocks of two sizes that a region allows for.
const SLACK: f64 = 0.25;

/// Maximum number of smaller nodes in a region, approximately.
const MAX_SMALLER_NODES: f64 = (1 << 20) as f64;

/// Finds the nodes that fronts through smaller blocks of an extent visit on their way beyond tips,
/// and those next to them. Returns the place of each node. Removes looks at tips outside the graph,
/// and those for which the region would become too large.
///
/// # Errors
/// [`Cancelled`].
pub fn find_region(
    input: &EndSearchInput<'_>,
    graph: &BlockGraph<'_>,
    looks: &mut Vec<Look>,
    smaller: usize,
) -> Result<Vec<Place>, Cancelled> {
    let mut places = filled_or_unwind(Place::Outside, graph.len());
    let mut front = Front::new(graph);
    let ratio = (graph.node_extent() / smaller as f64).powi(3);
    let max_nodes = (MAX_SMALLER_NODES / ratio) as usize;
    let mut nodes = 0;
    let mut kept = Vec::new();
    looks.retain(|look| graph.has_voxel(look.tip.voxel) && graph.has_voxel(look.from));
    for look in looks.drain(..) {
        let straight = input.distance(look.from, look.tip.voxel);
        let margin =
            2.0 * (look.tip.width + graph.node_extent()) + SLACK * (straight + look.tip.length);
        let goal = Goal {
            node: graph.node_at(look.tip.voxel),
            margin: (margin * UNITS) as u32,
            max_nodes: max_nodes.saturating_sub(nodes),
        };
        front.run(graph.node_at(look.from), Some(goal), input.progress)?;
        let visited = front.order();
        if visited.len() >= goal.max_nodes || front.distance(goal.node) == UNREACHED {
            continue;
        }
        for &node in visited {
            let place = &mut places[node as usize];
            nodes += usize::from(*place == Place::Outside);
            *place = Place::Inside;
        }
        kept.push_or_unwind(look);
    }
    *looks = kept;
    let mut border: Vec<u32> = Vec::new();
    for node in 0..graph.len() {
        if places[node] == Place::Inside {
            graph.for_each_neighbour(node, |other, _| {
                if places[other] == Place::Outside {
                    border.push_or_unwind(other as u32);
                }
            });
        }
    }
    for node in border {
        places[node as usize] = Place::Border;
    }
    Ok(places)
}
