//! Errors of voxelization.

use crate::error::ErrorKind;
use crate::{
    device::DeviceError,
    grid::{GridError, VolumeError},
    memory::OutOfMemory,
    mesh::MeshError,
};

/// Maximum number of voxels across a mesh.
pub(super) const MAX_VOXELS: u32 = 1 << 16;

/// An error of voxelization.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VoxelizeError {
    /// The mesh is empty.
    #[error("the mesh has no triangles; pass a closed mesh")]
    Empty,
    /// The mesh has a boundary.
    #[error(
        "the mesh is open: {edges} edges are not shared by two triangles, the first from {} to {}; close its holes first, or decide by winding numbers",
        at(from),
        at(to)
    )]
    Open {
        /// Number of edges with an odd number of triangles.
        edges: usize,
        /// First end of the first such edge.
        from: [f32; 3],
        /// Second end of the first such edge.
        to: [f32; 3],
    },
    /// A vertex is not finite.
    #[error("vertex {vertex} is at {}; pass finite coordinates", at(position))]
    NotFinite {
        /// Index of the vertex.
        vertex: usize,
        /// Position of the vertex.
        position: [f32; 3],
    },
    /// The resolution is out of range.
    #[error("{found} voxels across the mesh; pass a number from 1 to {MAX_VOXELS}")]
    Resolution {
        /// The given number.
        found: u32,
    },
    /// The voxel size is out of range.
    #[error(
        "the voxel size is {found}; pass a size greater than 0 with at most {MAX_VOXELS} voxels across the mesh, which is {extent} long"
    )]
    Spacing {
        /// The given size.
        found: f64,
        /// Length of the longest side of the mesh.
        extent: f64,
    },
    /// The mesh has no extent.
    #[error("all vertices are at {}, so the mesh has no size", at(position))]
    Point {
        /// Position of all vertices.
        position: [f32; 3],
    },
    /// The mesh is too far from the grid.
    #[error(
        "vertex {vertex} is {voxels:.3e} voxels away from the grid's first: coordinates are limited to {max}; use larger voxels, or crop the mesh"
    )]
    Far {
        /// Index of the vertex.
        vertex: usize,
        /// Distance of the vertex in voxels.
        voxels: f64,
        /// Maximum distance in voxels.
        max: u64,
    },
    /// Planes are beyond the grid.
    #[error(
        "planes {first} to {end} were requested, but the grid has {planes}; use planes of the grid"
    )]
    Planes {
        /// First requested plane.
        first: usize,
        /// Plane after the last requested one.
        end: usize,
        /// Number of planes of the grid.
        planes: usize,
    },
    /// The mesh has more vertices than 32-bit indices can address.
    #[error("the mesh has {found} vertices, more than the maximum of 4294967295; simplify it")]
    TooManyVertices {
        /// Number of vertices.
        found: usize,
    },
    /// The mesh is inconsistent.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The geometry of the grid is invalid.
    #[error(transparent)]
    Volume(#[from] VolumeError),
    /// The mask of the voxels is invalid.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// The device reported an error.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// Host memory is insufficient.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
}

/// Formats a position for messages.
fn at([x, y, z]: &[f32; 3]) -> String {
    format!("({x}, {y}, {z})")
}

impl VoxelizeError {
    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Volume(error) => error.kind(),
            Self::Grid(error) => error.kind(),
            Self::Device(error) => error.kind(),
            Self::Memory(_) => ErrorKind::Memory,
            _ => ErrorKind::InvalidArgument,
        }
    }
}
