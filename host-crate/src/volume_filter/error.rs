//! Errors of volume filters.

use crate::{device::DeviceError, error::ErrorKind, grid::VolumeError, memory::OutOfMemory};

/// An error of the smoothing or the resampling of a volume.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VolumeFilterError {
    /// The standard deviation is not positive, or not finite.
    #[error(
        "the standard deviation of the smoothing is {found}; give a positive finite length in world units"
    )]
    Sigma {
        /// The given number.
        found: f64,
    },
    /// The standard deviation exceeds the volume.
    #[error(
        "the standard deviation of the smoothing is {found}, but the longest side of the volume is {longest}; \
         give a smaller length in world units"
    )]
    SigmaTooLarge {
        /// The given number.
        found: f64,
        /// Length of the volume along its longest side, in world units.
        longest: f64,
    },
    /// A spacing is not positive, or not finite.
    #[error(
        "the spacing to resample to is {found} along {axis}; give a positive finite length in world units"
    )]
    Spacing {
        /// Name of the axis.
        axis: char,
        /// The given number.
        found: f64,
    },
    /// The resampled volume is too large.
    #[error(
        "a spacing of {} x {} x {} gives {:.0} x {:.0} x {:.0} samples, which need {bytes:.0} bytes; \
         resample to a larger spacing, or crop the volume",
        spacing[0], spacing[1], spacing[2], dims[0], dims[1], dims[2]
    )]
    TooLarge {
        /// The spacing along x, y and z.
        spacing: [f64; 3],
        /// Number of samples along x, y and z.
        dims: [f64; 3],
        /// Size of the samples.
        bytes: f64,
    },
    /// The samples are copied from the nearest sample, as labels are, and cannot be averaged.
    #[error(
        "labels cannot be averaged by smoothing; select the object by an isovalue, or smooth its surface"
    )]
    SmoothLabels,
    /// The geometry of the resampled volume is out of range.
    #[error(transparent)]
    Volume(#[from] VolumeError),
    /// The device reported an error.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// Host memory is insufficient.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
}

impl VolumeFilterError {
    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Memory(_) | Self::TooLarge { .. } => ErrorKind::Memory,
            Self::Volume(error) => error.kind(),
            Self::Device(error) => error.kind(),
            _ => ErrorKind::InvalidArgument,
        }
    }
}
