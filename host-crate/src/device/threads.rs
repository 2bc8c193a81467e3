//! The threads that the CPU computes with.

use super::DeviceError;
use std::{error::Error, io, sync::OnceLock};

/// Starts the threads that volumes are read with and kernels run on the CPU with: rayon's, as many
/// as the processor has, or as `RAYON_NUM_THREADS` says. Does nothing where they run already.
///
/// Streams and pipelines call this before they do anything else, and return its error; so do
/// `medial::extract` and its kin. What works without a stream, such as readers and writers of files,
/// lets the threads start by themselves, and then a system that makes no more ends in a panic: a
/// program that begins with these calls this first.
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

/// How many threads the CPU computes with; 1 where they cannot be started, which the first stream
/// says.
pub(super) fn thread_count() -> usize {
    match start_threads() {
        Ok(()) => rayon::current_num_threads(),
        Err(_) => 1,
    }
}

/// Says that the system makes no thread.
pub(crate) fn no_thread(error: &io::Error) -> DeviceError {
    DeviceError::NoThreads {
        reason: error.to_string(),
    }
}
