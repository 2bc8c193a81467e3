//! Events: points in streams that can be waited for and timed.

use std::ptr;

use crate::driver::Driver;
use crate::error::{CudaResult, check};
use crate::types::{CUevent, CUstream};

impl Driver {
    /// `cuEventCreate`: flag 1 makes waiting block rather than spin, 2 leaves out timing, 4 is for
    /// other processes.
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`](crate::CudaError::InvalidContext) where none is current.
    pub fn event_create(&self, flags: u32) -> CudaResult<CUevent> {
        let create = self.table.event_create.get()?;
        let mut event: CUevent = ptr::null_mut();
        // SAFETY: `event` is live for the call; the driver checks the flags.
        check(unsafe { create(&mut event, flags) })?;
        Ok(event)
    }

    /// `cuEventDestroy`: returns at once, also where the event has not happened yet.
    ///
    /// # Errors
    /// [`CudaError::InvalidHandle`](crate::CudaError::InvalidHandle).
    ///
    /// # Safety
    /// 1. `event` came from [`Driver::event_create`], and its context is current.
    /// 2. It is not used afterwards.
    pub unsafe fn event_destroy(&self, event: CUevent) -> CudaResult<()> {
        let destroy = self.table.event_destroy.get()?;
        // SAFETY: the caller's promises (1, 2).
        check(unsafe { destroy(event) })
    }

    /// `cuEventRecord`: the event happens when the work queued in `stream` so far is done.
    ///
    /// # Errors
    /// [`CudaError::InvalidHandle`](crate::CudaError::InvalidHandle) where stream and event are of
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

    /// `cuEventQuery`: `Ok` where the event has happened or was never recorded.
    ///
    /// # Errors
    /// [`CudaError::NotReady`](crate::CudaError::NotReady), and those of the work before it.
    ///
    /// # Safety
    /// 1. `event` is live.
    pub unsafe fn event_query(&self, event: CUevent) -> CudaResult<()> {
        let query = self.table.event_query.get()?;
        // SAFETY: a live event (1).
        check(unsafe { query(event) })
    }

    /// `cuEventSynchronize`: waits until the event has happened.
    ///
    /// # Errors
    /// Those of the work before it.
    ///
    /// # Safety
    /// 1. `event` is live.
    pub unsafe fn event_synchronize(&self, event: CUevent) -> CudaResult<()> {
        let synchronize = self.table.event_synchronize.get()?;
        // SAFETY: a live event (1).
        check(unsafe { synchronize(event) })
    }

    /// `cuEventElapsedTime`: milliseconds from `start` to `end`, to about half a microsecond.
    ///
    /// # Errors
    /// [`CudaError::NotReady`](crate::CudaError::NotReady) where one has not happened,
    /// [`CudaError::InvalidHandle`](crate::CudaError::InvalidHandle) where one was never recorded
    /// or has no timing.
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
