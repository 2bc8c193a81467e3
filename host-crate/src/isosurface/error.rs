//! Errors of isosurface extraction.

use crate::{
    device::DeviceError,
    error::ErrorKind,
    partition::memory_plan::MemoryError,
    partition::{OnDevice, TooLittleMemory, devices::Stop},
    scan::ScanError,
};
use std::ops::Range;

/// An error of isosurface extraction.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IsosurfaceError {
    /// The isovalue is not finite.
    #[error("the isovalue is {iso}; pass a finite number")]
    Iso {
        /// The isovalue.
        iso: f32,
    },
    /// The mask has another grid than the volume.
    #[error(
        "the mask has {mask:?} samples and the volume {volume:?}; pass a mask on the volume's grid"
    )]
    MaskDims {
        /// Samples of the mask along each axis.
        mask: [usize; 3],
        /// Samples of the volume along each axis.
        volume: [usize; 3],
    },
    /// The method does not support the mask rule.
    #[error(
        "method {method} excludes cells by all of their corners; use fused for the mask rule last corner"
    )]
    MaskRule {
        /// Name of the method.
        method: &'static str,
    },
    /// The mesh has more vertices or triangles than the selected index width can address.
    #[error(
        "the mesh has {vertices} vertices and {triangles} triangles, too many for 32-bit indices; let the index width be automatic"
    )]
    IndexWidth {
        /// Number of vertices of the mesh.
        vertices: u64,
        /// Number of triangles of the mesh.
        triangles: u64,
    },
    /// The scan of the counts failed.
    #[error(transparent)]
    Scan(Box<ScanError>),
    /// No devices were given.
    #[error("no devices given; pass at least one")]
    NoDevices,
    /// The slabs are not consecutive from the first to the last plane of cells.
    #[error(
        "the slabs must be consecutive and cover the planes of cells 0 to {planes}, but one begins at {found} instead of {expected}; compute slabs with `isosurface::slabs`"
    )]
    SlabOrder {
        /// Number of planes of cells.
        planes: u32,
        /// Plane at which a slab begins, or at which the last slab ends.
        found: u32,
        /// Plane at which it should begin or end.
        expected: u32,
    },
    /// A slab has another extent than the volume along x or y.
    #[error(
        "a slab has {slab:?} samples along x and y, but the volume {volume:?}; pass whole planes"
    )]
    SlabDims {
        /// Samples of the slab along x and y.
        slab: [usize; 2],
        /// Samples of the volume along x and y.
        volume: [usize; 2],
    },
    /// A slab lacks planes of samples that its part of the mesh depends on.
    #[error(
        "a slab holds planes {resident:?} of the volume, but its cells need planes {needed:?}; compute the planes of a slab with `isosurface::slabs`"
    )]
    MissingPlanes {
        /// Planes of the volume that are needed.
        needed: Range<usize>,
        /// Planes of the volume that the slab holds.
        resident: Range<usize>,
    },
    /// Not even a single plane of cells fits in the memory budget.
    #[error(transparent)]
    Memory(#[from] TooLittleMemory),
    /// Not even the samples at a single plane of cells fit in the memory budget.
    #[error(
        "a memory budget of {budget} bytes is too small for planes of {} x {} samples: at least {needed} bytes are needed, and more for the surface in a plane; \
         allow more, crop the volume, or turn its axes so that the longest is not x",
        plane[0],
        plane[1]
    )]
    PlaneTooLarge {
        /// Samples per plane: along x, and along y or z, whichever is less.
        plane: [usize; 2],
        /// Bytes needed, excluding the mesh.
        needed: u64,
        /// Budget in bytes: the given limit, or half of the free memory.
        budget: u64,
    },
    /// One of several devices failed.
    #[error(transparent)]
    OnDevice(#[from] OnDevice<IsosurfaceError>),
    /// The device reported an error.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

impl IsosurfaceError {
    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::MaskRule { .. } => ErrorKind::Unsupported,
            Self::Memory(_) | Self::PlaneTooLarge { .. } => ErrorKind::Memory,
            Self::Scan(error) => error.kind(),
            Self::OnDevice(error) => error.source.kind(),
            Self::Device(error) => error.kind(),
            _ => ErrorKind::InvalidArgument,
        }
    }
}

impl From<ScanError> for IsosurfaceError {
    fn from(error: ScanError) -> Self {
        match error {
            ScanError::Device(error) => Self::Device(error),
            error => Self::Scan(Box::new(error)),
        }
    }
}

impl From<IsosurfaceError> for Stop<IsosurfaceError> {
    fn from(error: IsosurfaceError) -> Self {
        Self::Failed(error)
    }
}

impl MemoryError for IsosurfaceError {
    fn is_out_of_memory(&self) -> bool {
        match self {
            Self::OnDevice(error) => error.source.is_out_of_memory(),
            Self::Scan(error) => error.is_out_of_memory(),
            Self::Device(error) => error.is_out_of_memory(),
            _ => false,
        }
    }
}
