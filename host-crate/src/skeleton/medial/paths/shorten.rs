//! Shortest paths within a homology class, and shortening of edges by them.

use super::{
    length_bound::LengthBound,
    segment_voxels::{FixedPoint, voxel_centre},
};
use crate::{
    memory::{CollectOrUnwind, ExtendOrUnwind, ReserveOrUnwind, copy_or_unwind},
    monitor::Cancelled,
    skeleton::medial::{
        context::ComponentContext,
        curves::{
            intermediate_graph::{GraphEdge, IntermediateGraph},
            voxel_links::VoxelLinks,
        },
        progress::REPORT_INTERVAL,
        topology::{
            cocycle::{Cocycle, path_class},
            cycle_basis::{CycleBasis, Role},
            homology_classes::HomologyClass,
        },
        voxels::neighbour_bits::{NEIGHBOURS, OFFSETS},
    },
};
use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap},
};

/// Returns the length below which an alternative path makes an edge of this length and maximum
/// radius too long: the edge may be twice as long as the path plus the radius.
pub fn max_alternative_length(length: f64, radius: f64) -> f64 {
    // margin for rounding errors of equal lengths
    (length - radius) / 2.0 - 1e-9
}

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
        let class = path_class(cocycle, context.object, &edge.voxels);
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
    let mut basis = links_basis(context, cocycle, vertices.len(), &links, index);
    let contacts: Vec<usize> = (0..path.len())
        .filter(|&at| find_vertex(path[at]).is_some())
        .collect_or_unwind();
    // parts of the path between voxels of the other edges
    let mut best: Option<(f64, &[u32])> = None;
    for ends in contacts.windows(2) {
        let part = &path[ends[0]..=ends[1]];
        let class = cocycle.path_bits(context.object, part);
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
            links = remove_dependent_links(context, cocycle, &links);
        }
        voxel_links.pairs = links;
    }
}

/// Removes the links that close a cycle whose class the other links generate.
pub fn remove_dependent_links(
    context: &ComponentContext<'_>,
    cocycle: &Cocycle,
    links: &[[u32; 2]],
) -> Vec<[u32; 2]> {
    let mut voxels: Vec<u32> = links.iter().flatten().copied().collect_or_unwind();
    voxels.sort_unstable();
    voxels.dedup();
    let index = |voxel: u32| voxels.partition_point(|&other| other < voxel);
    let CycleBasis { roles, .. } = links_basis(context, cocycle, voxels.len(), links, index);
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
    context: &ComponentContext<'_>,
    cocycle: &Cocycle,
    voxels: usize,
    links: &[[u32; 2]],
    index: impl Fn(u32) -> usize,
) -> CycleBasis {
    let edge = |link: &[u32; 2]| (link.map(&index), cocycle.path_bits(context.object, link));
    CycleBasis::new(voxels, links.iter().map(edge))
}

/// Returns the shortest path of a homology class between two voxels through centres of adjacent
/// voxels, with its length in units of the smallest spacing, if it is shorter than `max_length`.
///
/// # Errors
/// [`Cancelled`].
pub fn shortest_path_below(
    context: &ComponentContext<'_>,
    cocycle: &mut Cocycle,
    bound: &mut LengthBound<'_>,
    ends: [usize; 2],
    class: HomologyClass,
    max_length: f64,
) -> Result<Option<(f64, Vec<u32>)>, Cancelled> {
    if bound.may_be_below(cocycle, ends, class, max_length)? {
        search_shortest_path(context, cocycle, ends, class, max_length)
    } else {
        Ok(None)
    }
}

/// Searches for the path without the preceding test by [`LengthBound`]. Expands only states from
/// which the path can be short enough.
///
/// # Errors
/// [`Cancelled`].
pub fn search_shortest_path(
    context: &ComponentContext<'_>,
    cocycle: &mut Cocycle,
    [from, to]: [usize; 2],
    class: HomologyClass,
    max_length: f64,
) -> Result<Option<(f64, Vec<u32>)>, Cancelled> {
    let ComponentContext { object, metric, .. } = *context;
    let goal = object.position(to);
    let straight_distance = |voxel: usize| {
        let at = object.position(voxel);
        metric.length([0, 1, 2].map(|axis| f64::from(goal[axis] - at[axis])))
    };
    if straight_distance(from) >= max_length {
        return Ok(None);
    }
    let steps = OFFSETS.map(|step| metric.length(step.map(f64::from)));
    // length of the shortest known path to each state, and its predecessor
    let mut arrivals = Arrivals::new();
    let mut queue = BinaryHeap::new();
    let start = (from as u32, 0);
    arrivals.push_or_unwind((start, (0.0, start)));
    // ordered by a lower bound of the total length (A*; Hart, Nilsson and Raphael 1968)
    queue.push_or_unwind(Reverse((
        straight_distance(from).to_bits(),
        0f64.to_bits(),
        start,
    )));
    let mut visited = 0usize;
    while let Some(Reverse((_, bits, state))) = queue.pop() {
        let length = f64::from_bits(bits);
        let is_old = arrivals.get(&state).is_some_and(|&(best, _)| best < length);
        if is_old {
            continue;
        }
        visited += 1;
        if visited.is_multiple_of(REPORT_INTERVAL) {
            context.progress.check()?;
        }
        let (voxel, at_class) = state;
        let voxel = voxel as usize;
        if voxel == to && at_class == class {
            return Ok(Some((length, backtrack(&arrivals, state))));
        }
        for (bit, neighbour) in object.neighbours(voxel, NEIGHBOURS) {
            let next = length + steps[bit];
            let bound = next + straight_distance(neighbour);
            if bound >= max_length {
                continue;
            }
            let next_class = cocycle.table.sum(at_class, cocycle.step_class(voxel, bit));
            let next_place = (neighbour as u32, next_class);
            arrivals.reserve_or_unwind(1);
            let best = arrivals.entry(next_place).or_insert((f64::INFINITY, state));
            if next < best.0 {
                *best = (next, state);
                queue.push_or_unwind(Reverse((bound.to_bits(), next.to_bits(), next_place)));
            }
        }
    }
    Ok(None)
}

/// For each voxel and class of a path to it, the length of the shortest known path and its
/// predecessor.
type Arrivals = HashMap<(u32, HomologyClass), (f64, (u32, HomologyClass))>;

/// Returns the voxels of the path to a state.
fn backtrack(arrivals: &Arrivals, end: (u32, HomologyClass)) -> Vec<u32> {
    let mut path = vec![end.0];
    let mut state = end;
    while let Some(&(_, before)) = arrivals.get(&state)
        && before != state
    {
        path.push_or_unwind(before.0);
        state = before;
    }
    path.reverse();
    path
}
