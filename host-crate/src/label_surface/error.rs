//! Errors of label surface extraction.

use crate::{
    device::DeviceError,
    error::ErrorKind,
    grid::format_label,
    memory::OutOfMemory,
    mesh_filter::MeshFilterError,
    monitor::Cancelled,
    partition::memory_plan::MemoryError,
    partition::{OnDevice, TooLittleMemory},
    scan::ScanError,
};

/// An error of label surface extraction.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabelSurfaceError {
    /// A sample is not an integer of 64 bits.
    #[error(
        "voxel ({}, {}, {}) is {}; labels must be integers of 64 bits, so extract an isosurface of this volume instead",
        voxel[0], voxel[1], voxel[2], format_label(*value)
    )]
    Fraction {
        /// Index of the voxel.
        voxel: [usize; 3],
        /// Value of the sample.
        value: f64,
    },
    /// The volume has more labels than 32 bits can number.
    #[error("{count} labels are more than the maximum of 4294967295; pass a list of labels")]
    TooMany {
        /// Number of labels.
        count: usize,
    },
    /// The list of labels is empty.
    #[error("the list of labels is empty; pass at least one")]
    NoLabels,
    /// The list of labels contains the background.
    #[error("0 is the background, not a label; remove it from the list")]
    Background,
    /// The volume is too long for a surrounding layer of cells.
    #[error("the volume has {found} samples along an axis; crop it to at most 4294967294")]
    TooLong {
        /// Number of samples.
        found: usize,
    },
    /// The mask has other dims than the volume.
    #[error(
        "the mask has {}x{}x{} samples and the volume {}x{}x{}; they must have the same grid",
        mask[0], mask[1], mask[2], volume[0], volume[1], volume[2]
    )]
    Mask {
        /// Samples of the mask along x, y and z.
        mask: [usize; 3],
        /// Voxels of the volume along x, y and z.
        volume: [usize; 3],
    },
    /// The samples do not fill the planes of the field.
    #[error(
        "{found} samples do not fill planes of {}x{} voxels, {} in total; add each plane once",
        dims[0], dims[1], dims[2]
    )]
    PlaneCount {
        /// Voxels along x, y and z.
        dims: [usize; 3],
        /// Number of samples.
        found: usize,
    },
    /// The list of devices is empty.
    #[error("no devices given; pass at least one")]
    NoDevices,
    /// The walls do not fit the memory.
    #[error(transparent)]
    Budget(#[from] TooLittleMemory),
    /// One of several devices failed.
    #[error(transparent)]
    OnDevice(#[from] OnDevice<LabelSurfaceError>),
    /// No thread can be created, or the work was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The lists of triangles at the vertices cannot be built.
    #[error(transparent)]
    Lists(#[from] MeshFilterError),
    /// The scan of the counts failed.
    #[error(transparent)]
    Scan(#[from] ScanError),
    /// The device reported an error.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// Host memory is insufficient.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
}

impl LabelSurfaceError {
    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Budget(_) | Self::Memory(_) => ErrorKind::Memory,
            Self::Cancelled(_) => ErrorKind::Cancelled,
            Self::OnDevice(error) => error.source.kind(),
            Self::Lists(error) => error.kind(),
            Self::Scan(error) => error.kind(),
            Self::Device(error) => error.kind(),
            _ => ErrorKind::InvalidArgument,
        }
    }
}

impl MemoryError for LabelSurfaceError {
    fn is_out_of_memory(&self) -> bool {
        match self {
            Self::Memory(_) => true,
            Self::OnDevice(error) => error.source.is_out_of_memory(),
            Self::Lists(MeshFilterError::Device(error)) | Self::Device(error) => {
                error.is_out_of_memory()
            }
            _ => false,
        }
    }
}
