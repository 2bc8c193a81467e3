//! Shortening of edges within their homology class.

use super::{
    intermediate_graph::{GraphEdge, IntermediateGraph},
    voxel_links::VoxelLinks,
};
use crate::{
    memory::{CollectOrUnwind, ExtendOrUnwind, copy_or_unwind},
    monitor::Cancelled,
    skeleton::medial::{
        context::ComponentContext,
        paths::{
            class_paths::{max_alternative_length, shortest_path_below},
            length_bound::LengthBound,
        },
        topology::{
            cocycle::{Cocycle, path_class},
            cycle_basis::{CycleBasis, Role},
        },
        voxels::segment_voxels::{FixedPoint, voxel_centre},
    },
};

/// Replaces edges that are too long by the shortest path of their homology class, and returns
/// `true` if there were any. Connected components and classes of cycles are preserved.
///
/// # Errors
/// [`Cancelled`].
pub fn shorten_edges(
    context: &ComponentContext<'_>,
    cocycle: &mut Cocycle,
    voxel_links: &mut VoxelLinks,
) -> Result<bool, Cancelled> {
    let mut graph = IntermediateGraph::from_links(context.object, voxel_links);
    let mut has_changed = false;
    let mut bound = LengthBound::new(context);
    // terminates because the total length decreases
    while let Some((edge, path)) = find_shortenable_edge(context, cocycle, &mut bound, &graph)? {
        replace_edge(context, cocycle, voxel_links, &graph, edge, &path);
        graph = IntermediateGraph::from_links(context.object, voxel_links);
        has_changed = true;
    }
    Ok(has_changed)
}

/// Returns the first edge that is too long, with the shorter path.
fn find_shortenable_edge(
    context: &ComponentContext<'_>,
    cocycle: &mut Cocycle,
    bound: &mut LengthBound<'_>,
    graph: &IntermediateGraph,
) -> Result<Option<(usize, Vec<u32>)>, Cancelled> {
    for (number, edge) in graph.edges.iter().enumerate() {
        context.progress.check()?;
        let length = context.length(&edge.points);
        let ends = [edge.voxels[0], edge.voxels[edge.voxels.len() - 1]].map(|end| end as usize);
        let [a, b] = ends.map(|end| context.object.position(end).map(f64::from));
        let straight = context
            .metric
            .length([0, 1, 2].map(|axis| b[axis] - a[axis]));
        if straight >= max_alternative_length(length, 0.0) {
            continue;
        }
        let radius = |&point: &FixedPoint| context.radius(point);
        let radius = edge.points.iter().map(radius).fold(0.0, f64::max);
        let class = path_class(cocycle, &edge.voxels);
        let max_length = max_alternative_length(length, radius);
        if let Some((_, path)) =
            shortest_path_below(context, cocycle, bound, ends, class, max_length)?
        {
            return Ok(Some((number, path)));
        }
    }
    Ok(None)
}

/// Replaces an edge by a part of a path of the same class between its ends; the path can touch
/// other edges.
fn replace_edge(
    context: &ComponentContext<'_>,
    cocycle: &Cocycle,
    voxel_links: &mut VoxelLinks,
    graph: &IntermediateGraph,
    edge: usize,
    path: &[u32],
) {
    let GraphEdge { voxels, .. } = &graph.edges[edge];
    let is_edge_link = |link: &[u32; 2]| {
        let mut steps = voxels.windows(2);
        steps.any(|step| step == link || (step[0] == link[1] && step[1] == link[0]))
    };
    let mut links: Vec<[u32; 2]> = copy_or_unwind(&voxel_links.pairs);
    links.retain(|link| !is_edge_link(link));
    // voxels of the other edges, and the ends of the edge
    let mut vertices: Vec<u32> = links.iter().flatten().copied().collect_or_unwind();
    vertices.extend_or_unwind([voxels[0], voxels[voxels.len() - 1]]);
    vertices.sort_unstable();
    vertices.dedup();
    let find_vertex = |voxel: u32| vertices.binary_search(&voxel).ok();
    let index = |voxel: u32| find_vertex(voxel).unwrap_or(0);
    let mut basis = links_basis(cocycle, vertices.len(), &links, index);
    let contacts: Vec<usize> = (0..path.len())
        .filter(|&at| find_vertex(path[at]).is_some())
        .collect_or_unwind();
    // parts of the path between voxels of the other edges
    let mut best: Option<(f64, &[u32])> = None;
    for ends in contacts.windows(2) {
        let part = &path[ends[0]..=ends[1]];
        let class = cocycle.path_bits(part);
        if basis.is_needed([part[0], part[part.len() - 1]].map(index), &class) {
            let points: Vec<FixedPoint> = part
                .iter()
                .map(|&voxel| voxel_centre(context.object.position(voxel as usize)))
                .collect_or_unwind();
            let length = context.length(&points);
            if best.is_none_or(|(bound, _)| length < bound) {
                best = Some((length, part));
            }
        }
    }
    if let Some((_, part)) = best {
        links.extend_or_unwind(part.windows(2).map(|step| [step[0], step[1]]));
        let mut voxels = copy_or_unwind(&part[..part.len() - 1]);
        voxels.sort_unstable();
        if voxels.windows(2).any(|pair| pair[0] == pair[1]) {
            // a path around a tunnel can return along its own steps or intersect itself
            links = remove_dependent_links(cocycle, &links);
        }
        voxel_links.pairs = links;
    }
}

/// Removes the links that close a cycle whose class the other links generate.
pub fn remove_dependent_links(cocycle: &Cocycle, links: &[[u32; 2]]) -> Vec<[u32; 2]> {
    let mut voxels: Vec<u32> = links.iter().flatten().copied().collect_or_unwind();
    voxels.sort_unstable();
    voxels.dedup();
    let index = |voxel: u32| voxels.partition_point(|&other| other < voxel);
    let CycleBasis { roles, .. } = links_basis(cocycle, voxels.len(), links, index);
    let links_with_role = |role| {
        let links = links.iter().zip(&roles);
        links.filter_map(move |(&link, &other)| (other == role).then_some(link))
    };
    links_with_role(Role::Tree)
        .chain(links_with_role(Role::Independent))
        .collect_or_unwind()
}

/// Returns the cycle basis of links between `voxels` voxels, which are numbered by `index`.
fn links_basis(
    cocycle: &Cocycle,
    voxels: usize,
    links: &[[u32; 2]],
    index: impl Fn(u32) -> usize,
) -> CycleBasis {
    let edge = |link: &[u32; 2]| (link.map(&index), cocycle.path_bits(link));
    CycleBasis::new(voxels, links.iter().map(edge))
}
