//! The checks, put together.

use super::adjacency::{Ranges, Wedges};
use super::components::count_joins;
use super::fan::{Counts, count_fan};
use super::measure::measure;
use super::{MeshReport, TriangleMesh, Triangles, VertexIndex};
use crate::memory::OutOfMemory;
use crate::parallel;
use std::ops::{Add, Range};

/// Looks at the whole mesh: topology, orientation, area, volume and defects.
///
/// Any mesh is accepted, however broken. Time is linear in its size. Beside a mesh with 32 bit
/// indices 4 bytes per vertex are needed, and a few megabytes for each thread; 40 bytes per
/// triangle more where the triangles name their vertices in no order.
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
    let (counts, topological_triangles) = count_fans(triangles, vertices)?;
    let joins = count_joins(triangles, vertices)?;
    let measure = measure(mesh, triangles);
    let is_finite = |position: &&[f32; 3]| position.iter().all(|x| x.is_finite());
    let of_range = |range: Range<usize>| mesh.vertices[range].iter().filter(is_finite).count();
    let finite = parallel::reduce(vertices, parallel::CHUNK_LEN, of_range, usize::add);
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
        non_finite_vertices: vertices - finite.unwrap_or(0),
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
    let new = || (Ok(Counts::default()), Wedges::default(), Default::default());
    let counted = parallel::for_each_with(ranges.len(), new, |(sum, wedges, scratch), range| {
        let Ok(counts) = sum else {
            return;
        };
        match wedges.sort(triangles, &ranges, range) {
            Err(error) => *sum = Err(error),
            Ok(()) => {
                for (vertex, wedges) in wedges.iter() {
                    *counts = counts.join(count_fan(vertex, wedges, scratch));
                }
            }
        }
    });
    let mut counts = Counts::default();
    for (sum, ..) in counted {
        counts = counts.join(sum?);
    }
    Ok((counts, ranges.triangles()))
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
