//! Events: markers in streams for synchronization and timing.

use std::ptr;

use crate::driver::Driver;
use crate::error::{CudaResult, check};
use crate::types::{CUevent, CUstream};

impl Driver {
    /// Creates an event (`cuEventCreate`). Flags: 1 waits by blocking instead of spinning, 2
    /// disables timing, 4 allows use by other processes.
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`](crate::CudaError::InvalidContext) if no context is current.
    pub fn event_create(&self, flags: u32) -> CudaResult<CUevent> {
        let create = self.table.event_create.get()?;
        let mut event: CUevent = ptr::null_mut();
        // SAFETY: `event` is live for the call; the driver checks the flags.
        check(unsafe { create(&mut event, flags) })?;
        Ok(event)
    }

    /// Destroys an event (`cuEventDestroy`). Returns immediately, even if the event has not
    /// completed.
    ///
    /// # Errors
    /// [`CudaError::InvalidHandle`](crate::CudaError::InvalidHandle).
    ///
    /// # Safety
    /// 1. `event` was returned by [`Driver::event_create`], and its context is current.
    /// 2. The event is not used afterwards.
    pub unsafe fn event_destroy(&self, event: CUevent) -> CudaResult<()> {
        let destroy = self.table.event_destroy.get()?;
        // SAFETY: the caller's guarantees (1, 2).
        check(unsafe { destroy(event) })
    }

    /// Records an event in `stream` (`cuEventRecord`): it completes after all work queued so far.
    ///
    /// # Errors
    /// [`CudaError::InvalidHandle`](crate::CudaError::InvalidHandle) if stream and event belong to
    /// different contexts.
    ///
    /// # Safety
    /// 1. `event` is live.
    /// 2. `stream` is live (null is the default stream), of the same context, which is current.
    pub unsafe fn event_record(&self, event: CUevent, stream: CUstream) -> CudaResult<()> {
        let record = self.table.event_record.get()?;
        // SAFETY: live handles (1, 2).
        check(unsafe { record(event, stream) })
    }

    /// Returns `Ok` if the event has completed or was never recorded (`cuEventQuery`).
    ///
    /// # Errors
    /// [`CudaError::NotReady`](crate::CudaError::NotReady), and errors of the preceding work.
    ///
    /// # Safety
    /// 1. `event` is live.
    pub unsafe fn event_query(&self, event: CUevent) -> CudaResult<()> {
        let query = self.table.event_query.get()?;
        // SAFETY: a live event (1).
        check(unsafe { query(event) })
    }

    /// Waits until the event has completed (`cuEventSynchronize`).
    ///
    /// # Errors
    /// Errors of the preceding work.
    ///
    /// # Safety
    /// 1. `event` is live.
    pub unsafe fn event_synchronize(&self, event: CUevent) -> CudaResult<()> {
        let synchronize = self.table.event_synchronize.get()?;
        // SAFETY: a live event (1).
        check(unsafe { synchronize(event) })
    }

    /// Returns the time from `start` to `end` in milliseconds, with a resolution of about half a
    /// microsecond (`cuEventElapsedTime`).
    ///
    /// # Errors
    /// [`CudaError::NotReady`](crate::CudaError::NotReady) if an event has not completed,
    /// [`CudaError::InvalidHandle`](crate::CudaError::InvalidHandle) if one was never recorded or
    /// was created without timing.
    ///
    /// # Safety
    /// 1. Both events are live and of the same context.
    pub unsafe fn event_elapsed_ms(&self, start: CUevent, end: CUevent) -> CudaResult<f32> {
        let elapsed = self.table.event_elapsed_time.get()?;
        let mut milliseconds = 0f32;
        // SAFETY: live events (1) and out-parameter.
        check(unsafe { elapsed(&mut milliseconds, start, end) })?;
        Ok(milliseconds)
    }
}
