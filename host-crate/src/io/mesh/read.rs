//! Reading triangle meshes.

use std::path::Path;

use super::{obj_read, ply_read, stl_read};
use crate::io::format::extension;
use crate::io::source::Source;
use crate::io::{FileError, FileProblem, MeshFormat};
use crate::mesh::TriangleMesh;

type Reader = fn(Source<'_>) -> Result<TriangleMesh, FileProblem>;

/// Reads a triangle mesh from a `.ply`, `.obj` or `.stl` file; one of another name is read as PLY.
///
/// | format | what is read |
/// | --- | --- |
/// | OBJ | positions and faces; faces with more corners are cut into triangles from their first corner |
/// | PLY, text and binary of either byte order | positions, normals where there are any, faces, cut into triangles likewise |
/// | STL, binary and text | triangles; corners at equal positions become one vertex |
///
/// # Errors
/// [`FileError`] for another format, a damaged or truncated file, and what the operating system refuses.
pub fn read_mesh(path: impl AsRef<Path>) -> Result<TriangleMesh, FileError> {
    let path = path.as_ref();
    form(path)
        .and_then(|read| read(Source::open(path)?))
        .map_err(|problem| FileError::new(path, problem))
}

/// Reads a triangle mesh from the bytes of a file; `name` stands for the file's name, by its extension and in errors.
///
/// # Errors
/// Those of [`read_mesh`].
pub fn read_mesh_bytes(name: impl AsRef<Path>, bytes: &[u8]) -> Result<TriangleMesh, FileError> {
    let name = name.as_ref();
    form(name)
        .and_then(|read| read(Source::from_bytes(bytes)))
        .map_err(|problem| FileError::new(name, problem))
}

/// The reader for a file of this name.
fn form(path: &Path) -> Result<Reader, FileProblem> {
    match MeshFormat::from_path(path) {
        Some(MeshFormat::Ply) | None => Ok(ply_read::read),
        Some(MeshFormat::Obj) => Ok(obj_read::read),
        Some(MeshFormat::Stl) => Ok(stl_read::read),
        Some(MeshFormat::Vtk | MeshFormat::Vtp) => Err(FileProblem::UnknownExtension {
            extension: extension(path),
            known: "meshes are read from .ply, .obj and .stl",
        }),
    }
}
