//! Test that a mesh is closed.

use super::VoxelizeError;
use crate::{
    memory::{self, OutOfMemory},
    mesh::TriangleMesh,
};
use std::collections::HashMap;

/// Purpose of the allocations, quoted in out-of-memory errors.
const PURPOSE: &str = "the edges of the mesh";

/// Rejects meshes that are inconsistent, empty or non-finite.
pub(super) fn check_contents(mesh: &TriangleMesh) -> Result<(), VoxelizeError> {
    mesh.validate()?;
    if mesh.triangles.is_empty() {
        return Err(VoxelizeError::Empty);
    }
    let is_finite = |position: &[f32; 3]| position.iter().all(|x| x.is_finite());
    if let Some(vertex) = mesh.vertices.iter().position(|p| !is_finite(p)) {
        return Err(VoxelizeError::NotFinite {
            vertex,
            position: mesh.vertices[vertex],
        });
    }
    Ok(())
}

/// Rejects meshes that are inconsistent, empty, non-finite, or open: with edges used by an odd
/// number of triangles. Vertices at the same position are identified.
pub(super) fn check(mesh: &TriangleMesh) -> Result<(), VoxelizeError> {
    check_contents(mesh)?;
    let canonical = canonical_vertices(mesh)?;
    let mut edges = Vec::new();
    memory::try_reserve(PURPOSE, &mut edges, mesh.triangles.len().saturating_mul(3))?;
    let all = mesh
        .triangles
        .iter()
        .flat_map(|triangle| {
            let [a, b, c] = triangle.map(|vertex| canonical[vertex as usize]);
            [[a, b], [b, c], [c, a]]
        })
        // an edge of zero length joins nothing
        .filter(|[from, to]| from != to)
        .map(|[from, to]| [from.min(to), from.max(to)]);
    edges.extend(all);
    edges.sort_unstable();
    let is_odd = |equal: &&[[u64; 2]]| !equal.len().is_multiple_of(2);
    let open = edges.chunk_by(|a, b| a == b).filter(is_odd);
    let first = open.clone().next();
    match first {
        None => Ok(()),
        Some(first) => {
            let [from, to] = first[0].map(|vertex| mesh.vertices[vertex as usize]);
            let edges = open.count();
            Err(VoxelizeError::Open { edges, from, to })
        }
    }
}

/// Returns, for each vertex, the first vertex at the same position.
fn canonical_vertices(mesh: &TriangleMesh) -> Result<Vec<u64>, OutOfMemory> {
    let mut first = HashMap::new();
    memory::try_reserve_map(PURPOSE, &mut first, mesh.vertices.len())?;
    let vertices = mesh.vertices.iter().enumerate();
    let canonical = vertices.map(|(vertex, position)| {
        // identifies zeros of both signs
        let key = position.map(|x| (x + 0.0).to_bits());
        *first.entry(key).or_insert(vertex as u64)
    });
    memory::try_collect(PURPOSE, canonical)
}
