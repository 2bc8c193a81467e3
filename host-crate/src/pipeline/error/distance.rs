//! Errors of distance maps.

use super::by;
use crate::{memory::OutOfMemory, pipeline::map_samples::MapSamples};

/// A contradiction in a distance job, regardless of the file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DistanceJobError {
    /// Two parameters exclude each other.
    #[error("{0}")]
    Conflict(&'static str),
    /// The job has no device.
    #[error("the job names no device; name one at least")]
    NoDevice,
    /// The grid of the map has no voxels.
    #[error(
        "the map's grid is {}: a map of no voxels; give three numbers from 1",
        by(dims)
    )]
    EmptyGrid {
        /// Voxels along x, y and z.
        dims: [usize; 3],
    },
    /// The plane of the picture lies outside the volume.
    #[error(
        "there is no plane {axis}={index}: the volume has {} voxels, so {axis} is 0 to {}",
        by(dims), .dims[(*.axis as usize).wrapping_sub('x' as usize).min(2)].saturating_sub(1)
    )]
    Plane {
        /// Axis perpendicular to the plane: x, y or z.
        axis: char,
        /// Index of the plane along that axis.
        index: usize,
        /// Voxels along x, y and z.
        dims: [usize; 3],
    },
    /// The square of the maximum distance cannot be written as an integer.
    #[error(
        "the square of the largest distance {bound} is no whole number; write the map as f32, or give another bound"
    )]
    BoundSquare {
        /// The maximum distance.
        bound: f64,
    },
    /// Several devices cannot compute such a map together.
    #[error(
        "{devices} devices: several make a map together by the method separable, from sites that are voxels, without a comparison; \
         name one device"
    )]
    OneDevice {
        /// Number of devices of the job.
        devices: usize,
    },
    /// The method does not support a memory limit.
    #[error(
        "a memory limit goes with the methods separable, bucketed, cubes and brute-force, without a comparison; leave it out"
    )]
    NoLimit,
    /// A result that cannot be computed slab by slab.
    #[error(
        "{what} needs the whole map, and with a memory limit or several devices it is made in slabs; name one device, and leave \
         the memory limit out"
    )]
    NeedsWhole {
        /// Name of the result.
        what: &'static str,
    },
    /// The folder for pictures cannot be created.
    #[error("{folder}: cannot make the folder: {reason}")]
    Folder {
        /// The folder.
        folder: String,
        /// Reason given by the operating system.
        reason: String,
    },
}

/// Contents of a file that do not define a distance map. Each message continues "PATH: …".
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DistanceInputError {
    /// The memory of the host is insufficient.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    /// The level is not finite as `f32`.
    #[error("the level is {level}; give the level a finite number within the range of f32")]
    Level {
        /// The level.
        level: f64,
    },
    /// A label is not a whole number.
    #[error(
        "voxel ({}, {}, {}) is {value}: labels are whole numbers; measure to a level of such a volume",
        voxel[0], voxel[1], voxel[2]
    )]
    Fraction {
        /// Index of the voxel.
        voxel: [usize; 3],
        /// Sample of the voxel.
        value: f64,
    },
    /// There are more labels than devices can distinguish.
    #[error(
        "there are {count} different labels, some of which are no exact numbers of f32; 16777216 can be told apart then: renumber them from 0"
    )]
    LongLabels {
        /// Number of distinct labels.
        count: usize,
    },
    /// Points lie outside the grid in a strict job.
    #[error("{0}; without the strict check they count")]
    Outside(Box<PointsOutside>),
    /// Squared distances are not integers for this spacing.
    #[error(
        "with a spacing of {}, {} and {} squared distances are no whole numbers; write the map as f32, or measure in voxels by a spacing of 1",
        spacing[0], spacing[1], spacing[2]
    )]
    SquaresNotWhole {
        /// Spacing along x, y and z.
        spacing: [f64; 3],
    },
    /// Squared distances exceed the sample type.
    #[error(
        "squared distances are up to {largest}, which does not fit in {} (up to {most}); write the map as {}, or bound the distances \
         by a largest distance up to {}",
        samples.name(), if *samples == MapSamples::U16 { "u32" } else { "f32" }, most.isqrt()
    )]
    SquareTooLarge {
        /// Maximum squared distance.
        largest: u64,
        /// Requested sample type.
        samples: MapSamples,
        /// Maximum of the sample type.
        most: u64,
    },
}

/// Points outside the grid of a map.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "{count} of {all} points are outside the volume of {} voxels, first point {first} at {at:?}",
    by(dims)
)]
pub struct PointsOutside {
    /// Number of these points.
    pub count: u64,
    /// Number of all points.
    pub all: usize,
    /// Voxels of the grid along x, y and z.
    pub dims: [usize; 3],
    /// Index of the first of these points.
    pub first: usize,
    /// World coordinates of the first of these points.
    pub at: [f64; 3],
}
