//! Mesh files: one writer per format, and readers of PLY, OBJ and STL.

mod ahead;
mod encode;
mod form;
mod labelled;
mod obj;
mod obj_read;
mod parts;
mod ply;
mod ply_header;
mod ply_read;
mod read;
mod spool;
mod stl;
mod stl_read;
mod vtk;
mod vtp;
mod writer;

use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::format::extension;
use super::group::alone;
use super::place::output_extension;
use super::{FileError, FileGroup, FileProblem, MeshFormat};
use crate::memory;
use crate::mesh::{TriangleMesh, Triangles, VertexIndex};

pub use labelled::write_labelled_mesh;
pub use parts::MeshCounts;
pub(super) use read::read_mesh_source;
pub use read::{read_mesh, read_mesh_bytes};
pub use writer::MeshWriter;

use form::{Form, write_facets};
use parts::Part;

/// How to write a mesh file, at once or piece by piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeshWriteOptions {
    /// The format; `None` takes that of the extension.
    pub format: Option<MeshFormat>,
    /// Write the vertex normals: [`write_mesh`] where the mesh has them; to a [`MeshWriter`] every
    /// piece must bring them then. (STL has facet normals, always.)
    pub normals: bool,
}

impl Default for MeshWriteOptions {
    fn default() -> Self {
        Self {
            format: None,
            normals: true,
        }
    }
}

/// Writes a mesh file; the extension determines the format: `.ply`, `.obj`, `.stl`, `.vtk` or
/// `.vtp`. A device, a pipe or standard output (`-`) without one gets PLY.
///
/// The file appears under its name when it is complete and on the disk; until then, and after any
/// failure, what stood there before is untouched.
///
/// # Errors
/// [`FileError`] for an extension that is none of these, a mesh that
/// [is not valid](TriangleMesh::validate), more vertices or triangles than the format counts, and
/// what the operating system refuses.
///
/// ```
/// use ferrovox::io::{MeshWriteOptions, read_mesh, write_mesh};
/// use ferrovox::mesh::{TriangleMesh, Triangles};
///
/// let triangle = TriangleMesh {
///     vertices: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
///     normals: None,
///     triangles: Triangles::U32(vec![[0, 1, 2]]),
/// };
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("triangle.ply");
/// write_mesh(&path, &triangle, &MeshWriteOptions::default())?;
/// assert_eq!(read_mesh(&path)?, triangle);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_mesh(
    path: impl AsRef<Path>,
    mesh: &TriangleMesh,
    options: &MeshWriteOptions,
) -> Result<(), FileError> {
    alone(|group| group.write_mesh(path, mesh, options))
}

impl FileGroup {
    /// Writes a mesh file, as [`write_mesh`].
    ///
    /// # Errors
    /// Those of [`write_mesh`].
    pub fn write_mesh(
        &mut self,
        path: impl AsRef<Path>,
        mesh: &TriangleMesh,
        options: &MeshWriteOptions,
    ) -> Result<(), FileError> {
        let path = path.as_ref();
        let problem = |problem| FileError::new(path, problem);
        let format = format_of(path, options.format)?;
        mesh.validate().map_err(|error| problem(error.into()))?;
        check_limits(format, mesh).map_err(problem)?;
        self.write(path, |file| {
            let mut out = BufWriter::with_capacity(1 << 20, file);
            encode(format, mesh, options, &mut out)?;
            out.flush()
        })
    }
}

impl MeshFormat {
    /// The format of an output: PLY on a stream without an extension.
    pub(crate) fn of_output(path: &Path) -> Option<Self> {
        Self::from_extension(&output_extension(path, "ply"))
    }
}

/// The format of an output file.
fn format_of(path: &Path, named: Option<MeshFormat>) -> Result<MeshFormat, FileError> {
    named
        .or_else(|| MeshFormat::of_output(path))
        .ok_or_else(|| {
            let unknown = FileProblem::UnknownExtension {
                extension: extension(path),
                known: "meshes are written as .ply, .obj, .stl, .vtk and .vtp",
            };
            FileError::new(path, unknown)
        })
}

/// Writes a valid mesh, within the format's limits, to anything.
fn encode(
    format: MeshFormat,
    mesh: &TriangleMesh,
    options: &MeshWriteOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    match &mesh.triangles {
        Triangles::U32(triangles) => encode_parts(format, mesh, triangles, options, out),
        Triangles::U64(triangles) => encode_parts(format, mesh, triangles, options, out),
    }
}

fn encode_parts<I: VertexIndex + Into<u64>>(
    format: MeshFormat,
    mesh: &TriangleMesh,
    triangles: &[[I; 3]],
    options: &MeshWriteOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let normals = mesh.normals.as_deref().filter(|_| options.normals);
    let form = Form {
        format,
        normals: normals.is_some(),
    };
    let counts = MeshCounts {
        vertices: mesh.vertices.len() as u64,
        triangles: triangles.len() as u64,
    };
    for part in form.parts(counts) {
        match part {
            Part::Bytes(bytes) => out.write_all(&bytes)?,
            Part::Vertices => form.write_vertices(&mesh.vertices, normals, out)?,
            Part::Normals => form.write_normals(normals.unwrap_or_default(), out)?,
            Part::Triangles => form.write_triangles(triangles, out)?,
            Part::Ends => vtp::write_ends(counts.triangles, out)?,
            Part::Facets => write_facets(&mesh.vertices, triangles, out)?,
        }
    }
    Ok(())
}

/// Elements by which memory grows.
const STEP: usize = 1 << 16;

/// Room for one more, in steps and with an error instead of an abort.
fn grow<T>(list: &mut Vec<T>) -> Result<(), FileProblem> {
    if list.len() == list.capacity() {
        Ok(memory::try_reserve_amortized(
            "a mesh",
            list,
            STEP.max(list.len() / 2),
        )?)
    } else {
        Ok(())
    }
}

/// What a format cannot count.
fn check_limits(format: MeshFormat, mesh: &TriangleMesh) -> Result<(), FileProblem> {
    limits(
        format,
        mesh.vertices.len() as u64,
        mesh.triangles.len() as u64,
    )
}

fn limits(format: MeshFormat, vertices: u64, triangles: u64) -> Result<(), FileProblem> {
    let check = |what, bits, count: u64, limit: u64| {
        if count <= limit {
            return Ok(());
        }
        Err(FileProblem::MeshTooLarge {
            format,
            what,
            bits,
            count,
            instead: ".vtp or .obj",
        })
    };
    match format {
        // The largest index is one less than the number of vertices.
        MeshFormat::Ply => check("vertices", 32, vertices, 1 << 32),
        MeshFormat::Stl => check("triangles", 32, triangles, u64::from(u32::MAX)),
        MeshFormat::Vtk => check("vertices", 31, vertices, 1 << 31),
        MeshFormat::Obj | MeshFormat::Vtp => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_name_the_count_and_a_way_out() {
        assert!(limits(MeshFormat::Ply, 1 << 32, u64::MAX).is_ok());
        let error = limits(MeshFormat::Ply, (1 << 32) + 1, 0).unwrap_err();
        assert_eq!(
            error.to_string(),
            "PLY counts vertices in 32 bits, and the mesh has 4294967297; write .vtp or .obj instead"
        );
        let error = limits(MeshFormat::Stl, 3, 1 << 32).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("STL counts triangles in 32 bits"),
            "{error}"
        );
        assert!(limits(MeshFormat::Vtk, (1 << 31) + 1, 0).is_err());
        assert!(limits(MeshFormat::Vtp, u64::MAX, u64::MAX).is_ok());
    }
}
