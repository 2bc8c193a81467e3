//! Files of points: text, arrays, and the vertices of meshes.

mod array;
mod text;

use std::path::Path;

use super::error::show_bytes;
use super::format::extension;
use super::mesh::read_mesh_source;
use super::source::Source;
use super::{FileError, FileProblem, MeshFormat, VolumeFormat};
use crate::memory;

/// As many bytes as identify a format.
const START: usize = 8;

/// Points by which memory grows.
const STEP: usize = 1 << 14;

/// Reads points; the extension determines the format, unless the file begins as PLY or npy does:
///
/// | extension | what is read |
/// | --- | --- |
/// | `.xyz` | text, a point on a line: x, y and z, with spaces, tabs or commas between them; what follows on a line is passed over, and so are empty lines and those that begin with `#` |
/// | `.npy` | an array of n rows and 3 columns, of any type that volumes are read of |
/// | `.ply` | the vertices of a mesh, as [`read_mesh`](super::read_mesh) reads it |
///
/// The first two may be packed by gzip. Coordinates are as the file has them.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("points.xyz");
/// std::fs::write(&path, "# two points\n1 2 3\n-4.5, 0, 1e2\n")?;
/// let points = ferrovox::io::read_points(&path)?;
/// assert_eq!(points, [[1.0, 2.0, 3.0], [-4.5, 0.0, 100.0]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`FileError`] for another extension, a damaged file, coordinates that are not finite, and what
/// the operating system refuses.
pub fn read_points(path: impl AsRef<Path>) -> Result<Vec<[f64; 3]>, FileError> {
    let path = path.as_ref();
    known(path)
        .and_then(|kind| read(path, Source::open(path)?, kind))
        .map_err(|problem| FileError::new(path, problem))
}

/// Reads points from the bytes of a file; `name` stands for the file's name: its extension tells
/// the format, and errors mention it.
///
/// # Errors
/// Those of [`read_points`].
pub fn read_points_bytes(name: impl AsRef<Path>, bytes: &[u8]) -> Result<Vec<[f64; 3]>, FileError> {
    let name = name.as_ref();
    known(name)
        .and_then(|kind| read(name, Source::from_bytes(bytes), kind))
        .map_err(|problem| FileError::new(name, problem))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Array,
    Mesh,
}

/// The format of a file name's extension.
fn known(path: &Path) -> Result<Kind, FileProblem> {
    match extension(path).as_str() {
        "xyz" | "xyz.gz" => Ok(Kind::Text),
        "npy" | "npy.gz" => Ok(Kind::Array),
        "ply" => Ok(Kind::Mesh),
        extension => Err(FileProblem::UnknownExtension {
            extension: extension.to_owned(),
            known: "points are read from .xyz, .ply and .npy",
        }),
    }
}

/// The format that a file's first bytes identify.
fn kind_of_content(start: &[u8]) -> Option<Kind> {
    if MeshFormat::from_content(start) == Some(MeshFormat::Ply) {
        Some(Kind::Mesh)
    } else if VolumeFormat::from_content(start) == Some(VolumeFormat::Npy) {
        Some(Kind::Array)
    } else {
        None
    }
}

fn read(path: &Path, mut source: Source<'_>, kind: Kind) -> Result<Vec<[f64; 3]>, FileProblem> {
    if kind != Kind::Mesh && source.peek(2)? == [0x1f, 0x8b] {
        source = source.gunzip();
    }
    match kind_of_content(&source.peek(START)?).unwrap_or(kind) {
        Kind::Array => array::read(source),
        Kind::Text => text::read(source),
        Kind::Mesh => from_vertices(&read_mesh_source(path, source)?.vertices),
    }
}

fn from_vertices(vertices: &[[f32; 3]]) -> Result<Vec<[f64; 3]>, FileProblem> {
    let mut points = Vec::new();
    for &vertex in vertices {
        push(&mut points, vertex.map(f64::from))?;
    }
    Ok(points)
}

/// Adds a point, which must be finite.
fn push(points: &mut Vec<[f64; 3]>, at: [f64; 3]) -> Result<(), FileProblem> {
    if at.iter().any(|coordinate| !coordinate.is_finite()) {
        let number = points.len() as u64;
        return Err(FileProblem::PointNotFinite { number, at });
    }
    if points.len() == points.capacity() {
        // doubled, so that few copies are made of many points
        memory::try_reserve_amortized("points", points, STEP.max(points.len()))?;
    }
    points.push(at);
    Ok(())
}

/// Text of a line, as messages show it.
fn shown(line: &[u8]) -> String {
    match std::str::from_utf8(line) {
        Ok(text) => text.chars().take(60).collect(),
        Err(_) => show_bytes(line),
    }
}
