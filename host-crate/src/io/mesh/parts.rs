//! What a mesh file consists of.

/// How many vertices and triangles a mesh file has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MeshCounts {
    /// Vertices.
    pub vertices: u64,
    /// Triangles.
    pub triangles: u64,
}

/// A part of a mesh file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// These bytes.
    Bytes(Vec<u8>),
    /// All vertices, as [`super::form::Form::write_vertices`] writes them.
    Vertices,
    /// All normals, as [`super::form::Form::write_normals`] writes them.
    Normals,
    /// All triangles, as [`super::form::Form::write_triangles`] writes them.
    Triangles,
    /// The ends of VTP's triangles in their list of indices.
    Ends,
    /// STL's triangles, with the positions of their corners.
    Facets,
}

impl Part {
    pub fn text(text: String) -> Self {
        Self::Bytes(text.into_bytes())
    }
}
