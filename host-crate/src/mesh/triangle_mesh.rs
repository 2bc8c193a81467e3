//! The mesh itself: vertices once each, and triangles that name them.

use std::fmt;

use nalgebra::{Point3, Vector3};

use crate::parallel;

/// An integer that names a vertex: u32 where that is enough, else u64.
pub trait VertexIndex: Copy + Ord + Send + Sync + fmt::Debug + 'static {
    /// The index as a position in the vertex list; what does not fit becomes `usize::MAX`, which
    /// is no vertex's position.
    fn position(self) -> usize;

    /// The index of a position; `None` when the type is too narrow.
    fn from_position(position: usize) -> Option<Self>;
}

impl VertexIndex for u32 {
    fn position(self) -> usize {
        self as usize
    }

    fn from_position(position: usize) -> Option<Self> {
        position.try_into().ok()
    }
}

impl VertexIndex for u64 {
    fn position(self) -> usize {
        usize::try_from(self).unwrap_or(usize::MAX)
    }

    fn from_position(position: usize) -> Option<Self> {
        position.try_into().ok()
    }
}

/// The triangles of a mesh, three vertex indices each, counter-clockwise seen from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Triangles {
    /// Indices that fit in 32 bits: meshes of at most 2^32 vertices.
    U32(Vec<[u32; 3]>),
    /// Indices of larger meshes.
    U64(Vec<[u64; 3]>),
}

impl Default for Triangles {
    fn default() -> Self {
        Self::U32(Vec::new())
    }
}

impl Triangles {
    /// The number of triangles.
    pub fn len(&self) -> usize {
        match self {
            Self::U32(triangles) => triangles.len(),
            Self::U64(triangles) => triangles.len(),
        }
    }

    /// True when there is no triangle.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The vertex indices of one triangle, `None` past the end.
    pub fn get(&self, triangle: usize) -> Option<[u64; 3]> {
        match self {
            Self::U32(triangles) => triangles
                .get(triangle)
                .map(|corners| corners.map(u64::from)),
            Self::U64(triangles) => triangles.get(triangle).copied(),
        }
    }

    /// The vertex indices of every triangle, in order.
    pub fn iter(&self) -> impl Iterator<Item = [u64; 3]> + '_ {
        (0..self.len()).filter_map(|triangle| self.get(triangle))
    }

    /// The triangles with 32 bit indices; `None` when an index does not fit.
    pub fn to_u32(&self) -> Option<std::borrow::Cow<'_, [[u32; 3]]>> {
        match self {
            Self::U32(triangles) => Some(triangles.into()),
            Self::U64(triangles) => triangles
                .iter()
                .map(|&[a, b, c]| {
                    Some([a.try_into().ok()?, b.try_into().ok()?, c.try_into().ok()?])
                })
                .collect::<Option<Vec<[u32; 3]>>>()
                .map(Into::into),
        }
    }
}

/// An indexed triangle mesh in world coordinates.
///
/// Every vertex stands once; `normals`, where there are any, has one unit vector per vertex
/// that points outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriangleMesh {
    /// Vertex positions in the world.
    pub vertices: Vec<[f32; 3]>,
    /// One normal per vertex.
    pub normals: Option<Vec<[f32; 3]>>,
    /// The triangles.
    pub triangles: Triangles,
}

/// Why a mesh cannot be used as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// A triangle names a vertex that does not exist.
    #[error("triangle {triangle} names vertex {index}, but the mesh has {vertices} vertices")]
    IndexOutOfRange {
        /// The first such triangle.
        triangle: usize,
        /// The index it has.
        index: u64,
        /// How many vertices there are.
        vertices: usize,
    },
    /// The pairs of labels are not one per triangle.
    #[error(
        "the mesh has {sides} pairs of labels for {triangles} triangles; give one per triangle"
    )]
    SideCount {
        /// How many pairs there are.
        sides: usize,
        /// How many triangles there are.
        triangles: usize,
    },
    /// The normals are not one per vertex.
    #[error("the mesh has {normals} normals for {vertices} vertices; give one per vertex, or none")]
    NormalCount {
        /// How many normals there are.
        normals: usize,
        /// How many vertices there are.
        vertices: usize,
    },
}

impl TriangleMesh {
    /// The position of a vertex, `None` past the end.
    pub fn vertex(&self, index: usize) -> Option<Point3<f32>> {
        self.vertices.get(index).map(|&position| position.into())
    }

