//! Reading of triangle meshes.

use std::path::Path;

use super::MeshFormat;
use crate::io::catch_panic::read_file;
use crate::io::file_extension::extension;
use crate::io::source::Source;
use crate::io::{FileError, FileProblem};
use crate::mesh::TriangleMesh;

/// Bytes that suffice to identify a format.
const SIGNATURE_BYTES: usize = 32;

/// Reads a triangle mesh from a file of a [readable format](MeshFormat::is_readable).
///
/// A file with the signature of PLY, text STL, OFF, VTP or glTF is read as such; otherwise the
/// extension determines the format. Positions are those of the file, except that glTF is converted
/// from metres with y upwards, and 3MF from its unit to millimetres.
///
/// | format | contents read |
/// | --- | --- |
/// | OBJ | positions and faces; polygons are cut into triangle fans from their first corner |
/// | PLY, text and binary | positions, normals if present, and faces, cut likewise |
/// | STL, binary and text | triangles; corners at equal positions become one vertex |
/// | VTP | points, active normals, polygons cut likewise, and strips, of one piece |
/// | OFF, text | positions, normals if present, and faces, cut likewise |
/// | glTF, binary | positions, normals and triangles of all nodes of the scene |
/// | 3MF | triangles of all build items with their components |
///
/// # Errors
/// [`FileError`] for another format, a damaged or truncated file, and errors of the operating
/// system.
pub fn read_mesh(path: impl AsRef<Path>) -> Result<TriangleMesh, FileError> {
    let path = path.as_ref();
    read_file(path, || {
        refuse_unreadable(path)?;
        read_mesh_source(path, Source::open(path)?)
    })
}

/// Reads a triangle mesh from the bytes of a file. `name` stands for the file name: its extension
/// determines the format, and errors quote it.
///
/// # Errors
/// The errors of [`read_mesh`].
pub fn read_mesh_bytes(name: impl AsRef<Path>, bytes: &[u8]) -> Result<TriangleMesh, FileError> {
    let name = name.as_ref();
    read_file(name, || {
        refuse_unreadable(name)?;
        read_mesh_source(name, Source::from_bytes(bytes))
    })
}

/// Fails if the extension is that of a format that can only be written, even if there is no such
/// file.
fn refuse_unreadable(path: &Path) -> Result<(), FileProblem> {
    match MeshFormat::from_path(path) {
        Some(format) if !format.is_readable() => Err(unknown_extension(path)),
        _ => Ok(()),
    }
}

fn unknown_extension(path: &Path) -> FileProblem {
    FileProblem::UnknownExtension {
        extension: extension(path),
        known: MeshFormat::read_from(),
    }
}

/// Reads a triangle mesh from a source. `path` stands for the file name.
pub(in crate::io) fn read_mesh_source(
    path: &Path,
    mut source: Source<'_>,
) -> Result<TriangleMesh, FileProblem> {
    let named = MeshFormat::from_path(path);
    let content = MeshFormat::from_content(&source.peek(SIGNATURE_BYTES)?);
    // A free header may contain the signature of another format. The signature takes precedence
    // over the extension if its format is readable.
    let is_believed = content.is_some_and(MeshFormat::is_readable)
        || !named.is_some_and(|format| format.info().has_free_header);
    let format = content.filter(|_| is_believed).or(named);
    let format = format.ok_or_else(|| unknown_extension(path))?;
    match format.info().reader {
        Some(reader) => (reader.read)(source),
        None => Err(FileProblem::Unsupported {
            what: format!("reading {format} meshes"),
            advice: MeshFormat::read_from(),
        }),
    }
}
