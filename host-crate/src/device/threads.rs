//! Thread pool of the CPU.

use super::DeviceError;
use crate::parallel;
use std::{error::Error, io, sync::OnceLock};

/// Starts the threads that read volumes and run kernels on the CPU: those of rayon, one per
/// hardware thread or as many as `RAYON_NUM_THREADS` specifies. Does nothing if they are running,
/// nor on a thread of another rayon pool, whose threads the work then uses: call functions in
/// `rayon::ThreadPool::install` to limit their threads, or to keep pools apart. Threads outside of
/// all pools decode compressed volumes: one each, or several for gzip, as many as the pool has.
///
/// Streams, pipelines and extractors such as `medial::extract` call this first and return its
/// error. Functions without a stream, such as readers and writers of files, start the threads
/// implicitly, which panics if the system creates no more threads; call this first to receive an
/// error instead.
///
/// # Errors
/// [`DeviceError::NoThreads`] if the system cannot create the threads: in this and every later
/// call.
///
/// ```
/// ferrovox::device::start_threads()?;
/// assert_eq!(ferrovox::device::Device::cpu().id(), "cpu");
/// # Ok::<(), ferrovox::device::DeviceError>(())
/// ```
pub fn start_threads() -> Result<(), DeviceError> {
    /// Error of the first attempt to start the threads.
    static FAILED: OnceLock<Option<String>> = OnceLock::new();
    let start = || {
        let error = rayon::ThreadPoolBuilder::new().build_global().err()?;
        // the error that they are running already has no source
        error.source().map(ToString::to_string)
    };
    if rayon::current_thread_index().is_some() {
        return Ok(());
    }
    match FAILED.get_or_init(start) {
        None => Ok(()),
        Some(reason) => Err(DeviceError::NoThreads {
            reason: reason.clone(),
        }),
    }
}

/// Runs a job that was spawned in a rayon pool.
///
/// A thread of a pool that waits for a loop of this library may start a spawned job meanwhile.
/// Without this function the job would inherit the cancellation of that loop.
///
/// ```
/// let (sender, receiver) = std::sync::mpsc::channel();
/// rayon::spawn(move || ferrovox::device::run_job(|| sender.send(1).unwrap()));
/// assert_eq!(receiver.recv(), Ok(1));
/// ```
pub fn run_job<R>(job: impl FnOnce() -> R) -> R {
    parallel::run_job(job)
}

/// Returns the number of threads of the pool; 1 if they cannot be started, which the first stream
/// reports.
pub(super) fn thread_count() -> usize {
    match start_threads() {
        Ok(()) => rayon::current_num_threads(),
        Err(_) => 1,
    }
}

/// Creates the error of a thread that the system did not create.
pub(crate) fn no_thread(error: &io::Error) -> DeviceError {
    DeviceError::NoThreads {
        reason: error.to_string(),
    }
}
