//! Meshes with two labels per triangle.

use std::io::{BufWriter, Write};
use std::path::Path;

use super::encoder::{LabelRange, MeshLayout};
use super::output_format::resolve_format;
use super::write::write_blocks;
use super::{MeshCounts, MeshFormat, MeshWriteOptions};
use crate::io::output::group::write_alone;
use crate::io::{FileError, FileGroup, FileProblem};
use crate::mesh::{LabelledMesh, MeshError};

/// Writes a mesh with the two labels of each triangle, `label_inside` and `label_outside`, to a PLY
/// file (as face properties, `int`, or `double` if a label exceeds 32 bits) or a VTP file (as cell
/// data). The background is label 0.
///
/// The file is replaced atomically, as by [`write_mesh`](super::write_mesh).
///
/// # Errors
/// The errors of [`write_mesh`](super::write_mesh), and [`FileProblem::NoFaceLabels`] for the other
/// formats.
///
/// ```
/// use ferrovox::io::{MeshWriteOptions, read_mesh, write_labelled_mesh};
/// use ferrovox::mesh::{LabelledMesh, TriangleMesh, Triangles};
///
/// let wall = LabelledMesh {
///     mesh: TriangleMesh {
///         origin: [0.0; 3],
///         vertices: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
///         normals: None,
///         triangles: Triangles::U32(vec![[0, 1, 2]]),
///     },
///     labels: vec![3, 17],
///     sides: vec![[1, 2]],
/// };
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("wall.ply");
/// let options = MeshWriteOptions::default();
/// write_labelled_mesh(&path, &wall, &options)?;
/// assert_eq!(read_mesh(&path)?, wall.mesh);
/// assert!(write_labelled_mesh(folder.path().join("wall.stl"), &wall, &options).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_labelled_mesh(
    path: impl AsRef<Path>,
    mesh: &LabelledMesh,
    options: &MeshWriteOptions,
) -> Result<(), FileError> {
    write_alone(|group| group.write_labelled_mesh(path, mesh, options))
}

impl FileGroup {
    /// Writes a mesh with the labels of its triangles as one of the group; see
    /// [`write_labelled_mesh`](fn@write_labelled_mesh).
    ///
    /// # Errors
    /// The errors of [`write_labelled_mesh`](fn@write_labelled_mesh).
    pub fn write_labelled_mesh(
        &mut self,
        path: impl AsRef<Path>,
        mesh: &LabelledMesh,
        options: &MeshWriteOptions,
    ) -> Result<(), FileError> {
        let path = path.as_ref();
        let format = resolve_format(path, options.format)?;
        let fits_i32 = mesh
            .labels
            .iter()
            .all(|&label| i32::try_from(label).is_ok());
        let layout = MeshLayout {
            counts: MeshCounts::from_mesh(&mesh.mesh),
            origin: MeshLayout::file_origin(mesh.mesh.origin, options.space),
            space: options.space,
            normals: options.normals && mesh.mesh.normals.is_some(),
            face_labels: Some(if fits_i32 {
                LabelRange::I32
            } else {
                LabelRange::I64
            }),
        };
        let check = || -> Result<(), FileProblem> {
            if !format.holds_face_labels() {
                return Err(FileProblem::NoFaceLabels {
                    format: format.name(),
                    instead: MeshFormat::face_label_extensions(),
                });
            }
            mesh.mesh.validate()?;
            let (sides, triangles) = (mesh.sides.len(), mesh.mesh.triangles.len());
            if sides != triangles {
                return Err(MeshError::SideCount { sides, triangles }.into());
            }
            format.check_limit(layout.counts)?;
            format.check_origin(layout.origin)
        };
        check().map_err(|problem| FileError::new(path, problem))?;
        let labels = |triangle: usize| mesh.sides[triangle].map(|side| mesh.label_at(side));
        self.write(path, |file| {
            let mut out = BufWriter::with_capacity(1 << 20, file);
            write_blocks(format, &layout, &mesh.mesh, Some(&labels), &mut out)?;
            out.flush()
        })
    }
}
