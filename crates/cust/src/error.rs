//! Errors.
//!
//! Nearly every call can fail, also with an error of work launched earlier that went wrong since.

pub use cuda_driver::{CudaError, CudaResult, MissingFunction};

/// The result of dropping something by its `drop` function: on failure, the error and the thing
/// itself.
pub type DropResult<T> = Result<(), (CudaError, T)>;
