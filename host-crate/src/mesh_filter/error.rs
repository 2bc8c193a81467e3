//! What can go wrong with a mesh that is there.

use crate::{device::DeviceError, memory::OutOfMemory, mesh::MeshError, scan::ScanError};

/// An error of smoothing, simplification or normals.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MeshFilterError {
    /// Terms that are none, or more than anybody needs.
    #[error("smoothing by {found} iterations: give a number from 1 to {most}")]
    Iterations {
        /// The number.
        found: u32,
        /// The largest.
        most: u32,
    },
    /// A pass band outside of the spectrum.
    #[error("the pass band of smoothing is {found}: it must be more than 0 and less than 2")]
    PassBand {
        /// The number.
        found: f64,
    },
    /// A fraction of triangles that is none.
    #[error("the fraction of triangles to keep is {found}: it must be from 0 to 1")]
    Fraction {
        /// The number.
        found: f64,
    },
    /// A distance that is none.
    #[error("the largest error of simplification is {found}: it must be a finite number from 0")]
    Distance {
        /// The number.
        found: f64,
    },
    /// A vertex that is nowhere.
    #[error("vertex {vertex} is at ({}, {}, {}): only meshes whose coordinates are finite can be simplified", position[0], position[1], position[2])]
    NotFinite {
        /// Its number, from 0.
        vertex: usize,
        /// Where it is.
        position: [f32; 3],
    },
    /// A mesh that is too large for simplification.
    #[error(
        "the mesh has {triangles} triangles, and meshes of up to 1431655764 triangles with indices of 32 bits can be simplified; leave the simplification out, or make the volume coarser"
    )]
    TooManyTriangles {
        /// How many triangles.
        triangles: usize,
    },
    /// A mesh so far from the world's origin that its vertices do not say where in the grid they
    /// are.
    #[error(
        "the mesh has coordinates up to {found}, and f32 says between which samples a vertex is up to {most}; move the volume's origin nearer to 0, or leave the choice of pieces out"
    )]
    TooFar {
        /// The largest coordinate.
        found: f32,
        /// The largest that is near enough.
        most: f64,
    },
    /// A mesh that is not the isosurface of a solid.
    #[error(
        "vertex {vertex} is not between a voxel of the solid and one outside; give the solid that the mesh is the isosurface of"
    )]
    NotOfSolid {
        /// Its number, from 0.
        vertex: usize,
    },
    /// A number of coordinates that are not those of vertices.
    #[error("{found} coordinates are not three for each vertex; give x, y and z of each")]
    Coordinates {
        /// How many there are.
        found: usize,
    },
    /// Triangles on a device that name vertices that do not exist.
    #[error("{triangles} triangles name a vertex beyond the {vertices} that the mesh has")]
    IndexOutOfRange {
        /// How many such triangles.
        triangles: u64,
        /// How many vertices.
        vertices: u64,
    },
    /// More triangles than the mesh's indices count.
    #[error(
        "the mesh has {triangles} triangles, and 32 bits count up to 4294967295; take indices of 64 bits"
    )]
    NarrowIndices {
        /// How many triangles.
        triangles: usize,
    },
    /// The mesh is not valid.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// Counts could not be added up.
    #[error(transparent)]
    Scan(Box<ScanError>),
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The host has not enough memory.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
}

impl From<ScanError> for MeshFilterError {
    fn from(error: ScanError) -> Self {
        match error {
            ScanError::Device(error) => Self::Device(error),
            other => Self::Scan(Box::new(other)),
        }
    }
}
