//! What can go wrong in a scan.

use crate::device::DeviceError;

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
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}
