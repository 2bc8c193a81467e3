//! Indexed triangle meshes.

use std::fmt;

use nalgebra::{Point3, Vector3};

use crate::{error::ErrorKind, parallel};

/// An integer type of vertex indices: `u32` or `u64`.
pub trait VertexIndex: Copy + Ord + Send + Sync + fmt::Debug + 'static {
    /// Converts the index to a position in the vertex list; `usize::MAX`, which is not a valid
    /// position, if it does not fit.
    fn position(self) -> usize;

    /// Converts a position to an index; `None` if the type is too narrow.
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

/// The triangles of a mesh: three vertex indices each, counter-clockwise as seen from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Triangles {
    /// 32-bit indices, for meshes of at most 2^32 vertices.
    U32(Vec<[u32; 3]>),
    /// 64-bit indices, for larger meshes.
    U64(Vec<[u64; 3]>),
}

impl Default for Triangles {
    fn default() -> Self {
        Self::U32(Vec::new())
    }
}

impl Triangles {
    /// Returns the number of triangles.
    pub fn len(&self) -> usize {
        match self {
            Self::U32(triangles) => triangles.len(),
            Self::U64(triangles) => triangles.len(),
        }
    }

    /// Returns `true` if there are no triangles.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the vertex indices of a triangle, or `None` if it is out of range.
    pub fn get(&self, triangle: usize) -> Option<[u64; 3]> {
        match self {
            Self::U32(triangles) => triangles
                .get(triangle)
                .map(|corners| corners.map(u64::from)),
            Self::U64(triangles) => triangles.get(triangle).copied(),
        }
    }

    /// Returns the vertex indices of every triangle, in order.
    pub fn iter(&self) -> impl Iterator<Item = [u64; 3]> + '_ {
        (0..self.len()).filter_map(|triangle| self.get(triangle))
    }

    /// Converts to 32-bit indices; `None` if an index does not fit.
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

/// An indexed triangle mesh.
///
/// Every vertex is stored once; `normals`, if present, has one outward unit vector per vertex. The
/// world position of a vertex is its position plus `origin`, in `f64`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriangleMesh {
    /// World position that vertex positions are relative to: zero near the world origin, where
    /// `f32` is precise enough (see [`Geometry::local_origin`](crate::grid::Geometry)).
    pub origin: [f64; 3],
    /// Vertex positions relative to `origin`, in world units.
    pub vertices: Vec<[f32; 3]>,
    /// Unit normals, one per vertex.
    pub normals: Option<Vec<[f32; 3]>>,
    /// Vertex indices of the triangles.
    pub triangles: Triangles,
}

/// An inconsistency of a mesh.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// A triangle refers to a vertex that does not exist.
    #[error("triangle {triangle} names vertex {index}, but the mesh has {vertices} vertices")]
    IndexOutOfRange {
        /// Index of the first such triangle.
        triangle: usize,
        /// The vertex index.
        index: u64,
        /// Number of vertices.
        vertices: usize,
    },
    /// The number of label pairs differs from the number of triangles.
    #[error(
        "the mesh has {sides} pairs of labels for {triangles} triangles; give one per triangle"
    )]
    SideCount {
        /// Number of label pairs.
        sides: usize,
        /// Number of triangles.
        triangles: usize,
    },
    /// The number of normals differs from the number of vertices.
    #[error("the mesh has {normals} normals for {vertices} vertices; give one per vertex, or none")]
    NormalCount {
        /// Number of normals.
        normals: usize,
        /// Number of vertices.
        vertices: usize,
    },
}

impl MeshError {
    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        ErrorKind::InvalidArgument
    }
}

impl TriangleMesh {
    /// Returns the position of a vertex relative to [`origin`](Self::origin), or `None` if it is
    /// out of range.
    pub fn vertex(&self, index: usize) -> Option<Point3<f32>> {
        self.vertices.get(index).map(|&position| position.into())
    }

    /// Returns the normal at a vertex, or `None` if it is out of range or the mesh has no normals.
    pub fn normal(&self, index: usize) -> Option<Vector3<f32>> {
        let normals = self.normals.as_ref()?;
        normals.get(index).map(|&normal| normal.into())
    }

    /// Returns the world position of a vertex, or `None` if it is out of range.
    pub fn world_vertex(&self, index: usize) -> Option<Point3<f64>> {
        let position = self.vertices.get(index)?;
        Some(to_world(self.origin, *position).into())
    }

    /// Returns the corners of a triangle relative to [`origin`](Self::origin), or `None` if it is
    /// out of range or refers to a vertex that does not exist.
    pub fn triangle(&self, triangle: usize) -> Option<[Point3<f32>; 3]> {
        let [a, b, c] = self.triangles.get(triangle)?;
        Some([
            self.vertex(a.position())?,
            self.vertex(b.position())?,
            self.vertex(c.position())?,
        ])
    }

