//! Point files: text, arrays, and the vertices of meshes.

mod array;
mod table;
mod text;

use std::path::Path;
use std::sync::LazyLock;

use crate::io::catch_panic::read_file;
use crate::io::error::show_bytes;
use crate::io::file_extension::extension;
use crate::io::mesh::read_mesh_source;
use crate::io::source::Source;
use crate::io::{FileError, FileProblem, MeshFormat, PointsProblem, VolumeFormat};
use crate::memory;
use crate::mesh::{TriangleMesh, to_world};

/// Number of bytes that suffices to identify a format.
const SIGNATURE_BYTES: usize = 32;

/// Number of points by which a list grows at least.
const GROWTH: usize = 1 << 14;

/// Reads points. The extension determines the format, unless the file has the signature of npy or
/// of a mesh format:
///
/// | extension | contents |
/// | --- | --- |
/// | `.xyz` | text, one point per line: x, y and z, separated by spaces, tabs or commas |
/// | `.csv`, `.tsv` | a table: the columns x, y and z, or without names the first three |
/// | `.npy` | an array of n rows and 3 columns, of any type that volumes can have |
/// | `.ply` and others | the vertices of a mesh, as [`read_mesh`](crate::io::read_mesh) reads it |
///
/// In text, further words, empty lines and lines that start with `#` are ignored. Fields of tables
/// are separated by commas, tabs or semicolons and may be quoted; column names may have a unit, as
/// in `x (mm)`. Text, tables and arrays may be compressed with gzip. Coordinates are those of the
/// file.
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
/// [`FileError`] for another extension, a damaged file, coordinates that are not finite, and errors
/// of the operating system.
pub fn read_points(path: impl AsRef<Path>) -> Result<Vec<[f64; 3]>, FileError> {
    let path = path.as_ref();
    read_file(path, || {
        let kind = kind_from_extension(path)?;
        read(path, Source::open(path)?, kind)
    })
}

/// Reads points from the bytes of a file. `name` stands for the file name: its extension determines
/// the format, and errors quote it.
///
/// # Errors
/// The errors of [`read_points`].
pub fn read_points_bytes(name: impl AsRef<Path>, bytes: &[u8]) -> Result<Vec<[f64; 3]>, FileError> {
    let name = name.as_ref();
    read_file(name, || {
        let kind = kind_from_extension(name)?;
        read(name, Source::from_bytes(bytes), kind)
    })
}

/// Format of a point file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Table,
    Array,
    Mesh,
}

/// Extensions of point files that are no meshes, with their formats.
const EXTENSIONS: [(&str, Kind); 4] = [
    ("xyz", Kind::Text),
    ("csv", Kind::Table),
    ("tsv", Kind::Table),
    ("npy", Kind::Array),
];

/// Returns the extensions of point files, without a dot and without a final `.gz`.
pub fn point_extensions() -> impl Iterator<Item = &'static str> {
    let own = EXTENSIONS.iter().map(|row| row.0);
    own.chain(MeshFormat::input_extensions())
}

/// Returns the format that the extension names.
fn kind_from_extension(path: &Path) -> Result<Kind, FileProblem> {
    let extension = extension(path);
    let plain = extension.trim_end_matches(".gz");
    let own = EXTENSIONS.iter().find(|row| row.0 == plain);
    match own {
        Some(&(_, kind)) => Ok(kind),
        None if MeshFormat::from_path(path).is_some_and(MeshFormat::is_readable) => Ok(Kind::Mesh),
        None => Err(FileProblem::UnknownExtension {
            extension,
            known: read_from(),
        }),
    }
}

/// Returns the sentence that errors about the extension of an input quote.
fn read_from() -> &'static str {
    static SENTENCE: LazyLock<String> = LazyLock::new(|| {
        let own = EXTENSIONS.map(|row| format!(".{}", row.0)).join(", ");
        let meshes = MeshFormat::readable_extensions();
        format!("points are read from {own}, and from meshes: {meshes}")
    });
    &SENTENCE
}

/// Returns the format that the first bytes of a file identify.
fn kind_from_content(start: &[u8]) -> Option<Kind> {
    let mesh = MeshFormat::from_content(start);
    // Text may start like that of STL by chance.
    if mesh.is_some_and(|it| it.is_readable() && it != MeshFormat::Stl) {
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
    match kind_from_content(&source.peek(SIGNATURE_BYTES)?).unwrap_or(kind) {
        Kind::Array => array::read(source),
        Kind::Text => text::read(source),
        Kind::Table => table::read(source),
        Kind::Mesh => from_mesh(&read_mesh_source(path, source)?),
    }
}

/// Returns the world positions of the vertices of a mesh.
fn from_mesh(mesh: &TriangleMesh) -> Result<Vec<[f64; 3]>, FileProblem> {
    let mut points = Vec::new();
    for &vertex in &mesh.vertices {
        push(&mut points, to_world(mesh.origin, vertex))?;
    }
    Ok(points)
}

/// Appends a point, which must be finite.
fn push(points: &mut Vec<[f64; 3]>, position: [f64; 3]) -> Result<(), FileProblem> {
    if position.iter().any(|coordinate| !coordinate.is_finite()) {
        let index = points.len() as u64;
        return Err(PointsProblem::NotFinite { index, position }.into());
    }
    if points.len() == points.capacity() {
        // Doubling keeps the number of copies of a long list small.
        memory::try_reserve_amortized("points", points, GROWTH.max(points.len()))?;
    }
    points.push(position);
    Ok(())
}

/// Returns the start of a line for display.
fn excerpt(line: &[u8]) -> String {
    match std::str::from_utf8(line) {
        Ok(text) => text.chars().take(60).collect(),
        Err(_) => show_bytes(line),
    }
}
