//! Errors of mesh filters.

use crate::{
    device::DeviceError, error::ErrorKind, memory::OutOfMemory, mesh::MeshError, scan::ScanError,
};

/// An error of smoothing, simplification, component filtering or normals.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MeshFilterError {
    /// The number of iterations is out of range.
    #[error("{found} smoothing iterations; pass a number from 1 to {max}")]
    Iterations {
        /// The given number.
        found: u32,
        /// The maximum.
        max: u32,
    },
    /// The pass band is out of range.
    #[error("the pass band of smoothing is {found}; pass a number greater than 0 and less than 2")]
    PassBand {
        /// The given number.
        found: f64,
    },
    /// The fraction of triangles is out of range.
    #[error("the fraction of triangles to keep is {found}; pass a number from 0 to 1")]
    Fraction {
        /// The given number.
        found: f64,
    },
    /// The maximum error is out of range.
    #[error("the largest error of simplification is {found}; pass a finite number, 0 or more")]
    Distance {
        /// The given number.
        found: f64,
    },
    /// A vertex is not finite.
    #[error("vertex {vertex} is at ({}, {}, {}); remove non-finite vertices before simplifying", position[0], position[1], position[2])]
    NotFinite {
        /// Index of the vertex.
        vertex: usize,
        /// Position of the vertex.
        position: [f32; 3],
    },
    /// The mesh is too large for simplification.
    #[error(
        "the mesh has {triangles} triangles, and meshes of up to 1431655764 triangles with 32-bit indices can be simplified; leave the simplification out, or make the volume coarser"
    )]
    TooManyTriangles {
        /// Number of triangles.
        triangles: usize,
    },
    /// The mesh is so far from the world origin that the grid edge of a vertex cannot be
    /// determined.
    #[error(
        "the mesh has coordinates up to {found}, but f32 resolves grid edges only up to {max}; move the volume's origin nearer to 0, or leave the filter of components out"
    )]
    TooFar {
        /// The largest absolute coordinate.
        found: f32,
        /// The largest absolute coordinate that is supported.
        max: f64,
    },
    /// The mesh is not an isosurface of the given solid.
    #[error(
        "vertex {vertex} is not between a voxel of the solid and one outside; pass the solid whose isosurface the mesh is"
    )]
    NotOfSolid {
        /// Index of the vertex.
        vertex: usize,
    },
    /// The number of coordinates is not a multiple of three.
    #[error("the number of coordinates is {found}; pass x, y and z of each vertex")]
    Coordinates {
        /// Number of coordinates.
        found: usize,
    },
    /// Triangles in device memory refer to vertices that do not exist.
    #[error(
        "{triangles} triangles refer to vertices beyond the {vertices} of the mesh; pass valid indices"
    )]
    IndexOutOfRange {
        /// Number of such triangles.
        triangles: u64,
        /// Number of vertices.
        vertices: u64,
    },
    /// The mesh has more triangles than its indices can address.
    #[error(
        "the mesh has {triangles} triangles, more than 32-bit indices can address; use 64-bit indices"
    )]
    NarrowIndices {
        /// Number of triangles.
        triangles: usize,
    },
    /// The mesh is inconsistent.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The scan of the counts failed.
    #[error(transparent)]
    Scan(Box<ScanError>),
    /// The device reported an error.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// Host memory is insufficient.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
}

impl MeshFilterError {
    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Memory(_) => ErrorKind::Memory,
            Self::Device(error) => error.kind(),
            Self::Scan(error) => error.kind(),
            _ => ErrorKind::InvalidArgument,
        }
    }
}

impl From<ScanError> for MeshFilterError {
    fn from(error: ScanError) -> Self {
        match error {
            ScanError::Device(error) => Self::Device(error),
            other => Self::Scan(Box::new(other)),
        }
    }
}
