//! Whether a mesh encloses anything.

use super::VoxelizeError;
use crate::{
    memory::{self, OutOfMemory},
    mesh::TriangleMesh,
};
use std::collections::HashMap;

/// What memory is for that tells whether a mesh is closed.
const EDGES: &str = "the edges of the mesh";

/// Refuses meshes that are not valid, have no triangles or vertices that are nowhere, or are open:
/// with edges of which an odd number of triangles have part. Vertices at the same position are one.
pub(super) fn check(mesh: &TriangleMesh) -> Result<(), VoxelizeError> {
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
    let same = same_places(mesh)?;
    let mut edges = Vec::new();
    memory::try_reserve(EDGES, &mut edges, mesh.triangles.len().saturating_mul(3))?;
    let all = mesh
        .triangles
        .iter()
        .flat_map(|triangle| {
            let [a, b, c] = triangle.map(|vertex| same[vertex as usize]);
            [[a, b], [b, c], [c, a]]
        })
        // an edge of no length joins nothing
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

/// For each vertex the first one at its place.
fn same_places(mesh: &TriangleMesh) -> Result<Vec<u64>, OutOfMemory> {
    let mut first = HashMap::new();
    memory::try_reserve_map(EDGES, &mut first, mesh.vertices.len())?;
    let places = mesh.vertices.iter().enumerate();
    let same = places.map(|(vertex, position)| {
        // zeros of both signs are one place
        let key = position.map(|x| (x + 0.0).to_bits());
        *first.entry(key).or_insert(vertex as u64)
    });
    memory::try_collect(EDGES, same)
}
