//! Branches to what moved curves no longer cover.

use super::{
    coverage::{Cover, Reach},
    intermediate_graph::{Draft, DraftEdge, Point},
};
use crate::{
    memory::{CollectOrUnwind, ExtendOrUnwind, collect_into_or_unwind, copy_or_unwind},
    monitor::Cancelled,
    skeleton::medial::{
        context::Known,
        paths::{
            segment_voxels::{Place, centre, in_voxels, voxel_at},
            shortest_paths::cheapest,
        },
    },
};
use std::collections::HashSet;

/// Adds branches through centres of voxels until every voxel is covered, to the farthest from the
/// curves' first voxel first. Whether there are any.
pub fn mend(known: &Known<'_>, draft: &mut Draft, reach: Reach) -> Result<bool, Cancelled> {
    let mut cover = Cover::new(known.object, known.metric);
    cover.add_draft(known, reach, draft, |_, place| known.radius(place));
    let is_whole = cover.left() == 0;
    if is_whole {
        return Ok(false);
    }
    let places = draft.edges.iter().flat_map(|edge| &edge.points);
    let places = places.chain(&draft.nodes);
    let mut on: HashSet<usize> =
        collect_into_or_unwind(places.filter_map(|&place| voxel_at(known.object, place)));
    while cover.left() > 0 {
        let left = cover.bare();
        // deep voxels last: ends of branches are at the surface
        let from = left.min_by(|&a, &b| known.squares[a].total_cmp(&known.squares[b]));
        let Some(from) = from else { break };
        let added = add_branch(known, draft, &on, from)?;
        let balls = added.iter();
        let balls = balls.map(|&at| (in_voxels(at), reach.of(known.radius(at))));
        cover.add_all(&balls.collect_or_unwind());
        let voxels = added.iter().filter_map(|&at| voxel_at(known.object, at));
        on.extend_or_unwind(voxels);
        if !cover.is_covered(from) {
            break;
        }
    }
    Ok(true)
}

/// A branch from a voxel to the nearest one that curves lead through; its places.
fn add_branch(
    known: &Known<'_>,
    draft: &mut Draft,
    on: &HashSet<usize>,
    from: usize,
) -> Result<Vec<Place>, Cancelled> {
    let way = cheapest(known, from, |voxel| on.contains(&voxel))?;
    let goal = way
        .last()
        .and_then(|&voxel| point_in(known, draft, voxel as usize));
    let Some(goal) = goal else {
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
        .collect_or_unwind();
    if places.last() != Some(&end) {
        places.push_or_unwind(end);
    }
    if places.len() < 2 {
        return Ok(places);
    }
    draft.nodes.push_or_unwind(places[0]);
    draft.edges.push_or_unwind(DraftEdge {
        nodes: [draft.nodes.len() - 1, node],
        points: copy_or_unwind(&places),
        voxels: way,
    });
    Ok(places)
}

/// The last node in a voxel, or else the last point of an edge.
fn point_in(known: &Known<'_>, draft: &Draft, voxel: usize) -> Option<Point> {
    let is_there = |&place: &Place| voxel_at(known.object, place) == Some(voxel);
    if let Some(node) = draft.nodes.iter().rposition(is_there) {
        return Some(Point::Node(node));
    }
    let edges = draft.edges.iter().enumerate().rev();
    let mut points = edges.filter_map(|(number, edge)| {
        let inner = &edge.points[1..edge.points.len() - 1];
        let at = inner.iter().rposition(is_there)?;
        Some(Point::Inner(number, at + 1))
    });
    points.next()
}

/// Makes a point of an edge a node.
fn split(draft: &mut Draft, edge: usize, at: usize) -> usize {
    let node = draft.nodes.len();
    let first = &mut draft.edges[edge];
    draft.nodes.push_or_unwind(first.points[at]);
    let second = DraftEdge {
        nodes: [node, first.nodes[1]],
        points: copy_or_unwind(&first.points[at..]),
        voxels: copy_or_unwind(&first.voxels),
    };
    first.points.truncate(at + 1);
    first.nodes[1] = node;
    draft.edges.push_or_unwind(second);
    node
}
