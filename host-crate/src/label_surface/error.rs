//! What surfaces of labels cannot be made of.

use crate::{device::DeviceError, memory::OutOfMemory, scan::ScanError};

/// An error of making surfaces of labels.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabelSurfaceError {
    /// A label with a fraction.
    #[error(
        "voxel ({}, {}, {}) is {value}: labels are whole numbers; make the isosurface of such a volume",
        voxel[0], voxel[1], voxel[2]
    )]
    Fraction {
        /// The voxel.
        voxel: [usize; 3],
        /// Its sample.
        value: f64,
    },
    /// A label that may have been rounded when it was read.
    #[error(
        "there is a label {label}: labels are exact up to 9007199254740992 (2^53); renumber them from 1"
    )]
    Long {
        /// The label.
        label: f64,
    },
    /// More labels than 32 bits count.
    #[error("there are {count} labels, and 32 bits count up to 4294967295")]
    TooMany {
        /// How many there are.
        count: usize,
    },
    /// A list of no labels.
    #[error("the list of labels is empty: name one at least")]
    NoLabels,
    /// The background is no label.
    #[error("0 is the background, and no label: leave it out of the list")]
    Background,
    /// A volume that has no layer of cells around it.
    #[error(
        "the volume has {found} samples along an axis; 4294967294 at most have cells around them"
    )]
    TooLong {
        /// How many samples.
        found: usize,
    },
    /// The scan of the counts failed.
    #[error(transparent)]
    Scan(#[from] ScanError),
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The host has not enough memory.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
}
