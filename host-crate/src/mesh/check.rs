//! The checks, put together.

use rayon::prelude::*;

use super::adjacency::Wedges;
use super::components::count_components;
use super::fan::{Counts, Scratch, count_fan};
use super::measure::measure;
use super::{MeshReport, TriangleMesh, Triangles, VertexIndex};
use crate::memory::OutOfMemory;

/// Vertices per parallel task.
const TASK: usize = 1 << 13;

/// Looks at the whole mesh: topology, orientation, area, volume and defects.
///
/// Any mesh is accepted, however broken. Time and memory are linear in its size; about 40 bytes
/// per triangle are needed beside a mesh with 32 bit indices.
///
/// # Panics
/// If there is no memory for it: [`try_check`] does not.
pub fn check(mesh: &TriangleMesh) -> MeshReport {
    try_check(mesh).unwrap_or_else(|error| panic!("{error}"))
}

/// As [`check`], with an error where it panics.
///
/// # Errors
/// [`OutOfMemory`].
pub fn try_check(mesh: &TriangleMesh) -> Result<MeshReport, OutOfMemory> {
    match &mesh.triangles {
        Triangles::U32(triangles) => check_triangles(mesh, triangles),
        Triangles::U64(triangles) => check_triangles(mesh, triangles),
    }
}

fn check_triangles<I: VertexIndex + crate::union_find::Member>(
    mesh: &TriangleMesh,
    triangles: &[[I; 3]],
) -> Result<MeshReport, OutOfMemory> {
    let vertices = mesh.vertices.len();
    let (wedges, measure) = rayon::join(
        || Wedges::new(triangles, vertices),
        || measure(mesh, triangles),
    );
    let wedges = wedges?;
    let counts = count_fans(&wedges, vertices);
    let non_finite = |position: &&[f32; 3]| !position.iter().all(|x| x.is_finite());
    Ok(MeshReport {
        vertices,
        unreferenced_vertices: vertices - counts.used_vertices,
        triangles: triangles.len(),
        topological_triangles: wedges.triangles(),
        edges: counts.edges,
        boundary_edges: counts.boundary_edges,
        non_manifold_edges: counts.non_manifold_edges,
        inconsistent_edges: counts.inconsistent_edges,
        non_manifold_vertices: counts.non_manifold_vertices,
        components: count_components(triangles, vertices, counts.used_vertices)?,
        invalid_triangles: measure.invalid,
        degenerate_triangles: measure.degenerate,
        non_finite_vertices: mesh.vertices.par_iter().filter(non_finite).count(),
        area: measure.area,
        volume: measure.volume6 / 6.0,
    })
}

fn count_fans<I: VertexIndex>(wedges: &Wedges<I>, vertices: usize) -> Counts {
    (0..vertices.div_ceil(TASK))
        .into_par_iter()
        .map_init(Scratch::default, |scratch, task| {
            let first = task * TASK;
            let last = vertices.min(first + TASK);
            (first..last).fold(Counts::default(), |counts, vertex| {
                counts.join(count_fan(vertex, wedges.at(vertex), scratch))
            })
        })
        .reduce(Counts::default, Counts::join)
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
