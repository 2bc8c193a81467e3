//! Mesh files: a registry of formats, writers that share their encoders, and readers.

mod bounds;
mod counts;
mod encoder;
mod formats;
mod forward_references;
mod label_scene;
mod labelled;
mod output_format;
mod package;
mod parallel_encode;
mod placement;
mod position_list;
mod read;
mod space;
mod spool;
mod stream_writer;
mod try_append;
mod write;

use std::path::Path;

use crate::io::output::group::write_alone;
use crate::io::{FileError, FileGroup, FileProblem};
use crate::mesh::TriangleMesh;

pub use counts::MeshCounts;
pub use formats::MeshFormat;
pub(crate) use label_scene::EXTENSION as SCENE_EXTENSION;
pub(crate) use label_scene::distinct_color;
pub use label_scene::write_label_scene;
pub use labelled::write_labelled_mesh;
pub(super) use read::read_mesh_source;
pub use read::{read_mesh, read_mesh_bytes};
pub use space::MeshSpace;
pub use stream_writer::MeshWriter;

use encoder::MeshLayout;
use output_format::resolve_format;
use write::{write_blocks, write_file};

/// Options for writing a mesh file, as a whole or piece by piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeshWriteOptions {
    /// Format of the file; `None` for the format of the extension.
    pub format: Option<MeshFormat>,
    /// `true` to write vertex normals. [`write_mesh`] writes them if the mesh has them; for a
    /// [`MeshWriter`] every piece must then have them. STL always has facet normals instead.
    pub normals: bool,
    /// Space of the file: positions in RAS are converted to it, and files state it for 3D Slicer.
    /// `None` for positions that are not in the world, such as voxel indices.
    pub space: Option<MeshSpace>,
}

impl Default for MeshWriteOptions {
    fn default() -> Self {
        Self {
            format: None,
            normals: true,
            space: Some(MeshSpace::Ras),
        }
    }
}

/// Writes a mesh file in the [format](MeshFormat) of the extension. A device, a pipe or standard
/// output (`-`) without an extension gets PLY.
///
/// The file is replaced atomically: it appears under its name once it is complete and on the disk.
/// Until then, and after any failure, an existing file is unchanged. A device, a pipe or standard
/// output may have received a part of the bytes before a failure.
///
/// Positions are written in the world: as `f32`, or as `f64` if the mesh has a local
/// [origin](TriangleMesh::origin).
///
/// # Errors
/// [`FileError`] for an extension of no mesh format, a mesh that [is not
/// valid](TriangleMesh::validate), more vertices or triangles than the format can count, a local
/// origin in a format without `f64` ([`FileProblem::LocalOrigin`]), and errors of the operating
/// system.
///
/// ```
/// use ferrovox::io::{MeshWriteOptions, read_mesh, write_mesh};
/// use ferrovox::mesh::{TriangleMesh, Triangles};
///
/// let triangle = TriangleMesh {
///     origin: [0.0; 3],
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
    write_alone(|group| group.write_mesh(path, mesh, options))
}

impl FileGroup {
    /// Writes a mesh file as one of the group; see [`write_mesh`](fn@write_mesh).
    ///
    /// # Errors
    /// The errors of [`write_mesh`](fn@write_mesh).
    pub fn write_mesh(
        &mut self,
        path: impl AsRef<Path>,
        mesh: &TriangleMesh,
        options: &MeshWriteOptions,
    ) -> Result<(), FileError> {
        let path = path.as_ref();
        let format = resolve_format(path, options.format)?;
        let mut layout = MeshLayout::new(options.space, mesh.origin);
        layout.counts = MeshCounts::from_mesh(mesh);
        layout.normals = options.normals && mesh.normals.is_some();
        let check = || -> Result<(), FileProblem> {
            mesh.validate_normals()?;
            format.check_limit(&layout)?;
            format.check_origin(layout.origin)
        };
        check().map_err(|problem| FileError::new(path, problem))?;
        layout.extend_bounds(format.info(), &mesh.vertices);
        self.write(path, |file| {
            write_file(format, &layout, file, |out| {
                write_blocks(format, &layout, mesh, &mesh.triangles, None, out)
            })
        })
    }
}
