//! What can go wrong in extracting a surface.

use crate::{device::DeviceError, scan::ScanError};

/// An error of the isosurface pipeline.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IsosurfaceError {
    /// An isovalue that no sample can be compared with.
    #[error("the isovalue is {iso}: it must be a finite number")]
    Iso {
        /// The isovalue.
        iso: f32,
    },
    /// A mask of another grid.
    #[error(
        "the mask has {mask:?} samples and the volume {volume:?}: they must have the same grid"
    )]
    MaskDims {
        /// Samples of the mask.
        mask: [usize; 3],
        /// Samples of the volume.
        volume: [usize; 3],
    },
    /// More vertices or triangles than the chosen index type can number.
    #[error(
        "the mesh has {vertices} vertices and {triangles} triangles, too many for 32-bit indices; let the index width be automatic"
    )]
    IndexWidth {
        /// Vertices of the mesh.
        vertices: u64,
        /// Triangles of the mesh.
        triangles: u64,
    },
    /// Counts could not be added up.
    #[error(transparent)]
    Scan(#[from] ScanError),
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}
