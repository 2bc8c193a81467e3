//! Classification of errors.

/// Kind of an error, for programs that treat errors alike without matching every variant: language
/// bindings, services, schedulers. The error types have a method `kind`.
///
/// ```
/// use ferrovox::{device::Device, error::ErrorKind};
///
/// let error = "cudda".parse::<Device>().unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::InvalidArgument);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An argument is invalid, or arguments do not fit each other.
    InvalidArgument,
    /// The memory of the host or of a device is insufficient.
    Memory,
    /// A device is missing or failed.
    Device,
    /// The operation is not supported for these arguments or by this device.
    Unsupported,
    /// The caller cancelled the work.
    Cancelled,
    /// Reading or writing a file failed.
    Io,
    /// A programming error of the library.
    Internal,
}
