//! Where a mesh is open.
//!
//! Triangles never have an edge in a face of a cell unless it is the trace of the surface on that
//! face; so an edge with both ends in one face of the volume is a boundary edge there. This needs
//! no table of edges.

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
    /// The face, as `x = 0` or `z = 188` in grid indices.
    pub face: String,
    /// How many boundary edges lie in it.
    pub edges: usize,
}

/// How far from a face, in voxels, a vertex still lies in it. Vertices that do not are further than
/// 1/1024 away.
const NEAR: f64 = 0.4 / 1024.0;

/// The boundary edges of an isosurface of a volume of `dims` samples, by the volume's faces. Faces
/// without any are left out.
///
/// # Panics
/// If there is no memory for a byte for each vertex: [`try_openings`] does not.
pub fn openings(mesh: &TriangleMesh, dims: [usize; 3], geometry: &Geometry) -> Vec<Opening> {
    let openings = try_openings(mesh, dims, geometry);
    openings.unwrap_or_else(|error| panic!("{error}"))
}

/// As [`openings`], with an error where it panics.
///
/// # Errors
/// [`OutOfMemory`].
pub fn try_openings(
    mesh: &TriangleMesh,
    dims: [usize; 3],
    geometry: &Geometry,
) -> Result<Vec<Opening>, OutOfMemory> {
    let last = dims.map(|n| n.saturating_sub(1) as f64);
    let mut faces_of = memory::try_zeroed("openings of the mesh", mesh.vertices.len())?;
    parallel::for_each_chunk_mut(&mut faces_of, parallel::CHUNK_LEN, |first, faces_of| {
        for (of, &position) in faces_of.iter_mut().zip(&mesh.vertices[first..]) {
            *of = faces(position, &last, geometry);
        }
    });
    let edges = match &mesh.triangles {
        Triangles::U32(triangles) => edges_in(&faces_of, triangles),
        Triangles::U64(triangles) => edges_in(&faces_of, triangles),
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

/// How many edges have both ends in a face, for each face.
fn edges_in<I: VertexIndex>(faces_of: &[u8], triangles: &[[I; 3]]) -> [usize; 6] {
    let count = |mut edges: [usize; 6], triangle: &[I; 3]| {
        let [a, b, c] =
            triangle.map(|corner| faces_of.get(corner.position()).copied().unwrap_or(0));
        for common in [a & b, b & c, c & a] {
            if common != 0 {
                edges[common.trailing_zeros() as usize] += 1;
            }
        }
        edges
    };
    let sum = |left: [usize; 6], right: [usize; 6]| std::array::from_fn(|at| left[at] + right[at]);
    let of_range = |range: Range<usize>| triangles[range].iter().fold([0; 6], count);
    parallel::reduce(triangles.len(), parallel::CHUNK_LEN, of_range, sum).unwrap_or([0; 6])
}

/// The faces of the volume that a vertex lies in: bit 2k for the lower one along axis k, bit 2k + 1
/// for the upper one.
fn faces(position: [f32; 3], last: &[f64; 3], geometry: &Geometry) -> u8 {
    let index = geometry.world_to_index(Point3::from(position).cast::<f64>());
    let mut faces = 0;
    for axis in 0..3 {
        faces |= u8::from(index[axis].abs() < NEAR) << (2 * axis);
        faces |= u8::from((index[axis] - last[axis]).abs() < NEAR) << (2 * axis + 1);
    }
    faces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_in_a_face_are_counted_there() {
        let geometry = Geometry::from_spacing([2.0; 3], [10.0; 3]).unwrap();
        // two triangles over a square in the plane x = 3.5, which ends at y = 0 and z = 4 of a 9 x
        // 9 x 5 volume
        let corner = |y: f32, z: f32| [17.0, 10.0 + 2.0 * y, 10.0 + 2.0 * z];
        let mesh = TriangleMesh {
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
