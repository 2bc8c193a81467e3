//! What can be wrong with a mask, or with points.

use crate::device::DeviceError;

/// Why a mask or points cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GridError {
    /// A level that nothing can be compared with.
    #[error("the level is {level}: it must be a finite number")]
    Level {
        /// The level.
        level: f32,
    },
    /// A threshold that no sample can be compared with.
    #[error("the threshold is {found}; give the threshold a finite number within the range of f32")]
    Threshold {
        /// The threshold.
        found: f64,
    },
    /// A label that no sample can have.
    #[error(
        "the label is {found}, which is no number of f32; labels are whole numbers up to 16777216"
    )]
    Label {
        /// The label.
        found: f64,
    },
    /// Too few or too many values for the voxels of a grid.
    #[error(
        "there are {found} values for {} x {} x {} voxels, which need one each",
        dims[0], dims[1], dims[2]
    )]
    Values {
        /// How many there are.
        found: usize,
        /// Voxels along x, y and z.
        dims: [usize; 3],
    },
    /// A point that is nowhere.
    #[error("point {number} is at {at:?}: coordinates must be finite numbers")]
    Point {
        /// Its number, from 0.
        number: usize,
        /// Where it is.
        at: [f32; 3],
    },
    /// An index of no voxel.
    #[error("index {number} is {index}: the grid has {voxels} voxels, numbered from 0")]
    Index {
        /// Its number, from 0.
        number: usize,
        /// The index.
        index: u64,
        /// Voxels of the grid.
        voxels: u64,
    },
    /// Too few or too many words of bits.
    #[error(
        "there are {found} words of bits for {dims:?} voxels, which have {wanted}: each row begins with a word of its own"
    )]
    Words {
        /// How many there are.
        found: usize,
        /// Voxels along x, y and z.
        dims: [usize; 3],
        /// How many there should be.
        wanted: u64,
    },
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}
