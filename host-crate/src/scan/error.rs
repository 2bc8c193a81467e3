//! What can go wrong in a scan.

use crate::{
    device::DeviceError,
    partition::{OnDevice, devices::Stop},
};

/// An error of a scan.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScanError {
    /// The output has no room for the result.
    #[error("the output has {output} elements and the input {input}: give it as many")]
    OutputTooSmall {
        /// Elements of the input.
        input: usize,
        /// Elements of the output.
        output: usize,
    },
    /// The output has more elements than there are results.
    #[error("the output has {output} elements and the input only {input}: the lengths must agree")]
    LengthsDiffer {
        /// Elements of the input.
        input: usize,
        /// Elements of the output.
        output: usize,
    },
    /// More elements than tiles can be numbered for.
    #[error("{count} elements are more than {tile} times 2^32: scan them in parts")]
    TooMany {
        /// How many elements.
        count: usize,
        /// Elements of a tile.
        tile: u64,
    },
    /// A method that has no kernels for the elements and the operator.
    #[error("there is no {method} scan of {element} by {operator}; use single-pass")]
    NoSuchScan {
        /// The method's name.
        method: &'static str,
        /// The elements' type.
        element: &'static str,
        /// The operator.
        operator: &'static str,
    },
    /// A sum that the output's type cannot hold.
    #[error("the sum up to and including element {index} does not fit {value}; use a wider type")]
    Overflow {
        /// The first element whose inclusive sum does not fit.
        index: u64,
        /// The output's type.
        value: &'static str,
    },
    /// No device to scan on.
    #[error("a scan over several devices was given none")]
    NoDevices,
    /// One of several devices failed.
    #[error(transparent)]
    OnDevice(#[from] OnDevice<ScanError>),
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

impl From<ScanError> for Stop<ScanError> {
    fn from(error: ScanError) -> Self {
        Self::Failed(error)
    }
}
