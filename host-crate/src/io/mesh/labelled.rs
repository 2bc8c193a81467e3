//! Meshes with two labels per triangle.

use std::path::Path;

use rayon::slice::ParallelSliceMut;

use super::encoder::{FaceGroup, LabelRange, MeshLayout};
use super::output_format::resolve_format;
use super::write::{write_blocks, write_file};
use super::{MeshCounts, MeshFormat, MeshWriteOptions};
use crate::grid::Sample;
use crate::io::output::group::write_alone;
use crate::io::{FileError, FileGroup, FileProblem};
use crate::memory::{self, OutOfMemory};
use crate::mesh::{LabelledMesh, MeshError, Triangles};

/// Purpose of the memory for sorted triangles, quoted in errors.
const PURPOSE: &str = "triangles in the order of their labels";

/// Writes a mesh with the two labels of each triangle, `label_inside` and `label_outside`, to a PLY
/// file (as face properties, `int`, or `double` if a label exceeds 32 bits), a VTP file (as cell
/// data) or a binary glTF file (as extras of one primitive per pair of labels, each with the colour
/// of its inside label). The background is label 0.
///
/// The file is replaced atomically, as by [`write_mesh`](super::write_mesh).
///
/// # Errors
/// The errors of [`write_mesh`](super::write_mesh), and [`FileProblem::NoFaceLabels`] for the other
/// formats, and [`FileProblem::LabelPrecision`] for a label in a PLY file that `double` does not
/// represent.
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
        let mut layout = MeshLayout::new(options.space, mesh.mesh.origin);
        layout.counts = MeshCounts::from_mesh(&mesh.mesh);
        layout.normals = options.normals && mesh.mesh.normals.is_some();
        layout.face_labels = Some(if fits_i32 {
            LabelRange::I32
        } else {
            LabelRange::I64
        });
        let check = || -> Result<(), FileProblem> {
            if !format.holds_face_labels() {
                return Err(FileProblem::NoFaceLabels {
                    format: format.name(),
                    instead: MeshFormat::face_label_extensions(),
                });
            }
            let is_inexact = |label: &&i64| (**label as f64).to_label() != Some(**label);
            if format == MeshFormat::Ply
                && let Some(&label) = mesh.labels.iter().find(is_inexact)
            {
                return Err(FileProblem::LabelPrecision { label });
            }
            // before the triangles are sorted, so that the error names a triangle of this mesh
            mesh.mesh.validate()?;
            let (sides, triangles) = (mesh.sides.len(), mesh.mesh.triangles.len());
            if sides != triangles {
                return Err(MeshError::SideCount { sides, triangles }.into());
            }
            format.check_limit(&layout)?;
            format.check_origin(layout.origin)
        };
        check().map_err(|problem| FileError::new(path, problem))?;
        let grouped;
        let (triangles, sides) = if format.info().groups_face_labels {
            let group = group_triangles(mesh).map_err(FileProblem::from);
            let (triangles, sides, groups) = group.map_err(|it| FileError::new(path, it))?;
            layout.groups = groups;
            let fits = format.check_limit(&layout);
            fits.map_err(|problem| FileError::new(path, problem))?;
            grouped = (triangles, sides);
            (&grouped.0, &grouped.1)
        } else {
            (&mesh.mesh.triangles, &mesh.sides)
        };
        layout.extend_bounds(format.info(), &mesh.mesh.vertices);
        let labels = |triangle: usize| sides[triangle].map(|side| mesh.label_at(side));
        self.write(path, |file| {
            write_file(format, &layout, file, |out| {
                write_blocks(format, &layout, &mesh.mesh, triangles, Some(&labels), out)
            })
        })
    }
}

/// Triangles in the order of their labels, these labels, and groups of equal ones.
type GroupedTriangles = (Triangles, Vec<[u32; 2]>, Vec<FaceGroup>);

/// Sorts the triangles by their labels, those of equal labels in the order of the mesh.
fn group_triangles(mesh: &LabelledMesh) -> Result<GroupedTriangles, OutOfMemory> {
    let mut order = Vec::new();
    memory::try_reserve(PURPOSE, &mut order, mesh.sides.len())?;
    order.extend(0..mesh.sides.len());
    order.par_sort_unstable_by_key(|&triangle| (mesh.sides[triangle], triangle));
    let sides = reorder(&mesh.sides, &order)?;
    let triangles = match &mesh.mesh.triangles {
        Triangles::U32(all) => Triangles::U32(reorder(all, &order)?),
        Triangles::U64(all) => Triangles::U64(reorder(all, &order)?),
    };
    let groups = sides.chunk_by(|a, b| a == b).map(|group| FaceGroup {
        labels: group[0].map(|side| mesh.label_at(side)),
        triangles: group.len() as u64,
    });
    let groups = groups.collect();
    Ok((triangles, sides, groups))
}

/// Returns copies of elements in this order.
fn reorder<T: Copy>(elements: &[T], order: &[usize]) -> Result<Vec<T>, OutOfMemory> {
    let mut reordered = Vec::new();
    memory::try_reserve(PURPOSE, &mut reordered, order.len())?;
    reordered.extend(order.iter().map(|&index| elements[index]));
    Ok(reordered)
}
