//! Connected components, as sets of vertices that triangles join.

use super::VertexIndex;
use super::adjacency::in_topology;
use crate::memory::OutOfMemory;
use crate::union_find::{Member, UnionFind};

/// The number of sets of vertices joined by the triangles that take part in the topology.
/// `used` is the number of vertices that those triangles name.
pub(super) fn count_components<I: VertexIndex + Member>(
    triangles: &[[I; 3]],
    vertices: usize,
    used: usize,
) -> Result<usize, OutOfMemory> {
    // Without triangles no vertex is looked up.
    let named = if triangles.is_empty() { 0 } else { vertices };
    let mut sets = UnionFind::<I>::try_new(named)?;
    let mut joins = 0;
    for triangle in triangles
        .iter()
        .filter(|triangle| in_topology(triangle, vertices))
    {
        let [a, b, c] = *triangle;
        joins += usize::from(sets.join(a, b));
        joins += usize::from(sets.join(b, c));
    }
    Ok(used - joins)
}