    /// Returns the bounding box of the finite vertices in the world: lowest and highest corner, or
    /// `None` if there are none.
    pub fn world_bounds(&self) -> Option<(Point3<f64>, Point3<f64>)> {
        let (low, high) = self.bounds()?;
        let [low, high] = [low, high].map(|corner| to_world(self.origin, corner.into()).into());
        Some((low, high))
    }

    /// Replaces positions by world positions rounded to `f32`, and the origin by zero. Far from the
    /// world origin, vertices then move to the nearest representable positions, and may coincide.
    pub fn round_to_world(&mut self) {
        let origin = std::mem::take(&mut self.origin);
        if origin == [0.0; 3] {
            return;
        }
        parallel::for_each_chunk_mut(&mut self.vertices, parallel::CHUNK_LEN, |_, vertices| {
            for vertex in vertices {
                *vertex = to_world(origin, *vertex).map(|x| x as f32);
            }
        });
    }

    /// Returns the bounding box of the finite vertices relative to [`origin`](Self::origin): lowest
    /// and highest corner, or `None` if there are none.
    pub fn bounds(&self) -> Option<(Point3<f32>, Point3<f32>)> {
        let join = |(low, high): (Vector3<f32>, Vector3<f32>), (other_low, other_high)| {
            (low.inf(&other_low), high.sup(&other_high))
        };
        let range_bounds = |range: std::ops::Range<usize>| {
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
        let (low, high) = parallel::reduce(count, parallel::CHUNK_LEN, range_bounds, join_parts)??;
        Some((low.into(), high.into()))
    }

    /// Checks that every index refers to a vertex and that there is one normal per vertex.
    ///
    /// # Errors
    /// [`MeshError`] describing the first inconsistency.
    pub fn validate(&self) -> Result<(), MeshError> {
        self.validate_normals()?;
        let vertices = self.vertices.len();
        match &self.triangles {
            Triangles::U32(triangles) => validate_all_indices(triangles, vertices),
            Triangles::U64(triangles) => validate_all_indices(triangles, vertices),
        }
    }

    /// Checks that there is one normal per vertex, or none.
    pub(crate) fn validate_normals(&self) -> Result<(), MeshError> {
        let vertices = self.vertices.len();
        match &self.normals {
            Some(normals) if normals.len() != vertices => Err(MeshError::NormalCount {
                normals: normals.len(),
                vertices,
            }),
            _ => Ok(()),
        }
    }
}

/// Returns the world position of a position relative to `origin`.
pub(crate) fn to_world(origin: [f64; 3], position: [f32; 3]) -> [f64; 3] {
    [0, 1, 2].map(|axis| origin[axis] + f64::from(position[axis]))
}

fn validate_all_indices<I: VertexIndex + Into<u64>>(
    triangles: &[[I; 3]],
    vertices: usize,
) -> Result<(), MeshError> {
    let error = parallel::find_first(triangles.len(), parallel::CHUNK_LEN, |range| {
        validate_indices(range.start, &triangles[range], vertices).err()
    });
    error.map_or(Ok(()), Err)
}

/// Checks the vertex indices of consecutive triangles, of which `first` is the index of the first.
pub(crate) fn validate_indices<I: VertexIndex + Into<u64>>(
    first: usize,
    triangles: &[[I; 3]],
    vertices: usize,
) -> Result<(), MeshError> {
    let is_beyond = |index: &I| index.position() >= vertices;
    let flat = triangles.as_flattened();
    // without branches, which vector instructions do not allow
    if !flat.iter().fold(false, |any, index| any | is_beyond(index)) {
        return Ok(());
    }
    let mut corners = (first..).zip(triangles);
    let invalid = corners.find_map(|(triangle, corners)| {
        let index = corners.iter().copied().find(is_beyond)?;
        Some(MeshError::IndexOutOfRange {
            triangle,
            index: index.into(),
            vertices,
        })
    });
    invalid.map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one_triangle() -> TriangleMesh {
        TriangleMesh {
            origin: [0.0; 3],
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
    fn world_positions_add_the_origin_in_f64() {
        let mut mesh = one_triangle();
        mesh.origin = [4_500_000.5, 0.0, -1e9];
        let world = mesh.world_vertex(1).unwrap();
        assert_eq!(world, Point3::new(4_500_002.5, 0.0, -1e9));
        let (low, high) = mesh.world_bounds().unwrap();
        assert_eq!(low, Point3::new(4_500_000.5, 0.0, -1e9 - 1.0));
        assert_eq!(high, Point3::new(4_500_002.5, 3.0, -1e9));
        mesh.round_to_world();
        assert_eq!(mesh.origin, [0.0; 3]);
        assert_eq!(mesh.vertices[1], [4_500_002.5, 0.0, -1e9]);
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
