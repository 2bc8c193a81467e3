//! Number of self-intersections of a mesh.

mod pairs;
mod triangle_intersection;

use super::{LabelledMesh, TriangleMesh, Triangles, VertexIndex};
use crate::{
    memory::{self, ExtendOrUnwind, OutOfMemory, catch_out_of_memory},
    parallel,
};
use pairs::{PairSearch, TriangleCorners};
use std::ops::Add;
use triangle_intersection::triangles_intersect;

/// Purpose of the allocations, quoted in out-of-memory errors.
const PURPOSE: &str = "a check for self-intersections";

/// Returns the number of pairs of triangles of a mesh with a common point other than the vertices
/// and edges that they share, where vertices at equal positions count as one.
///
/// Triangles with an invalid index or a non-finite vertex are ignored. The test is exact: it uses
/// the positions as they are, and adaptive predicates (Shewchuk 1997). Time is linear in the
/// triangles if their sizes are similar; memory is about 45 bytes per triangle. Runs on all
/// threads.
///
/// ```
/// use ferrovox::mesh::{TriangleMesh, Triangles, count_self_intersections};
///
/// let mut mesh = TriangleMesh {
///     vertices: vec![
///         [0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0],
///         [1.0, 1.0, -1.0], [1.0, 1.0, 1.0], [5.0, 5.0, 0.0],
///     ],
///     triangles: Triangles::U32(vec![[0, 1, 2], [3, 4, 5]]),
///     ..TriangleMesh::default()
/// };
/// assert_eq!(count_self_intersections(&mesh)?, 1);
/// mesh.vertices[3] = [9.0, 9.0, -1.0];
/// mesh.vertices[4] = [9.0, 9.0, 1.0];
/// assert_eq!(count_self_intersections(&mesh)?, 0);
/// # Ok::<(), ferrovox::memory::OutOfMemory>(())
/// ```
///
/// # Errors
/// [`OutOfMemory`].
pub fn count_self_intersections(mesh: &TriangleMesh) -> Result<u64, OutOfMemory> {
    match &mesh.triangles {
        Triangles::U32(triangles) => count(&mesh.vertices, triangles),
        Triangles::U64(triangles) => count(&mesh.vertices, triangles),
    }
}

fn count<I: VertexIndex>(vertices: &[[f32; 3]], triangles: &[[I; 3]]) -> Result<u64, OutOfMemory> {
    let mut corners: Vec<TriangleCorners> = Vec::new();
    memory::try_reserve(PURPOSE, &mut corners, triangles.len())?;
    corners.extend(triangles.iter().filter_map(|triangle| {
        let mut positions = [[0.0; 3]; 3];
        for (position, index) in positions.iter_mut().zip(triangle) {
            *position = *vertices.get(index.position())?;
        }
        let is_finite = positions.as_flattened().iter().all(|x| x.is_finite());
        is_finite.then_some(positions)
    }));
    let add = |found: &mut u64, _| *found += 1;
    catch_out_of_memory(PURPOSE, || {
        PairSearch::new(&corners).reduce(|_| true, |_, _| true, add, u64::add)
    })
}

impl LabelledMesh {
    /// Returns the triangles, in ascending order, that violate the surface of a label: they
    /// intersect another triangle of the label, or one of their vertices has the position of
    /// another vertex of the label. The mesh must be [valid](TriangleMesh::validate).
    pub(crate) fn intersecting_triangles(&self) -> Result<Vec<usize>, OutOfMemory> {
        catch_out_of_memory(PURPOSE, || match &self.mesh.triangles {
            Triangles::U32(triangles) => self.find_intersecting(triangles),
            Triangles::U64(triangles) => self.find_intersecting(triangles),
        })
    }

    fn find_intersecting<I: VertexIndex>(
        &self,
        triangles: &[[I; 3]],
    ) -> Result<Vec<usize>, OutOfMemory> {
        let vertices = &self.mesh.vertices;
        let mut corners = memory::try_zeroed::<TriangleCorners>(PURPOSE, triangles.len())?;
        parallel::for_each_chunk_mut(&mut corners, parallel::CHUNK_LEN, |first, chunk| {
            for (corners, triangle) in chunk.iter_mut().zip(&triangles[first..]) {
                *corners = triangle.map(|vertex| vertices[vertex.position()]);
            }
        });
        let is_relevant = |pair: [u32; 2]| {
            let [one, other] = pair.map(|it| self.sides[it as usize]);
            one.iter().any(|side| *side != 0 && other.contains(side))
        };
        let is_same = |[one, other]: [u32; 2], corners: [usize; 2]| {
            triangles[one as usize][corners[0]] == triangles[other as usize][corners[1]]
        };
        let add = |found: &mut Vec<usize>, pair: [u32; 2]| {
            found.extend_or_unwind(pair.map(|it| it as usize));
        };
        let merge = |mut one: Vec<usize>, other: Vec<usize>| {
            one.extend_or_unwind(other);
            one
        };
        let search = PairSearch::new(&corners);
        let mut found = search.reduce(is_relevant, is_same, add, merge)?;
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }
}

/// Returns `true` if two triangles have a point in common other than shared vertices and edges, or
/// if different vertices have equal positions. The test is exact.
pub(crate) fn labelled_triangles_intersect(vertices: &[[f32; 3]], pair: [[u32; 3]; 2]) -> bool {
    let position = |vertex: u32| vertices[vertex as usize].map(f64::from);
    let [one, other] = pair.map(|triangle| triangle.map(position));
    let coincides = |own: usize, at: usize| one[own] == other[at] && pair[0][own] != pair[1][at];
    (0..3).any(|own| (0..3).any(|at| coincides(own, at))) || triangles_intersect(one, other)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random triangles of various sizes, compared with tests of all pairs.
    #[test]
    fn every_intersecting_pair_counts_once() {
        let mut state = 3_u64;
        let mut random = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % below
        };
        for round in 0..40 {
            // few distinct coordinates, so that vertices and sides are shared and planes coincide
            let range = 3 + round % 7;
            let vertices: Vec<[f32; 3]> = (0..60)
                .map(|_| [0; 3].map(|_| random(range) as f32))
                .collect();
            let triangles: Vec<[u32; 3]> =
                (0..40).map(|_| [0; 3].map(|_| random(60) as u32)).collect();
            let corners = |triangle: usize| {
                triangles[triangle].map(|it| vertices[it as usize].map(f64::from))
            };
            let pairs = (0..40).flat_map(|one| (0..one).map(move |other| (one, other)));
            let expected = pairs
                .filter(|&(one, other)| triangles_intersect(corners(one), corners(other)))
                .count();
            let mesh = TriangleMesh {
                vertices,
                triangles: Triangles::U32(triangles),
                ..TriangleMesh::default()
            };
            assert_eq!(count_self_intersections(&mesh), Ok(expected as u64));
            assert!(expected > 0);
        }
    }

    #[test]
    fn invalid_triangles_are_ignored() {
        let mesh = TriangleMesh {
            vertices: vec![[0.0; 3], [f32::NAN; 3], [1.0; 3]],
            triangles: Triangles::U32(vec![[0, 1, 2], [0, 2, 9]]),
            ..TriangleMesh::default()
        };
        assert_eq!(count_self_intersections(&mesh), Ok(0));
        assert_eq!(count_self_intersections(&TriangleMesh::default()), Ok(0));
    }
}
