//! Triangles around one vertex: its edges, and whether they form a single fan.

use super::VertexIndex;
use super::adjacency::Wedge;
use crate::union_find::UnionFind;

/// Counts of edges and vertices. Each edge is counted at its lower vertex, so that sums over
/// vertices count every edge once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub used_vertices: usize,
    pub edges: usize,
    pub boundary_edges: usize,
    pub non_manifold_edges: usize,
    pub inconsistent_edges: usize,
    pub non_manifold_vertices: usize,
}

impl Counts {
    pub fn join(self, other: Self) -> Self {
        Self {
            used_vertices: self.used_vertices + other.used_vertices,
            edges: self.edges + other.edges,
            boundary_edges: self.boundary_edges + other.boundary_edges,
            non_manifold_edges: self.non_manifold_edges + other.non_manifold_edges,
            inconsistent_edges: self.inconsistent_edges + other.inconsistent_edges,
            non_manifold_vertices: self.non_manifold_vertices + other.non_manifold_vertices,
        }
    }
}

/// Maximum number of triangles at a vertex for which the quadratic walk is attempted.
const WALK_LIMIT: usize = 24;

/// Reusable memory of the general case.
pub(super) struct Scratch<I> {
    /// Edge ends at the vertex: (neighbour, wedge, `true` if the edge leaves the vertex).
    edge_ends: Vec<(I, usize, bool)>,
    /// Sets of wedges connected by shared edges.
    sets: UnionFind,
}

impl<I> Default for Scratch<I> {
    fn default() -> Self {
        Self {
            edge_ends: Vec::new(),
            sets: UnionFind::default(),
        }
    }
}

/// Counts the edges of `vertex` and classifies its fan.
pub(super) fn count_fan<I: VertexIndex>(
    vertex: usize,
    wedges: &[Wedge<I>],
    scratch: &mut Scratch<I>,
) -> Counts {
    if wedges.is_empty() {
        return Counts::default();
    }
    if is_oriented_disc(wedges) {
        // The common case: each neighbour is the `next` of one wedge and the `previous` of another.
        let edges = wedges
            .iter()
            .filter(|wedge| wedge.next.position() > vertex)
            .count();
        return Counts {
            used_vertices: 1,
            edges,
            ..Counts::default()
        };
    }
    count_general(vertex, wedges, scratch)
}

/// Returns `true` if walking from wedge to wedge across shared edges visits all of them and
/// returns: the vertex is interior, and its triangles are oriented consistently.
fn is_oriented_disc<I: VertexIndex>(wedges: &[Wedge<I>]) -> bool {
    if wedges.len() > WALK_LIMIT {
        return false;
    }
    let mut at = wedges[0].previous;
    for step in 1..=wedges.len() {
        // The first return to the start ends the walk; if that takes as many steps as there are
        // wedges, each of them has been visited once.
        if at == wedges[0].next {
            return step == wedges.len();
        }
        match wedges.iter().find(|wedge| wedge.next == at) {
            Some(wedge) => at = wedge.previous,
            None => return false,
        }
    }
    false
}

/// Handles any vertex: groups the edge ends by neighbour, and merges the wedges that share an edge.
fn count_general<I: VertexIndex>(
    vertex: usize,
    wedges: &[Wedge<I>],
    scratch: &mut Scratch<I>,
) -> Counts {
    let Scratch { edge_ends, sets } = scratch;
    edge_ends.clear();
    sets.reset(wedges.len());
    for (index, wedge) in wedges.iter().enumerate() {
        edge_ends.push((wedge.next, index, true));
        edge_ends.push((wedge.previous, index, false));
    }
    edge_ends.sort_unstable();

    let mut counts = Counts {
        used_vertices: 1,
        ..Counts::default()
    };
    let mut fan_count = wedges.len();
    let mut has_crowded_edge = false;
    for group in edge_ends.chunk_by(|left, right| left.0 == right.0) {
        for pair in group.windows(2) {
            fan_count -= usize::from(sets.join(pair[0].1, pair[1].1));
        }
        has_crowded_edge |= group.len() > 2;
        if group[0].0.position() > vertex {
            let leaving = group.iter().filter(|end| end.2).count();
            counts.edges += 1;
            match group.len() {
                1 => counts.boundary_edges += 1,
                2 => counts.inconsistent_edges += usize::from(leaving != 1),
                _ => counts.non_manifold_edges += 1,
            }
        }
    }
    // One fan whose edges are used at most twice is a disc or a half disc.
    counts.non_manifold_vertices = usize::from(fan_count > 1 || has_crowded_edge);
    counts
}
