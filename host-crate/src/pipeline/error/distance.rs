//! What a map cannot be made of.

use super::by;
use crate::{memory::OutOfMemory, pipeline::map_samples::MapSamples};

/// What a job asks for that cannot be done, whatever the file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DistanceJobError {
    /// Two things that exclude each other.
    #[error("{0}")]
    Conflict(&'static str),
    /// Nothing to make the map.
    #[error("the job names no device; name one at least")]
    NoDevice,
    /// A map without voxels.
    #[error(
        "the map's grid is {}: a map of no voxels; give three numbers from 1",
        by(dims)
    )]
    EmptyGrid {
        /// Voxels along x, y and z.
        dims: [usize; 3],
    },
    /// A plane that is not in the volume.
    #[error(
        "there is no plane {axis}={index}: the volume has {} voxels, so {axis} is 0 to {}",
        by(dims), .dims[(*.axis as usize).wrapping_sub('x' as usize).min(2)].saturating_sub(1)
    )]
    Plane {
        /// The axis that the plane is across: x, y or z.
        axis: char,
        /// Which plane.
        index: usize,
        /// Voxels along x, y and z.
        dims: [usize; 3],
    },
    /// A bound whose square cannot be written as an integer.
    #[error(
        "the square of the largest distance {bound} is no whole number; write the map as f32, or give another bound"
    )]
    BoundSquare {
        /// The bound.
        bound: f64,
    },
    /// A map that only one device can make.
    #[error(
        "{devices} devices: several make a map together by the method separable, from sites that are voxels, without a comparison; \
         name one device"
    )]
    OneDevice {
        /// How many were named.
        devices: usize,
    },
    /// A limit of memory where none is kept.
    #[error(
        "a memory limit goes with the methods separable, bucketed, cubes and brute-force, without a comparison; leave it out"
    )]
    NoLimit,
    /// Something that slabs do not have.
    #[error(
        "{what} needs the whole map, and with a memory limit or several devices it is made in slabs; name one device, and leave \
         the memory limit out"
    )]
    NeedsWhole {
        /// What it is.
        what: &'static str,
    },
    /// A folder for pictures that cannot be made.
    #[error("{folder}: cannot make the folder: {reason}")]
    Folder {
        /// The folder.
        folder: String,
        /// Why.
        reason: String,
    },
}

/// What a file holds that no map can be made of. Each message continues "PATH: …".
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DistanceInputError {
    /// The host has not enough memory.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    /// A level that samples cannot be compared with.
    #[error("the level is {level}; give the level a finite number within the range of f32")]
    Level {
        /// The level.
        level: f64,
    },
    /// A label with a fraction.
    #[error(
        "voxel ({}, {}, {}) is {value}: labels are whole numbers; measure to a level of such a volume",
        voxel[0], voxel[1], voxel[2]
    )]
    Fraction {
        /// The voxel.
        voxel: [usize; 3],
        /// Its sample.
        value: f64,
    },
    /// Labels that devices cannot distinguish.
    #[error(
        "there are {count} different labels, some of which are no exact numbers of f32; 16777216 can be told apart then: renumber them from 0"
    )]
    LongLabels {
        /// How many there are.
        count: usize,
    },
    /// Points outside the grid, where that is not allowed.
    #[error("{0}; without the strict check they count")]
    Outside(Box<PointsOutside>),
    /// Squared distances that cannot be written as integers.
    #[error(
        "with a spacing of {}, {} and {} squared distances are no whole numbers; write the map as f32, or measure in voxels by a spacing of 1",
        spacing[0], spacing[1], spacing[2]
    )]
    SquaresNotWhole {
        /// The spacing along x, y and z.
        spacing: [f64; 3],
    },
    /// Squared distances that are too large.
    #[error(
        "squared distances are up to {largest}, which does not fit in {} (up to {most}); write the map as {}, or bound the distances \
         by a largest distance up to {}",
        samples.name(), if *samples == MapSamples::U16 { "u32" } else { "f32" }, most.isqrt()
    )]
    SquareTooLarge {
        /// The largest of them.
        largest: u64,
        /// What they were to be written as.
        samples: MapSamples,
        /// The largest that fits.
        most: u64,
    },
}

/// Points that are outside a grid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "{count} of {all} points are outside the volume of {} voxels, first point {first} at {at:?}",
    by(dims)
)]
pub struct PointsOutside {
    /// How many.
    pub count: u64,
    /// How many points there are in all.
    pub all: usize,
    /// Voxels of the grid along x, y and z.
    pub dims: [usize; 3],
    /// The number of the first one.
    pub first: usize,
    /// Where that is in the world.
    pub at: [f64; 3],
}
