//! Files of points: text, arrays, and the vertices of meshes.

mod array;
mod text;

use std::path::Path;

use super::error::show_bytes;
use super::format::extension;
use super::samples::reserve;
use super::source::Source;
use super::{FileError, FileProblem, read_mesh_bytes};

/// Points by which memory grows.
const STEP: usize = 1 << 14;

/// Reads points; the extension tells the format:
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
/// [`FileError`] for another extension, a damaged file, coordinates that are not finite, and what the operating system refuses.
pub fn read_points(path: impl AsRef<Path>) -> Result<Vec<[f64; 3]>, FileError> {
    let path = path.as_ref();
    if kind(path) == Some(Kind::Mesh) {
        let mesh = super::read_mesh(path)?;
        return from_vertices(&mesh.vertices).map_err(|problem| FileError::new(path, problem));
    }
    known(path)
        .and_then(|kind| read(Source::open(path)?, kind))
        .map_err(|problem| FileError::new(path, problem))
}

/// Reads points from the bytes of a file; `name` stands for the file's name: its extension tells the format, and errors mention it.
///
/// # Errors
/// Those of [`read_points`].
pub fn read_points_bytes(name: impl AsRef<Path>, bytes: &[u8]) -> Result<Vec<[f64; 3]>, FileError> {
    let name = name.as_ref();
    if kind(name) == Some(Kind::Mesh) {
        let mesh = read_mesh_bytes(name, bytes)?;
        return from_vertices(&mesh.vertices).map_err(|problem| FileError::new(name, problem));
    }
    known(name)
        .and_then(|kind| read(Source::from_bytes(bytes), kind))
        .map_err(|problem| FileError::new(name, problem))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Array,
    Mesh,
}

fn kind(path: &Path) -> Option<Kind> {
    match extension(path).as_str() {
        "xyz" | "xyz.gz" => Some(Kind::Text),
        "npy" | "npy.gz" => Some(Kind::Array),
        "ply" => Some(Kind::Mesh),
        _ => None,
    }
}

fn known(path: &Path) -> Result<Kind, FileProblem> {
    kind(path).ok_or_else(|| FileProblem::UnknownExtension {
        extension: extension(path),
        known: "points are read from .xyz, .ply and .npy",
    })
}

fn read(mut source: Source<'_>, kind: Kind) -> Result<Vec<[f64; 3]>, FileProblem> {
    if source.peek(2)? == [0x1f, 0x8b] {
        source = source.gunzip();
    }
    match kind {
        Kind::Array => array::read(source),
        Kind::Text | Kind::Mesh => text::read(source),
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
        reserve(points, STEP.max(points.len()))?;
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
