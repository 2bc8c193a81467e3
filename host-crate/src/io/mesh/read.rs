//! Reading triangle meshes.

use std::path::Path;

use super::{obj_read, ply_read, stl_read};
use crate::io::format::extension;
use crate::io::source::Source;
use crate::io::{FileError, FileProblem, MeshFormat};
use crate::mesh::TriangleMesh;

/// As many bytes as identify a format.
const START: usize = 32;

/// What can be read.
const KNOWN: &str = "meshes are read from .ply, .obj and .stl";

type Reader = fn(Source<'_>) -> Result<TriangleMesh, FileProblem>;

/// Reads a triangle mesh from a `.ply`, `.obj` or `.stl` file.
///
/// A file that begins as PLY or text STL does is read as such; else the extension determines the
/// format.
///
/// | format | what is read |
/// | --- | --- |
/// | OBJ | positions and faces; faces with more corners are cut into triangles from their first corner |
/// | PLY, text and binary of either byte order | positions, normals where there are any, faces, cut into triangles likewise |
/// | STL, binary and text | triangles; corners at equal positions become one vertex |
///
/// # Errors
/// [`FileError`] for another format, a damaged or truncated file, and what the operating system
/// refuses.
pub fn read_mesh(path: impl AsRef<Path>) -> Result<TriangleMesh, FileError> {
    let path = path.as_ref();
    refuse_written_only(path)
        .and_then(|()| read_mesh_source(path, Source::open(path)?))
        .map_err(|problem| FileError::new(path, problem))
}

/// Reads a triangle mesh from the bytes of a file; `name` stands for the file's name, by its
/// extension and in errors.
///
/// # Errors
/// Those of [`read_mesh`].
pub fn read_mesh_bytes(name: impl AsRef<Path>, bytes: &[u8]) -> Result<TriangleMesh, FileError> {
    let name = name.as_ref();
    refuse_written_only(name)
        .and_then(|()| read_mesh_source(name, Source::from_bytes(bytes)))
        .map_err(|problem| FileError::new(name, problem))
}

/// Refuses by name what is written only, whether there is such a file or not.
fn refuse_written_only(path: &Path) -> Result<(), FileProblem> {
    match MeshFormat::from_path(path) {
        Some(MeshFormat::Vtk | MeshFormat::Vtp) => Err(unknown(path)),
        _ => Ok(()),
    }
}

fn unknown(path: &Path) -> FileProblem {
    FileProblem::UnknownExtension {
        extension: extension(path),
        known: KNOWN,
    }
}

/// Reads a triangle mesh from a source; `path` stands for the file's name.
pub(in crate::io) fn read_mesh_source(
    path: &Path,
    mut source: Source<'_>,
) -> Result<TriangleMesh, FileProblem> {
    let named = MeshFormat::from_path(path);
    let content = MeshFormat::from_content(&source.peek(START)?);
    // the header of a binary STL may hold anything, such as the name of another format
    let format = match named {
        Some(MeshFormat::Stl) if content != Some(MeshFormat::Ply) => named,
        _ => content.or(named),
    };
    let read: Reader = match format {
        Some(MeshFormat::Ply) => ply_read::read,
        Some(MeshFormat::Obj) => obj_read::read,
        Some(MeshFormat::Stl) => stl_read::read,
        Some(MeshFormat::Vtk | MeshFormat::Vtp) => {
            return Err(FileProblem::Unsupported {
                what: "reading VTK meshes".to_owned(),
                advice: KNOWN,
            });
        }
        None => return Err(unknown(path)),
    };
    read(source)
}
