//! What can go wrong in extracting a surface.

use crate::{
    device::DeviceError,
    partition::{OnDevice, TooLittleMemory, devices::Stop},
    scan::ScanError,
};
use std::ops::Range;

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
    Scan(Box<ScanError>),
    /// Work for several devices, and none to do it.
    #[error("there is no device to work on: name one at least")]
    NoDevices,
    /// Slabs that do not follow each other from the first plane of cells to the last.
    #[error(
        "the slabs must cover the planes of cells 0 to {planes} one after the other, but one begins at {found} where {expected} is next; `isosurface::slabs` gives slabs that do"
    )]
    SlabOrder {
        /// Planes of cells.
        planes: u32,
        /// Where a slab begins, or the slabs end.
        found: u32,
        /// Where it should.
        expected: u32,
    },
    /// A slab of another extent than the volume that it is part of.
    #[error("a slab has {slab:?} samples along x and y and the volume {volume:?}: they must agree")]
    SlabDims {
        /// Samples of the slab along x and y.
        slab: [usize; 2],
        /// Samples of the volume along x and y.
        volume: [usize; 2],
    },
    /// A slab without the planes of samples that its part of the mesh depends on.
    #[error(
        "a slab holds the planes {resident:?} of the volume, and its cells need {needed:?}; `isosurface::slabs` says which planes belong to a slab"
    )]
    MissingPlanes {
        /// Planes of the volume that are needed.
        needed: Range<usize>,
        /// Planes that are there.
        resident: Range<usize>,
    },
    /// Not even one plane of cells at a time fits the memory.
    #[error(transparent)]
    Memory(#[from] TooLittleMemory),
    /// Planes that are so large that not even the samples at one plane of cells fit the memory.
    #[error(
        "a memory budget of {budget} bytes is too small for planes of {} x {} samples: at least {needed} bytes are needed, and more for the surface in a plane; \
         allow more, crop the volume, or turn its axes so that the longest is z",
        plane[0],
        plane[1]
    )]
    PlaneTooLarge {
        /// Samples of a plane along x and y.
        plane: [usize; 2],
        /// Bytes that are needed without the mesh.
        needed: u64,
        /// Bytes of the budget: a limit that was given, or half of what is free.
        budget: u64,
    },
    /// One of several devices failed.
    #[error(transparent)]
    OnDevice(#[from] OnDevice<IsosurfaceError>),
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
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
