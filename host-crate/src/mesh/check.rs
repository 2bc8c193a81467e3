//! The checks, put together.

use rayon::prelude::*;

use super::adjacency::{Ranges, Wedges};
use super::components::count_joins;
use super::fan::{Counts, count_fan};
use super::measure::measure;
use super::{MeshReport, TriangleMesh, Triangles, VertexIndex};
use crate::memory::OutOfMemory;

/// Looks at the whole mesh: topology, orientation, area, volume and defects.
///
/// Any mesh is accepted, however broken. Time is linear in its size. Beside a mesh with 32 bit indices 4 bytes per vertex are needed, and
/// a few megabytes for each thread; 40 bytes per triangle more where the triangles name their vertices in no order.
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
    let topology = || {
        rayon::join(
            || count_fans(triangles, vertices),
            || count_joins(triangles, vertices),
        )
    };
    let ((fans, joins), measure) = rayon::join(topology, || measure(mesh, triangles));
    let ((counts, topological_triangles), joins) = (fans?, joins?);
    let non_finite = |position: &&[f32; 3]| !position.iter().all(|x| x.is_finite());
    Ok(MeshReport {
        vertices,
        unreferenced_vertices: vertices - counts.used_vertices,
        triangles: triangles.len(),
        topological_triangles,
        edges: counts.edges,
        boundary_edges: counts.boundary_edges,
        non_manifold_edges: counts.non_manifold_edges,
        inconsistent_edges: counts.inconsistent_edges,
        non_manifold_vertices: counts.non_manifold_vertices,
        components: counts.used_vertices - joins,
        invalid_triangles: measure.invalid,
        degenerate_triangles: measure.degenerate,
        non_finite_vertices: mesh.vertices.par_iter().filter(non_finite).count(),
        area: measure.area,
        volume: measure.volume6 / 6.0,
    })
}

/// What the vertices count, and how many triangles take part in it.
fn count_fans<I: VertexIndex>(
    triangles: &[[I; 3]],
    vertices: usize,
) -> Result<(Counts, usize), OutOfMemory> {
    let ranges = Ranges::new(triangles, vertices)?;
    let counts = (0..ranges.len())
        .into_par_iter()
        .map_init(Default::default, |(wedges, scratch), range| {
            Wedges::sort(wedges, triangles, &ranges, range)?;
            Ok(wedges
                .iter()
                .fold(Counts::default(), |counts, (vertex, wedges)| {
                    counts.join(count_fan(vertex, wedges, scratch))
                }))
        })
        .try_reduce(Counts::default, |left, right| Ok(left.join(right)))?;
    Ok((counts, ranges.triangles()))
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
