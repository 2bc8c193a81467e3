//! Errors of masks and points.

use super::label_text::format_label;
use crate::device::DeviceError;
use crate::error::ErrorKind;

/// An error of the construction of a mask or of points.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GridError {
    /// The level is not finite.
    #[error("the level is {level}: it must be a finite number")]
    Level {
        /// The level.
        level: f32,
    },
    /// The threshold is not finite as `f32`.
    #[error("the threshold is {found}; give the threshold a finite number within the range of f32")]
    Threshold {
        /// The threshold.
        found: f64,
    },
    /// The label is not finite, or not a value of `f32` where samples are `f32`.
    #[error(
        "the label is {}, which f32 cannot represent; labels are integers up to 16777216",
        format_label(*found)
    )]
    Label {
        /// The label.
        found: f64,
    },
    /// A coordinate of a point is not finite.
    #[error("point {number} is at {at:?}: coordinates must be finite numbers")]
    Point {
        /// Index of the point, from 0.
        number: usize,
        /// Coordinates of the point.
        at: [f32; 3],
    },
    /// A point is too far away for coordinates of `f32`.
    #[error(
        "point {number} is at {at:?}, which exceeds the range of f32; move the points or the grid closer to the origin"
    )]
    FarPoint {
        /// Index of the point, from 0.
        number: usize,
        /// World coordinates of the point.
        at: [f64; 3],
    },
    /// The number of values does not match the grid.
    #[error("there are {found} values for {dims:?} voxels; give one per voxel")]
    Values {
        /// Number of values.
        found: usize,
        /// Voxels along x, y and z.
        dims: [usize; 3],
    },
    /// An index lies outside the grid.
    #[error("index {number} is {index}: the grid has {voxels} voxels, numbered from 0")]
    Index {
        /// Position of the index in the list, from 0.
        number: usize,
        /// The index.
        index: u64,
        /// Number of voxels of the grid.
        voxels: u64,
    },
    /// The number of words does not match the grid.
    #[error(
        "there are {found} words of bits for {dims:?} voxels, which have {wanted}: each row begins with a word of its own"
    )]
    Words {
        /// Number of words.
        found: usize,
        /// Voxels along x, y and z.
        dims: [usize; 3],
        /// Number of words of such a grid.
        wanted: u64,
    },
    /// A box has no voxels, or exceeds the grid.
    #[error(
        "the box {}:{},{}:{},{}:{} is empty or exceeds the volume of {} x {} x {} voxels; give a first index \
         and a larger end within the volume for x, y and z",
        start[0], end[0], start[1], end[1], start[2], end[2], dims[0], dims[1], dims[2]
    )]
    Box {
        /// Index of the first voxel along x, y and z.
        start: [usize; 3],
        /// Index after the last voxel along x, y and z.
        end: [usize; 3],
        /// Voxels of the grid along x, y and z.
        dims: [usize; 3],
    },
    /// A percentile is outside of its range.
    #[error("the percentile is {found}; give a number from 0 to 100")]
    Percentile {
        /// The percentile.
        found: f64,
    },
    /// The device reported an error.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

impl GridError {
    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Device(error) => error.kind(),
            _ => ErrorKind::InvalidArgument,
        }
    }
}