    /// The normal at a vertex, `None` past the end or when the mesh has no normals.
    pub fn normal(&self, index: usize) -> Option<Vector3<f32>> {
        let normals = self.normals.as_ref()?;
        normals.get(index).map(|&normal| normal.into())
    }

    /// The corners of a triangle; `None` past the end or when it names a vertex that does not
    /// exist.
    pub fn triangle(&self, triangle: usize) -> Option<[Point3<f32>; 3]> {
        let [a, b, c] = self.triangles.get(triangle)?;
        Some([
            self.vertex(a.position())?,
            self.vertex(b.position())?,
            self.vertex(c.position())?,
        ])
    }

    /// Smallest box around the finite vertices: lowest and highest corner. `None` without any.
    pub fn bounds(&self) -> Option<(Point3<f32>, Point3<f32>)> {
        let join = |(low, high): (Vector3<f32>, Vector3<f32>), (other_low, other_high)| {
            (low.inf(&other_low), high.sup(&other_high))
        };
        let of_range = |range: std::ops::Range<usize>| {
            let finite = self.vertices[range].iter();
            let finite = finite.filter(|position| position.iter().all(|x| x.is_finite()));
            finite
                .map(|&position| (Vector3::from(position), Vector3::from(position)))
                .reduce(join)
        };
        let join_parts = |a: Option<_>, b: Option<_>| match (a, b) {
            (Some(a), Some(b)) => Some(join(a, b)),
            (a, b) => a.or(b),
        };
        let count = self.vertices.len();
        let (low, high) = parallel::reduce(count, parallel::CHUNK_LEN, of_range, join_parts)??;
        Some((low.into(), high.into()))
    }

    /// Checks that every index names a vertex and that the normals are one per vertex.
    ///
    /// # Errors
    /// [`MeshError`], naming the first defect.
    pub fn validate(&self) -> Result<(), MeshError> {
        let vertices = self.vertices.len();
        if let Some(normals) = &self.normals
            && normals.len() != vertices
        {
            return Err(MeshError::NormalCount {
                normals: normals.len(),
                vertices,
            });
        }
        match &self.triangles {
            Triangles::U32(triangles) => validate_indices(triangles, vertices),
            Triangles::U64(triangles) => validate_indices(triangles, vertices),
        }
    }
}

fn validate_indices<I: VertexIndex + Into<u64>>(
    triangles: &[[I; 3]],
    vertices: usize,
) -> Result<(), MeshError> {
    for (triangle, corners) in triangles.iter().enumerate() {
        for &index in corners {
            if index.position() >= vertices {
                return Err(MeshError::IndexOutOfRange {
                    triangle,
                    index: index.into(),
                    vertices,
                });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one_triangle() -> TriangleMesh {
        TriangleMesh {
            vertices: vec![[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 3.0, -1.0]],
            normals: None,
            triangles: Triangles::U64(vec![[0, 1, 2]]),
        }
    }

    #[test]
    fn accessors() {
        let mesh = one_triangle();
        assert_eq!(mesh.triangle(0).unwrap()[2], Point3::new(0.0, 3.0, -1.0));
        assert_eq!(mesh.triangle(1), None);
        assert_eq!(mesh.normal(0), None);
        let (low, high) = mesh.bounds().unwrap();
        assert_eq!(low, Point3::new(0.0, 0.0, -1.0));
        assert_eq!(high, Point3::new(2.0, 3.0, 0.0));
        assert_eq!(mesh.triangles.to_u32().unwrap()[..], [[0, 1, 2]]);
        assert_eq!(Triangles::U64(vec![[0, 1, 1 << 32]]).to_u32(), None);
        assert_eq!(TriangleMesh::default().bounds(), None);
    }

    #[test]
    fn validation_names_the_first_defect() {
        let mut mesh = one_triangle();
        assert_eq!(mesh.validate(), Ok(()));
        mesh.normals = Some(vec![[0.0, 0.0, 1.0]]);
        let error = mesh.validate().unwrap_err();
        assert!(
            error.to_string().contains("1 normals for 3 vertices"),
            "{error}"
        );
        mesh.normals = None;
        mesh.triangles = Triangles::U32(vec![[0, 1, 2], [0, 1, 3]]);
        let error = mesh.validate().unwrap_err();
        assert_eq!(
            error.to_string(),
            "triangle 1 names vertex 3, but the mesh has 3 vertices"
        );
    }
}
