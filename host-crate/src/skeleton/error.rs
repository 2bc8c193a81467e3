//! What can go wrong in making a skeleton.

use crate::{
    device::DeviceError, distance::DistanceError, graph::GraphError, grid::GridError,
    memory::OutOfMemory, monitor::Cancelled, partition::OnDevice,
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
    /// A parameter of the fast multipole method is out of range.
    #[error("the multipole parameter `{name}` is {found}; choose a value from {min} to {max}")]
    Multipole {
        /// Name of the parameter: `order`, `near` or `bound_factor`.
        name: &'static str,
        /// Value that was given.
        found: f64,
        /// Minimum.
        min: f64,
        /// Maximum.
        max: f64,
    },
    /// A number of the cover rule that is none.
    #[error("the cover's {name} is {found}: it must be a finite number, 0 or more")]
    Cover {
        /// Which: `scale` or `constant`.
        name: &'static str,
        /// The number.
        found: f64,
    },
    /// A sample that is no label.
    #[error(
        "the sample at voxel ({}, {}, {}) is {value}: labels must be integers; select the object by a threshold or a range instead",
        voxel[0], voxel[1], voxel[2]
    )]
    NotALabel {
        /// The voxel.
        voxel: [usize; 3],
        /// Its sample.
        value: f64,
    },
    /// A label that was asked for and is not there.
    #[error("no voxel has the label {label}; the labels are {present}")]
    NoSuchLabel {
        /// The label.
        label: i64,
        /// Those that are there.
        present: String,
    },
    /// More voxels in a component than 32 bits can number.
    #[error(
        "a component has {found} voxels, and they are numbered by 32 bits; reduce the volume, or cut it"
    )]
    ComponentTooLarge {
        /// How many there are.
        found: u64,
    },
    /// An axis that is too long for coordinates.
    #[error("an axis has {found} voxels: it must have fewer than 2^30; cut the volume")]
    AxisTooLong {
        /// The voxels along it.
        found: u64,
    },
    /// More components of a solid than labels.
    #[error("the solid has {found} components, and labels have 32 bits; leave out the small ones")]
    TooManyComponents {
        /// How many there are.
        found: u64,
    },
    /// Nothing to make the skeleton.
    #[error("no devices given; pass at least one")]
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

impl From<OutOfMemory> for SkeletonError {
    fn from(error: OutOfMemory) -> Self {
        Self::Device(error.into())
    }
}

impl From<Cancelled> for SkeletonError {
    fn from(stopped: Cancelled) -> Self {
        Self::Device(stopped.into())
    }
}
