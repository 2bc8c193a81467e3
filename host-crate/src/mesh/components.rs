//! Connected components, as sets of vertices that triangles join.

use super::VertexIndex;
use super::adjacency::in_topology;
use crate::memory::OutOfMemory;
use crate::parallel;
use crate::union_find::{Member, SharedUnionFind};
use std::ops::{Add, Range};

/// How often two sets of vertices became one, joined by a triangle that takes part in the topology:
/// the number of vertices which those triangles name less this is the number of components.
pub(super) fn count_joins<I: VertexIndex + Member>(
    triangles: &[[I; 3]],
    vertices: usize,
) -> Result<usize, OutOfMemory> {
    // Without triangles no vertex is looked up.
    let named = if triangles.is_empty() { 0 } else { vertices };
    let sets = SharedUnionFind::<I>::try_new(named)?;
    let of_range = |range: Range<usize>| {
        let there = triangles[range].iter();
        there
            .filter(|triangle| in_topology(triangle, vertices))
            .map(|&[a, b, c]| usize::from(sets.join(a, b)) + usize::from(sets.join(b, c)))
            .sum::<usize>()
    };
    let joins = parallel::reduce(triangles.len(), parallel::CHUNK_LEN, of_range, usize::add);
    Ok(joins.unwrap_or(0))
}
