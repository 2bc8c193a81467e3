//! Meshes whose triangles lie between two labels: PLY and VTP, with both labels of each triangle.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::encode::items;
use super::form::Form;
use super::parts::{MeshCounts, Part};
use super::{check_limits, format_of, ply, vtp};
use crate::io::group::alone;
use crate::io::{FileError, FileGroup, FileProblem, MeshFormat};
use crate::memory;
use crate::mesh::{LabelledMesh, MeshError, Triangles, VertexIndex};

/// Triangles that are encoded at a time.
const PIECE: usize = 1 << 19;

/// The names of the two numbers of a triangle.
const NAMES: [&str; 2] = ["label_inside", "label_outside"];

/// Writes a mesh with the two labels of each triangle, `label_inside` and `label_outside`: `.ply`
/// (properties of the faces, `int` or, where labels are longer, `double`) or `.vtp` (cell data).
/// The background is 0.
///
/// The file appears under its name when it is complete and on the disk, as with
/// [`write_mesh`](super::write_mesh).
///
/// # Errors
/// [`FileError`]: those of [`write_mesh`](super::write_mesh), and [`FileProblem::NoFaceLabels`] for
/// the other formats.
///
/// ```
/// use ferrovox::io::{read_mesh, write_labelled_mesh};
/// use ferrovox::mesh::{LabelledMesh, TriangleMesh, Triangles};
///
/// let wall = LabelledMesh {
///     mesh: TriangleMesh {
///         vertices: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
///         normals: None,
///         triangles: Triangles::U32(vec![[0, 1, 2]]),
///     },
///     labels: vec![3, 17],
///     sides: vec![[1, 2]],
/// };
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("wall.ply");
/// write_labelled_mesh(&path, &wall)?;
/// assert_eq!(read_mesh(&path)?, wall.mesh);
/// assert!(write_labelled_mesh(folder.path().join("wall.stl"), &wall).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_labelled_mesh(path: impl AsRef<Path>, mesh: &LabelledMesh) -> Result<(), FileError> {
    alone(|group| group.write_labelled_mesh(path, mesh))
}

impl FileGroup {
    /// Writes a mesh with the labels of its triangles, as [`write_labelled_mesh`].
    ///
    /// # Errors
    /// Those of [`write_labelled_mesh`].
    pub fn write_labelled_mesh(
        &mut self,
        path: impl AsRef<Path>,
        mesh: &LabelledMesh,
    ) -> Result<(), FileError> {
        let path = path.as_ref();
        let problem = |problem| FileError::new(path, problem);
        let format = format_of(path, None)?;
        if !format.holds_face_labels() {
            return Err(problem(FileProblem::NoFaceLabels { format }));
        }
        let check = || -> Result<(), FileProblem> {
            mesh.mesh.validate()?;
            let (sides, triangles) = (mesh.sides.len(), mesh.mesh.triangles.len());
            if sides != triangles {
                return Err(MeshError::SideCount { sides, triangles }.into());
            }
            check_limits(format, &mesh.mesh)
        };
        check().map_err(problem)?;
        self.write(path, |file| {
            let mut out = BufWriter::with_capacity(1 << 20, file);
            match &mesh.mesh.triangles {
                Triangles::U32(triangles) => encode(format, mesh, triangles, &mut out),
                Triangles::U64(triangles) => encode(format, mesh, triangles, &mut out),
            }?;
            out.flush()
        })
    }
}

impl MeshFormat {
    /// Whether a file of this format has the two labels of each triangle.
    pub(crate) fn holds_face_labels(self) -> bool {
        matches!(self, Self::Ply | Self::Vtp)
    }
}

fn encode<I: VertexIndex + Into<u64>>(
    format: MeshFormat,
    mesh: &LabelledMesh,
    triangles: &[[I; 3]],
    out: &mut dyn Write,
) -> io::Result<()> {
    let form = Form {
        format,
        normals: false,
    };
    let counts = MeshCounts {
        vertices: mesh.mesh.vertices.len() as u64,
        triangles: triangles.len() as u64,
    };
    if format == MeshFormat::Ply {
        let is_int = mesh.labels.iter().all(|&it| i32::try_from(it).is_ok());
        let kind = if is_int { "int" } else { "double" };
        let fields = NAMES.map(|name| format!("property {kind} {name}\n"));
        if let Part::Bytes(bytes) = ply::header(counts, false, &fields.concat()) {
            out.write_all(&bytes)?;
        }
        form.write_vertices(&mesh.mesh.vertices, None, out)?;
        let pieces = triangles.chunks(PIECE).zip(mesh.sides.chunks(PIECE));
        for (triangles, sides) in pieces {
            let faces = memory::try_collect("a piece of the file", triangles.iter().zip(sides))?;
            items(out, &faces, |(corners, sides), bytes| {
                ply::put_triangle(bytes, corners.map(Into::into));
                for label in sides.map(|side| mesh.label_at(side)) {
                    match is_int {
                        true => bytes.extend_from_slice(&(label as i32).to_le_bytes()),
                        // exact up to 2^53
                        false => bytes.extend_from_slice(&(label as f64).to_le_bytes()),
                    }
                }
            })?;
        }
        return Ok(());
    }
    for part in vtp::body(counts, false, &NAMES) {
        match part {
            Part::Bytes(bytes) => out.write_all(&bytes)?,
            Part::Vertices => form.write_vertices(&mesh.mesh.vertices, None, out)?,
            Part::Triangles => form.write_triangles(triangles, out)?,
            Part::Ends => vtp::write_ends(counts.triangles, out)?,
            // it has none of these
            Part::Normals | Part::Facets => {}
        }
    }
    for side in [0, 1] {
        if let Part::Bytes(bytes) = vtp::length(8 * counts.triangles) {
            out.write_all(&bytes)?;
        }
        items(out, &mesh.sides, |sides, bytes| {
            bytes.extend_from_slice(&mesh.label_at(sides[side]).to_le_bytes());
        })?;
    }
    if let Part::Bytes(bytes) = vtp::end() {
        out.write_all(&bytes)?;
    }
    Ok(())
}
