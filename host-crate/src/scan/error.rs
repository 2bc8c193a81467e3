//! Errors of scans.

use crate::error::ErrorKind;
use crate::{
    device::DeviceError,
    partition::memory_plan::MemoryError,
    partition::{OnDevice, devices::Stop},
};

/// An error of a scan.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScanError {
    /// The output is too short for the result.
    #[error(
        "the output has {output} elements, but the input {input}; pass an output of the same length"
    )]
    OutputTooSmall {
        /// Number of elements of the input.
        input: usize,
        /// Number of elements of the output.
        output: usize,
    },
    /// The output is longer than the result.
    #[error(
        "the output has {output} elements, but the input only {input}; pass an output of the same length"
    )]
    LengthsDiffer {
        /// Number of elements of the input.
        input: usize,
        /// Number of elements of the output.
        output: usize,
    },
    /// The input has more elements than tile numbers can address.
    #[error("{count} elements are more than 2^32 tiles of {tile}; scan the input in parts")]
    TooMany {
        /// Number of elements.
        count: usize,
        /// Number of elements per tile.
        tile: u64,
    },
    /// The method has no kernels for this element type and operator.
    #[error("no {method} scan of {element} by {operator}; use single-pass")]
    NoSuchScan {
        /// Name of the method.
        method: &'static str,
        /// Name of the element type.
        element: &'static str,
        /// Name of the operator.
        operator: &'static str,
    },
    /// A sum overflows the output type.
    #[error("the sum up to and including element {index} overflows {value}; use a wider type")]
    Overflow {
        /// Index of the first element whose inclusive sum overflows.
        index: u64,
        /// Name of the output type.
        value: &'static str,
    },
    /// No devices were given.
    #[error("no devices given; pass at least one")]
    NoDevices,
    /// One of several devices failed.
    #[error(transparent)]
    OnDevice(#[from] OnDevice<ScanError>),
    /// The device reported an error.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

impl From<ScanError> for Stop<ScanError> {
    fn from(error: ScanError) -> Self {
        Self::Failed(error)
    }
}

impl ScanError {
    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::NoSuchScan { .. } => ErrorKind::Unsupported,
            Self::OnDevice(error) => error.source.kind(),
            Self::Device(error) => error.kind(),
            _ => ErrorKind::InvalidArgument,
        }
    }
}

impl MemoryError for ScanError {
    fn is_out_of_memory(&self) -> bool {
        match self {
            Self::OnDevice(error) => error.source.is_out_of_memory(),
            Self::Device(error) => error.is_out_of_memory(),
            _ => false,
        }
    }
}
