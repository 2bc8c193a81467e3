//! What can go wrong in making a distance map.

use super::Method;
use crate::{
    device::DeviceError,
    grid::{GridError, Shear},
    partition::{OnDevice, TooLittleMemory, devices::Stop},
};

/// An error of the distance pipeline.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DistanceError {
    /// Nothing to measure the distance to.
    #[error(
        "there are no sites, so no voxel has a distance: is the mask empty, or the level outside the data?"
    )]
    NoSites,
    /// A bound that bounds nothing.
    #[error("the largest distance is {found}: it must be more than 0")]
    MaxDistance {
        /// The bound.
        found: f64,
    },
    /// A method that cannot take such sites.
    #[error("the method {} takes voxels as sites, not points; use bucketed or brute-force", .method.name())]
    PointsWith {
        /// The method.
        method: Method,
    },
    /// A method that measures along the axes only.
    #[error("{shear}, and the method {} measures along right angles only; use separable, bucketed or brute-force", .method.name())]
    ShearedWith {
        /// The method.
        method: Method,
        /// The axes, and how far they are off.
        shear: Shear,
    },
    /// Squared distances of axes that are not at right angles.
    #[error(
        "{shear}, so squared distances are no integers; take distances as f32, or a volume that is resampled to a grid with right angles"
    )]
    SquaresOfSheared {
        /// The axes, and how far they are off.
        shear: Shear,
    },
    /// A method that does not find nearest sites.
    #[error("the method {} does not know which site is the nearest; use separable or brute-force", .method.name())]
    NoNearestWith {
        /// The method.
        method: Method,
    },
    /// A map and a mask of different grids.
    #[error("the map has {map:?} voxels and the mask {mask:?}: they must be of the same grid")]
    Dims {
        /// Voxels of the map along x, y and z.
        map: [usize; 3],
        /// Voxels of the mask along x, y and z.
        mask: [usize; 3],
    },
    /// A limit of device memory that is too small.
    #[error(transparent)]
    Memory(#[from] TooLittleMemory),
    /// An axis that is too long.
    #[error(
        "there are {found} voxels along {axis}: lines along y and z must fit into the shared memory of a block, up to about {most} voxels; use cubes, or exchange {axis} and x"
    )]
    Line {
        /// The axis: y or z.
        axis: char,
        /// Voxels along it.
        found: u32,
        /// Voxels that fit.
        most: u32,
    },
    /// A method that makes no slabs.
    #[error("the method {} does not make maps by slabs; use separable", .method.name())]
    SlabsWith {
        /// The method.
        method: Method,
    },
    /// Nearest sites of a map that is made by slabs.
    #[error("nearest sites are not found by slabs; make the map as a whole, on one device")]
    NearestBySlabs,
    /// Nothing to make the map.
    #[error("there is no device to make the map")]
    NoDevices,
    /// One of several devices failed.
    #[error(transparent)]
    OnDevice(#[from] OnDevice<DistanceError>),
    /// Labels of which there is only one, so that no voxel has another.
    #[error("all voxels have the same label, {label}, so no voxel has a distance to another label")]
    OneLabel {
        /// The label.
        label: f32,
    },
    /// A method that does not take labels.
    #[error("the method {} does not take labels; use separable, or measure to a mask of one label", .method.name())]
    LabelsWith {
        /// The method.
        method: Method,
    },
    /// Nearest voxels of another label.
    #[error("which voxel of another label is the nearest is not found: only how far away it is")]
    NearestOfLabels,
    /// A method that does not count in integers.
    #[error("the method {} does not make squared distances as integers; use separable", .method.name())]
    SquaresWith {
        /// The method.
        method: Method,
    },
    /// Nearest sites besides squares.
    #[error("squared maps come without nearest sites: make a map of distances for these")]
    NearestOfSquares,
    /// Spacings whose squares are not multiples of anything.
    #[error(
        "squared distances are no integers at the spacing {}, {}, {}: these are no small multiples of one length; take distances as f32",
        spacing[0], spacing[1], spacing[2]
    )]
    SquaresNotWhole {
        /// The spacing along x, y and z.
        spacing: [f64; 3],
    },
    /// A squared distance of too many bits.
    #[error(
        "squared distances are up to {largest} (in squares of {unit}), which does not fit in {name}: take {}, or bound distances by {bound}",
        if *.name == "u16" { "u32" } else { "distances as f32" }
    )]
    SquareTooLarge {
        /// The largest of them, or the squared bound.
        largest: u64,
        /// The length whose square is 1.
        unit: f64,
        /// The type that it does not fit in.
        name: &'static str,
        /// The largest bound with which all fit, a whole number of units.
        bound: f64,
    },
    /// The sites cannot be made.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

impl From<DistanceError> for Stop<DistanceError> {
    fn from(error: DistanceError) -> Self {
        Self::Failed(error)
    }
}
