//! Boundary edges of a mesh in the faces of its volume.
//!
//! A triangle has an edge in a face of a cell only if the edge is the trace of the surface on that
//! face; so an edge with both ends in a face of the volume is a boundary edge. This needs no edge
//! table.

use super::{TriangleMesh, Triangles, VertexIndex};
use crate::grid::Geometry;
use crate::memory::{self, OutOfMemory};
use crate::parallel;
use nalgebra::Point3;
use serde::Serialize;
use std::ops::Range;

/// Boundary edges in one face of the volume.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Opening {
    /// The face in grid indices, such as `x = 0` or `z = 188`.
    pub face: String,
    /// Number of boundary edges in the face.
    pub edges: usize,
}

/// Tolerance, in voxels, within which a vertex lies in a face. All other vertices are more than
/// 1/1024 away.
const FACE_TOLERANCE: f64 = 0.4 / 1024.0;

/// Returns the boundary edges of the isosurface of a volume of `dims` samples, by faces of the
/// volume. Faces without boundary edges are omitted.
///
/// # Panics
/// If memory for one byte per vertex is not available; see [`try_openings`].
pub fn openings(mesh: &TriangleMesh, dims: [usize; 3], geometry: &Geometry) -> Vec<Opening> {
    let openings = try_openings(mesh, dims, geometry);
    openings.unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the same as [`openings`], or an error if memory is insufficient.
///
/// # Errors
/// [`OutOfMemory`].
pub fn try_openings(
    mesh: &TriangleMesh,
    dims: [usize; 3],
    geometry: &Geometry,
) -> Result<Vec<Opening>, OutOfMemory> {
    let geometry = &geometry.relative_to(mesh.origin.into());
    let last = dims.map(|n| n.saturating_sub(1) as f64);
    let mut vertex_faces = memory::try_zeroed("openings of the mesh", mesh.vertices.len())?;
    parallel::for_each_chunk_mut(
        &mut vertex_faces,
        parallel::CHUNK_LEN,
        |first, vertex_faces| {
            for (bits, &position) in vertex_faces.iter_mut().zip(&mesh.vertices[first..]) {
                *bits = faces(position, &last, geometry);
            }
        },
    );
    let edges = match &mesh.triangles {
        Triangles::U32(triangles) => count_edges_in_faces(&vertex_faces, triangles),
        Triangles::U64(triangles) => count_edges_in_faces(&vertex_faces, triangles),
    };
    let faces = (0..6).map(|face| {
        let at = if face % 2 == 0 {
            0
        } else {
            dims[face / 2].saturating_sub(1)
        };
        Opening {
            face: format!("{} = {at}", ["x", "y", "z"][face / 2]),
            edges: edges[face],
        }
    });
    Ok(faces.filter(|opening| opening.edges > 0).collect())
}

/// Returns, for each face, the number of edges with both ends in it.
fn count_edges_in_faces<I: VertexIndex>(vertex_faces: &[u8], triangles: &[[I; 3]]) -> [usize; 6] {
    let count = |mut edges: [usize; 6], triangle: &[I; 3]| {
        let [a, b, c] =
            triangle.map(|corner| vertex_faces.get(corner.position()).copied().unwrap_or(0));
        for common in [a & b, b & c, c & a] {
            if common != 0 {
                edges[common.trailing_zeros() as usize] += 1;
            }
        }
        edges
    };
    let sum = |left: [usize; 6], right: [usize; 6]| std::array::from_fn(|at| left[at] + right[at]);
    let count_range = |range: Range<usize>| triangles[range].iter().fold([0; 6], count);
    parallel::reduce(triangles.len(), parallel::CHUNK_LEN, count_range, sum).unwrap_or([0; 6])
}

/// Returns the faces of the volume that a vertex lies in: bit 2k for the lower face along axis k,
/// bit 2k + 1 for the upper one.
fn faces(position: [f32; 3], last: &[f64; 3], geometry: &Geometry) -> u8 {
    let index = geometry.world_to_index(Point3::from(position).cast::<f64>());
    let mut faces = 0;
    for axis in 0..3 {
        faces |= u8::from(index[axis].abs() < FACE_TOLERANCE) << (2 * axis);
        faces |= u8::from((index[axis] - last[axis]).abs() < FACE_TOLERANCE) << (2 * axis + 1);
    }
    faces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_in_a_face_are_counted_there() {
        let geometry = Geometry::from_spacing([2.0; 3], [10.0; 3]).unwrap();
        // two triangles over a square in the plane x = 3.5, bounded by y = 0 and z = 4, of a 9 x 9
        // x 5 volume
        let corner = |y: f32, z: f32| [17.0, 10.0 + 2.0 * y, 10.0 + 2.0 * z];
        let mesh = TriangleMesh {
            origin: [0.0; 3],
            vertices: vec![
                corner(0.0, 3.0),
                corner(1.0, 3.0),
                corner(1.0, 4.0),
                corner(0.0, 4.0),
            ],
            normals: None,
            triangles: Triangles::U32(vec![[0, 1, 2], [0, 2, 3]]),
        };
        let found = openings(&mesh, [9, 9, 5], &geometry);
        assert_eq!(
            found,
            [
                Opening {
                    face: "y = 0".into(),
                    edges: 1
                },
                Opening {
                    face: "z = 4".into(),
                    edges: 1
                }
            ]
        );
    }
}
