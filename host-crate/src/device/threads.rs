//! The threads that the CPU computes with.

use super::DeviceError;
use std::{error::Error, io, sync::OnceLock};

/// Starts the threads that volumes are read with and kernels run on the CPU with: rayon's, as many as the processor has, or as
/// `RAYON_NUM_THREADS` says. Does nothing where they run already.
///
/// They start by themselves when they are first needed, and then a system that makes no more threads ends in a panic. A program that
/// would rather report that calls this before it does anything else with this library.
///
/// # Errors
/// [`DeviceError::NoThreads`] if the system makes no such threads: then, and at any later call.
///
/// ```
/// ferrovox::device::start_threads()?;
/// assert_eq!(ferrovox::device::Device::cpu().id(), "cpu");
/// # Ok::<(), ferrovox::device::DeviceError>(())
/// ```
pub fn start_threads() -> Result<(), DeviceError> {
    /// Why they could not be started.
    static FAILED: OnceLock<Option<String>> = OnceLock::new();
    let start = || {
        let error = rayon::ThreadPoolBuilder::new().build_global().err()?;
        // that they run already has no source
        error.source().map(ToString::to_string)
    };
    match FAILED.get_or_init(start) {
        None => Ok(()),
        Some(reason) => Err(DeviceError::NoThreads {
            reason: reason.clone(),
        }),
    }
}

/// Says that the system makes no thread.
pub(crate) fn no_thread(error: &io::Error) -> DeviceError {
    DeviceError::NoThreads {
        reason: error.to_string(),
    }
}
