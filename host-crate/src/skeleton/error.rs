//! What can go wrong in making a skeleton.

use crate::{
    device::DeviceError, distance::DistanceError, graph::GraphError, grid::GridError,
    partition::OnDevice,
};

/// The exponents that are offered, first and last.
pub(crate) const EXPONENTS: [f64; 2] = [2.0, 9.0];

/// An error of the skeleton pipeline.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SkeletonError {
    /// No voxel of an object.
    #[error(
        "there is no object: none of the {voxels} voxels is one of it; is the mask empty, or the threshold outside the data?"
    )]
    Empty {
        /// Voxels of the grid.
        voxels: u64,
    },
    /// An exponent out of range.
    #[error("the exponent is {found}: it must be from {} to {}", EXPONENTS[0], EXPONENTS[1])]
    Exponent {
        /// The exponent.
        found: f64,
    },
    /// A fraction that is none.
    #[error("the fraction for {name} is {found}: it must be from 0 to 1")]
    Fraction {
        /// What it is for: `divergence` or `curvature`.
        name: &'static str,
        /// The fraction.
        found: f64,
    },
    /// More components of a solid than labels.
    #[error("the solid has {found} components, and labels have 32 bits; leave out the small ones")]
    TooManyComponents {
        /// How many there are.
        found: u64,
    },
    /// Nothing to make the skeleton.
    #[error("there is no device to make the skeleton")]
    NoDevices,
    /// One of several devices failed.
    #[error(transparent)]
    OnDevice(#[from] OnDevice<SkeletonError>),
    /// The mask or the sources could not be made.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// The radii could not be measured.
    #[error(transparent)]
    Distance(#[from] DistanceError),
    /// The graph cannot be pruned so.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}
