//! Errors of label surface extraction.

use crate::{device::DeviceError, memory::OutOfMemory, scan::ScanError};

/// An error of label surface extraction.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabelSurfaceError {
    /// A sample is not an integer.
    #[error(
        "voxel ({}, {}, {}) is {value}; labels must be integers, so extract an isosurface of this volume instead",
        voxel[0], voxel[1], voxel[2]
    )]
    Fraction {
        /// Index of the voxel.
        voxel: [usize; 3],
        /// Value of the sample.
        value: f64,
    },
    /// A label may have been rounded when it was read.
    #[error("label {label:.0} is not exact; renumber labels to at most 9007199254740992 (2^53)")]
    Long {
        /// The label.
        label: f64,
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
