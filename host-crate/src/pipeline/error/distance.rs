//! Errors of distance maps.

use super::by;
use crate::{error::ErrorKind, memory::OutOfMemory, pipeline::map_samples::MapSamples};

/// A contradiction in a distance job, regardless of the file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DistanceJobError {
    /// Two parameters exclude each other.
    #[error("{0}")]
    Conflict(&'static str),
    /// The job has no device.
    #[error("no device given; pass at least one")]
    NoDevice,
    /// The grid of the map has no voxels.
    #[error(
        "the map's grid is {}, which has no voxels; give three numbers from 1",
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
    PlaneOutOfRange {
        /// Axis perpendicular to the plane: x, y or z.
        axis: char,
        /// Index of the plane along that axis.
        index: usize,
        /// Voxels along x, y and z.
        dims: [usize; 3],
    },
    /// The square of the maximum distance is not an integer.
    #[error(
        "the square of the maximum distance {max_distance} is not an integer; write the map as f32, \
         or change the maximum distance"
    )]
    NonIntegerSquaredLimit {
        /// Distance at which the map is truncated, in world units.
        max_distance: f64,
    },
    /// The map is not divided into slabs, so that only one device can compute it.
    #[error(
        "{devices} devices given, but several devices require method separable, voxels as sites and \
         no comparison; name one device"
    )]
    MultipleDevicesUnsupported {
        /// Number of devices of the job.
        devices: usize,
    },
    /// The method does not support a memory limit.
    #[error(
        "a memory limit requires method separable, bucketed, cubes or brute-force and no comparison; \
         omit it"
    )]
    MemoryLimitUnsupported,
    /// An output requires the map in core, but the map is divided into slabs.
    #[error(
        "{output} requires the map in core, but a memory limit or several devices divide it into \
         slabs; name one device and omit the memory limit"
    )]
    SlabsUnsupported {
        /// Name of the output.
        output: &'static str,
    },
    /// The folder for pictures cannot be created.
    #[error("{folder}: cannot create the folder: {reason}")]
    CreateFolder {
        /// The folder.
        folder: String,
        /// Reason given by the operating system.
        reason: String,
    },
}

impl DistanceJobError {
    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::NoDevice => ErrorKind::Device,
            Self::MultipleDevicesUnsupported { .. }
            | Self::MemoryLimitUnsupported
            | Self::SlabsUnsupported { .. } => ErrorKind::Unsupported,
            Self::CreateFolder { .. } => ErrorKind::Io,
            _ => ErrorKind::InvalidArgument,
        }
    }
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
    NonFiniteLevel {
        /// The level.
        level: f64,
    },
    /// A label is not an integer.
    #[error(
        "voxel ({}, {}, {}) is {value}, but labels are integers; use a level instead of labels",
        voxel[0], voxel[1], voxel[2]
    )]
    NonIntegerLabel {
        /// Index of the voxel.
        voxel: [usize; 3],
        /// Sample of the voxel.
        value: f64,
    },
    /// There are more labels than devices can distinguish.
    #[error(
        "there are {count} different labels, some of which f32 cannot represent; at most 16777216 \
         can be distinguished in that case: renumber them from 0"
    )]
    TooManyLabels {
        /// Number of distinct labels.
        count: usize,
    },
    /// Points lie outside the grid in a strict job.
    #[error("{0}; omit the strict check to use them as sites")]
    PointsOutside(Box<PointsOutside>),
    /// Squared distances are not integers for this spacing.
    #[error(
        "squared distances are not integers at spacing {}, {} and {}; write the map as f32, or measure in \
         voxels with spacing 1",
        spacing[0], spacing[1], spacing[2]
    )]
    NonIntegerSquares {
        /// Spacing along x, y and z.
        spacing: [f64; 3],
    },
    /// Squared distances exceed the sample type.
    #[error(
        "squared distances are up to {largest}, which does not fit in {} (up to {max}); write the map as \
         {}, or truncate it at a distance up to {}",
        samples.name(), if *samples == MapSamples::U16 { "u32" } else { "f32" }, max.isqrt()
    )]
    SquaredDistanceTooLarge {
        /// Maximum squared distance.
        largest: u64,
        /// Requested sample type.
        samples: MapSamples,
        /// Maximum of the sample type.
        max: u64,
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
