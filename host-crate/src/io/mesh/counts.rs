//! Numbers of the elements of a mesh file.

use crate::mesh::TriangleMesh;

/// Numbers of vertices and triangles of a mesh file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MeshCounts {
    /// Number of vertices.
    pub vertices: u64,
    /// Number of triangles.
    pub triangles: u64,
}

impl MeshCounts {
    pub(super) fn from_mesh(mesh: &TriangleMesh) -> Self {
        Self {
            vertices: mesh.vertices.len() as u64,
            triangles: mesh.triangles.len() as u64,
        }
    }
}
