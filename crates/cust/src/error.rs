//! Errors of the driver API.
//!
//! Nearly every call can fail, also with the error of an earlier asynchronous operation.

pub use cuda_driver::{CudaError, CudaResult, MissingFunction};

/// Result of the `drop` function of a type: on failure, the error and the object.
pub type DropResult<T> = Result<(), (CudaError, T)>;
