//! Mesh check: combines topology, measures and defects.

use super::adjacency::{VertexRanges, Wedges};
use super::components::count_merges;
use super::duplicates::count_duplicates;
use super::fan::{Counts, count_fan};
use super::measure::measure;
use super::{MeshReport, TriangleMesh, Triangles, VertexIndex};
use crate::memory::OutOfMemory;
use crate::parallel;
use std::ops::{Add, Range};

/// Checks the whole mesh: topology, orientation, area, volume and defects.
///
/// Accepts any mesh, however defective. Time is linear in its size. In addition to a mesh with
/// 32-bit indices, it needs 8 bytes per vertex and some megabytes per thread, and 40 bytes per
/// triangle if triangles refer to vertices in random order.
///
/// # Panics
/// If memory is insufficient; see [`try_check`].
pub fn check(mesh: &TriangleMesh) -> MeshReport {
    try_check(mesh).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the same as [`check`], or an error if memory is insufficient.
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
    let merges = count_merges(triangles, vertices)?;
    let measure = measure(mesh, triangles);
    let is_finite = |position: &&[f32; 3]| position.iter().all(|x| x.is_finite());
    let finite_in_range =
        |range: Range<usize>| mesh.vertices[range].iter().filter(is_finite).count();
    let finite = parallel::reduce(vertices, parallel::CHUNK_LEN, finite_in_range, usize::add);
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
        components: counts.used_vertices - merges,
        invalid_triangles: measure.invalid,
        degenerate_triangles: measure.degenerate,
        duplicate_positions: count_duplicates(&mesh.vertices)?,
        non_finite_vertices: vertices - finite.unwrap_or(0),
        area: measure.area,
        volume: measure.volume6 / 6.0,
    })
}

/// Sums the counts of all vertices, and returns them with the number of topological triangles.
fn count_fans<I: VertexIndex>(
    triangles: &[[I; 3]],
    vertices: usize,
) -> Result<(Counts, usize), OutOfMemory> {
    let ranges = VertexRanges::new(triangles, vertices)?;
    let new = || (Ok(Counts::default()), Wedges::default(), Default::default());
    let counted = parallel::for_each_with(ranges.len(), new, |(sum, wedges, scratch), range| {
        let Ok(counts) = sum else {
            return;
        };
        match wedges.collect(triangles, &ranges, range) {
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

#[cfg(test)]
#[path = "check_random_tests.rs"]
mod random_tests;
