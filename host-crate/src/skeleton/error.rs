//! Errors of both skeleton methods.

use crate::{
    device::DeviceError, distance::DistanceError, error::ErrorKind, graph::GraphError,
    grid::GridError, memory::OutOfMemory, monitor::Cancelled, partition::OnDevice,
    partition::memory_plan::MemoryError,
};

/// Smallest and largest exponent of the force.
pub(crate) const EXPONENTS: [f64; 2] = [2.0, 9.0];

/// Error of the extraction of a skeleton.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SkeletonError {
    /// There is no object voxel.
    #[error(
        "there is no object: none of the {voxels} voxels belongs to one; check that the mask is not empty and that the threshold lies within the data"
    )]
    Empty {
        /// Number of voxels of the grid.
        voxels: u64,
    },
    /// The exponent is out of range.
    #[error("the exponent is {found}; choose a value from {} to {}", EXPONENTS[0], EXPONENTS[1])]
    Exponent {
        /// Exponent that was given.
        found: f64,
    },
    /// A fraction is out of range.
    #[error("the fraction for {name} is {found}; choose a value from 0 to 1")]
    Fraction {
        /// Name of the parameter: `divergence` or `curvature`.
        name: &'static str,
        /// Fraction that was given.
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
    /// A parameter of the coverage rule is negative or not finite.
    #[error("the coverage {name} is {found}; choose a finite number, 0 or more")]
    Coverage {
        /// Name of the parameter: `scale` or `constant`.
        name: &'static str,
        /// Value that was given.
        found: f64,
    },
    /// A parameter of the significance rule is negative or not finite.
    #[error("the {name} is {found}; choose a finite number, 0 or more")]
    Significance {
        /// Name of the parameter: `significance`, `length of protrusions` or `detail`.
        name: &'static str,
        /// Value that was given.
        found: f64,
    },
    /// The thickness of tunnels to fill is too large.
    #[error("the thickness of tunnels to fill is {found} voxels; choose at most {max}")]
    TunnelThickness {
        /// Thickness that was given.
        found: u32,
        /// Maximum.
        max: u32,
    },
    /// A sample is not an integer.
    #[error(
        "the sample at voxel ({}, {}, {}) is {value}: labels must be integers; select the object by a threshold or a range instead",
        voxel[0], voxel[1], voxel[2]
    )]
    NotALabel {
        /// Position of the voxel.
        voxel: [usize; 3],
        /// Value of the sample.
        value: f64,
    },
    /// A label does not fit in 64 bits with a sign.
    #[error(
        "the sample at voxel ({}, {}, {}) is {value:.0}: labels must be at least -2^63 and less than 2^63; renumber them",
        voxel[0], voxel[1], voxel[2]
    )]
    LabelTooLarge {
        /// Position of the voxel.
        voxel: [usize; 3],
        /// Value of the sample.
        value: f64,
    },
    /// A selected label has no voxel.
    #[error("no voxel has the label {label}; the labels are {present}")]
    NoSuchLabel {
        /// Label that was selected.
        label: i64,
        /// Comma-separated list of the labels that are present.
        present: String,
    },
    /// A component has more than 2^32 voxels.
    #[error(
        "a component has {found} voxels, more than the supported 2^32; downsample or crop the volume"
    )]
    ComponentTooLarge {
        /// Number of voxels.
        found: u64,
    },
    /// An axis is too long.
    #[error("an axis has {found} voxels, but fewer than 2^30 are supported; crop the volume")]
    AxisTooLong {
        /// Number of voxels along the axis.
        found: u64,
    },
    /// There are too many components to number them with 32 bits.
    #[error(
        "there are {found} runs or components, more than the supported 2^32; remove small components"
    )]
    TooManyComponents {
        /// Number of runs or components.
        found: u64,
    },
    /// The list of devices is empty.
    #[error("no devices given; pass at least one")]
    NoDevices,
    /// One of several devices failed.
    #[error(transparent)]
    OnDevice(#[from] OnDevice<SkeletonError>),
    /// A mask or a point list could not be created.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// The distance map for the radii failed.
    #[error(transparent)]
    Distance(#[from] DistanceError),
    /// The graph operation failed.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// A device failed, memory was exhausted, or the work was cancelled.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

impl SkeletonError {
    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::OnDevice(error) => error.source.kind(),
            Self::Grid(error) => error.kind(),
            Self::Distance(error) => error.kind(),
            Self::Graph(_) => ErrorKind::Internal,
            Self::Device(error) => error.kind(),
            _ => ErrorKind::InvalidArgument,
        }
    }
}

impl From<OutOfMemory> for SkeletonError {
    fn from(error: OutOfMemory) -> Self {
        Self::Device(error.into())
    }
}

impl From<Cancelled> for SkeletonError {
    fn from(error: Cancelled) -> Self {
        Self::Device(error.into())
    }
}

impl MemoryError for SkeletonError {
    fn is_out_of_memory(&self) -> bool {
        match self {
            Self::OnDevice(error) => error.source.is_out_of_memory(),
            Self::Grid(GridError::Device(error)) => error.is_out_of_memory(),
            Self::Distance(error) => error.is_out_of_memory(),
            Self::Device(error) => error.is_out_of_memory(),
            _ => false,
        }
    }
}
