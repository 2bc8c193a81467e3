//! Connected components of vertices connected by triangles.

use super::VertexIndex;
use super::adjacency::is_topological;
use crate::memory::OutOfMemory;
use crate::parallel;
use crate::union_find::{Member, SharedUnionFind};
use std::ops::{Add, Range};

/// Returns the number of merges of two sets of vertices by [topological](super::MeshReport)
/// triangles. The number of vertices used by these triangles, minus the result, is the number of
/// components.
pub(super) fn count_merges<I: VertexIndex + Member>(
    triangles: &[[I; 3]],
    vertices: usize,
) -> Result<usize, OutOfMemory> {
    // Without triangles no vertex is looked up.
    let named = if triangles.is_empty() { 0 } else { vertices };
    let sets = SharedUnionFind::<I>::try_new(named)?;
    let reduce_range = |range: Range<usize>| {
        let chunk = triangles[range].iter();
        chunk
            .filter(|triangle| is_topological(triangle, vertices))
            .map(|&[a, b, c]| usize::from(sets.join(a, b)) + usize::from(sets.join(b, c)))
            .sum::<usize>()
    };
    let merges = parallel::reduce(
        triangles.len(),
        parallel::CHUNK_LEN,
        reduce_range,
        usize::add,
    );
    Ok(merges.unwrap_or(0))
}
