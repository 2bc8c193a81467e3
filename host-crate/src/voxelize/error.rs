//! What can go wrong in making voxels of a mesh.

use crate::{device::DeviceError, grid::VolumeError, memory::OutOfMemory, mesh::MeshError};

/// Voxels that a mesh can have along an axis.
pub(super) const MAX_VOXELS: u32 = 1 << 16;

/// An error of making voxels of a mesh.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VoxelizeError {
    /// Nothing to enclose anything.
    #[error("the mesh has no triangles, so it encloses nothing")]
    Empty,
    /// A mesh that encloses nothing, because it has a border.
    #[error(
        "the mesh is open: {edges} edges are not shared by two triangles, the first from {} to {}; close its holes first",
        at(from),
        at(to)
    )]
    Open {
        /// How many edges have an odd number of triangles.
        edges: usize,
        /// One end of the first of them.
        from: [f32; 3],
        /// Its other end.
        to: [f32; 3],
    },
    /// A vertex that is nowhere.
    #[error(
        "vertex {vertex} is at {}: coordinates must be finite numbers",
        at(position)
    )]
    NotFinite {
        /// Its number, from 0.
        vertex: usize,
        /// Where it is.
        position: [f32; 3],
    },
    /// A number of voxels that cannot be made.
    #[error("{found} voxels across the mesh: it must be from 1 to {MAX_VOXELS}")]
    Resolution {
        /// The number.
        found: u32,
    },
    /// A size of voxels that is none, or that makes too many of them.
    #[error(
        "voxels of size {found}: it must be more than 0, and leave no more than {MAX_VOXELS} voxels across the mesh, which is {extent} long"
    )]
    Spacing {
        /// The size.
        found: f64,
        /// The longest side of the mesh.
        extent: f64,
    },
    /// A mesh without an extent.
    #[error("all vertices are at {}, so the mesh has no size", at(position))]
    Point {
        /// Where.
        position: [f32; 3],
    },
    /// A mesh far from the grid.
    #[error(
        "vertex {vertex} is {voxels:.3e} voxels away from the grid's first: coordinates go up to {most}; take larger voxels, or cut the mesh"
    )]
    Far {
        /// Its number, from 0.
        vertex: usize,
        /// How far away it is.
        voxels: f64,
        /// How far is near enough.
        most: u64,
    },
    /// More vertices than indices of 32 bits count.
    #[error("the mesh has {found} vertices, and 32 bits count up to 4294967295; make it coarser")]
    TooManyVertices {
        /// How many there are.
        found: usize,
    },
    /// The mesh is not valid.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The grid has no place in the world.
    #[error(transparent)]
    Volume(#[from] VolumeError),
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The host has not enough memory.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
}

/// A position, as messages show it.
fn at([x, y, z]: &[f32; 3]) -> String {
    format!("({x}, {y}, {z})")
}
