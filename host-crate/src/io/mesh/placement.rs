//! Meshes that a file places with matrices, several times if it likes.

use nalgebra::{Matrix3, Matrix4, Vector3};

use super::position_list::PositionList;
use super::try_append::append;
use crate::io::FileProblem;
use crate::mesh::{TriangleMesh, Triangles};

/// Number of triangles and vertices that is accepted whatever the size of the file.
const FREE_ELEMENTS: u64 = 1 << 20;
/// Largest number of triangles and vertices per byte of the file: more are copies of copies.
const MAX_ELEMENTS_PER_BYTE: u64 = 4;
/// Number of elements that a part counts for, in addition to its own.
const PART_ELEMENTS: u64 = 64;

/// Mesh that is assembled from placed parts.
pub(super) struct PlacedMesh {
    /// Name of the format, for messages.
    format: &'static str,
    positions: PositionList,
    /// Normals of the vertices, as far as all parts have them.
    normals: Option<Vec<[f32; 3]>>,
    triangles: Vec<[u32; 3]>,
    /// Number of further elements that are accepted.
    left: u64,
}

impl PlacedMesh {
    /// Starts a mesh of a file of `bytes` bytes.
    pub fn new(format: &'static str, bytes: u64) -> Self {
        Self {
            format,
            positions: PositionList::default(),
            normals: Some(Vec::new()),
            triangles: Vec::new(),
            left: bytes.saturating_mul(MAX_ELEMENTS_PER_BYTE) + FREE_ELEMENTS,
        }
    }

    /// Counts parts, whether or not they have elements.
    pub fn count_parts(&mut self, count: usize) -> Result<(), FileProblem> {
        self.count(PART_ELEMENTS.saturating_mul(count as u64))
    }

    /// Appends vertices at the positions to which the matrix moves them. Returns the index of the
    /// first.
    pub fn append_vertices(
        &mut self,
        matrix: &Matrix4<f64>,
        vertices: impl ExactSizeIterator<Item = [f64; 3]>,
    ) -> Result<u32, FileProblem> {
        self.count(vertices.len() as u64)?;
        let first = self.positions.len();
        let is_countable = first.checked_add(vertices.len());
        let is_countable = is_countable.is_some_and(|count| u32::try_from(count).is_ok());
        let first = u32::try_from(first).ok().filter(|_| is_countable);
        let first =
            first.ok_or_else(|| self.damaged("it has more than 4294967295 vertices".to_owned()))?;
        let linear: Matrix3<f64> = matrix.fixed_view::<3, 3>(0, 0).into();
        let translation: Vector3<f64> = matrix.fixed_view::<3, 1>(0, 3).into();
        for vertex in vertices {
            let moved = linear * Vector3::from(vertex) + translation;
            let position: [f64; 3] = moved.into();
            self.positions
                .append(position, position.map(|number| number as f32))?;
        }
        Ok(first)
    }

    /// Appends the normals of the vertices that were appended last.
    pub fn append_normals(
        &mut self,
        matrix: &Matrix4<f64>,
        normals: Option<impl Iterator<Item = [f32; 3]>>,
    ) -> Result<(), FileProblem> {
        let linear: Matrix3<f64> = matrix.fixed_view::<3, 3>(0, 0).into();
        let (Some(normals), Some(inverse)) = (normals, linear.try_inverse()) else {
            self.normals = None;
            return Ok(());
        };
        let Some(list) = &mut self.normals else {
            return Ok(());
        };
        let turn = inverse.transpose();
        for normal in normals {
            let turned = turn * Vector3::from(normal).cast::<f64>();
            let length = turned.norm();
            let unit = if length > 0.0 {
                turned / length
            } else {
                turned
            };
            append(list, unit.cast::<f32>().into())?;
        }
        Ok(())
    }

    /// Appends triangles of the vertices from `first` on, of which there are `count`, and which the
    /// matrix has moved: a mirror turns triangles inside out, so that two corners are exchanged.
    pub fn append_triangles(
        &mut self,
        matrix: &Matrix4<f64>,
        first: u32,
        count: usize,
        triangles: impl ExactSizeIterator<Item = [u32; 3]>,
    ) -> Result<(), FileProblem> {
        self.count(triangles.len() as u64)?;
        let is_mirrored = matrix.fixed_view::<3, 3>(0, 0).determinant() < 0.0;
        for [a, b, c] in triangles {
            let triangle = if is_mirrored { [a, c, b] } else { [a, b, c] };
            if let Some(corner) = triangle.iter().find(|corner| **corner as usize >= count) {
                return Err(
                    self.damaged(format!("a triangle refers to vertex {corner} of {count}"))
                );
            }
            append(&mut self.triangles, triangle.map(|corner| first + corner))?;
        }
        Ok(())
    }

    /// Returns the mesh.
    pub fn finish(self) -> Result<TriangleMesh, FileProblem> {
        let (origin, vertices) = self.positions.into_local()?;
        let normals = self.normals;
        let normals = normals.filter(|it| it.len() == vertices.len() && !it.is_empty());
        Ok(TriangleMesh {
            origin,
            vertices,
            normals,
            triangles: Triangles::U32(self.triangles),
        })
    }

    fn count(&mut self, elements: u64) -> Result<(), FileProblem> {
        match self.left.checked_sub(elements) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(self.damaged(
                "it places so many copies of its meshes that they exceed the size of the file \
                 many times"
                    .to_owned(),
            )),
        }
    }

    fn damaged(&self, problem: String) -> FileProblem {
        FileProblem::MeshFile {
            format: self.format,
            problem,
        }
    }
}
