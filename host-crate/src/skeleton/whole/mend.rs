//! Branches to what moved curves no longer cover.

use super::{
    cover::{Cover, Reach},
    crossing::{Place, centre, in_voxels, voxel_at},
    draft::{Draft, DraftEdge, Point},
    known::Known,
    ways::cheapest,
};
use crate::monitor::Cancelled;
use std::collections::HashMap;

/// Adds branches through centres of voxels until every voxel is covered, to the farthest from the curves' first voxel first. Whether there are any.
pub fn mend(known: &Known<'_>, draft: &mut Draft, reach: Reach) -> Result<bool, Cancelled> {
    let mut cover = Cover::new(known.object, known.metric);
    cover.add_all(known, reach, draft, |_, place| known.radius(place));
    let is_whole = cover.left() == 0;
    while cover.left() > 0 {
        let left = cover.bare();
        // deep voxels last: ends of branches are at the surface
        let from = left.min_by(|&a, &b| known.squares[a].total_cmp(&known.squares[b]));
        let Some(from) = from else { break };
        let added = add_branch(known, draft, from)?;
        for place in added {
            cover.add(in_voxels(place), reach.of(known.radius(place)));
        }
        if !cover.is_covered(from) {
            break;
        }
    }
    Ok(!is_whole)
}

/// A branch from a voxel to the nearest point; its places.
fn add_branch(known: &Known<'_>, draft: &mut Draft, from: usize) -> Result<Vec<Place>, Cancelled> {
    let mut points: HashMap<usize, Point> = HashMap::new();
    for (number, edge) in draft.edges.iter().enumerate() {
        for at in 1..edge.points.len() - 1 {
            if let Some(voxel) = voxel_at(known.object, edge.points[at]) {
                points.insert(voxel, Point::Inner(number, at));
            }
        }
    }
    for (number, &node) in draft.nodes.iter().enumerate() {
        if let Some(voxel) = voxel_at(known.object, node) {
            points.insert(voxel, Point::Node(number));
        }
    }
    let way = cheapest(known, from, |voxel| points.contains_key(&voxel))?;
    let Some(&goal) = way.last().and_then(|&voxel| points.get(&(voxel as usize))) else {
        return Ok(Vec::new());
    };
    let node = match goal {
        Point::Node(node) => node,
        Point::Inner(edge, at) => split(draft, edge, at),
    };
    let end = draft.nodes[node];
    let mut places: Vec<Place> = way
        .iter()
        .map(|&voxel| centre(known.object.place(voxel as usize)))
        .collect();
    if places.last() != Some(&end) {
        places.push(end);
    }
    if places.len() < 2 {
        return Ok(places);
    }
    draft.nodes.push(places[0]);
    draft.edges.push(DraftEdge {
        nodes: [draft.nodes.len() - 1, node],
        points: places.clone(),
        voxels: way,
    });
    Ok(places)
}

/// Makes a point of an edge a node.
fn split(draft: &mut Draft, edge: usize, at: usize) -> usize {
    let node = draft.nodes.len();
    let first = &mut draft.edges[edge];
    draft.nodes.push(first.points[at]);
    let second = DraftEdge {
        nodes: [node, first.nodes[1]],
        points: first.points[at..].to_vec(),
        voxels: first.voxels.clone(),
    };
    first.points.truncate(at + 1);
    first.nodes[1] = node;
    draft.edges.push(second);
    node
}
