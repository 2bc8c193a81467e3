//! Streams: in-order queues of work.

use std::ffi::{c_int, c_uint};
use std::ptr;

use crate::driver::Driver;
use crate::error::{CudaResult, check};
use crate::types::{CUevent, CUstream};

impl Driver {
    /// Creates a stream with a priority (`cuStreamCreateWithPriority`). Flag 1 creates a
    /// non-blocking stream, which does not synchronize with the default stream. Smaller numbers are
    /// higher priorities; 0 is the default.
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`](crate::CudaError::InvalidContext) if no context is current,
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue) for unknown flags.
    pub fn stream_create(&self, flags: u32, priority: i32) -> CudaResult<CUstream> {
        let create = self.table.stream_create_with_priority.get()?;
        let mut stream: CUstream = ptr::null_mut();
        // SAFETY: `stream` is live for the call; flags and priority are checked by the driver.
        check(unsafe { create(&mut stream, flags, priority) })?;
        Ok(stream)
    }

    /// Destroys a stream (`cuStreamDestroy`). Returns immediately; queued work still runs.
    ///
    /// # Errors
    /// [`CudaError::InvalidHandle`](crate::CudaError::InvalidHandle), and errors of earlier work.
    ///
    /// # Safety
    /// 1. `stream` was returned by [`Driver::stream_create`] and its context is current.
    /// 2. It is not used afterwards.
    pub unsafe fn stream_destroy(&self, stream: CUstream) -> CudaResult<()> {
        let destroy = self.table.stream_destroy.get()?;
        // SAFETY: the caller's guarantees (1, 2).
        check(unsafe { destroy(stream) })
    }

    /// Waits for all work queued in the stream so far (`cuStreamSynchronize`).
    ///
    /// # Errors
    /// Errors of the work.
    ///
    /// # Safety
    /// 1. `stream` is live (null is the default stream), and its context is current.
    pub unsafe fn stream_synchronize(&self, stream: CUstream) -> CudaResult<()> {
        let synchronize = self.table.stream_synchronize.get()?;
        // SAFETY: a live stream (1).
        check(unsafe { synchronize(stream) })
    }

    /// Returns `Ok` if all queued work is complete (`cuStreamQuery`).
    ///
    /// # Errors
    /// [`CudaError::NotReady`](crate::CudaError::NotReady) while work is pending, and errors of the
    /// work.
    ///
    /// # Safety
    /// 1. `stream` is live (null is the default stream), and its context is current.
    pub unsafe fn stream_query(&self, stream: CUstream) -> CudaResult<()> {
        let query = self.table.stream_query.get()?;
        // SAFETY: a live stream (1).
        check(unsafe { query(stream) })
    }

    /// Makes work queued in `stream` from now on wait for the last recording of `event`
    /// (`cuStreamWaitEvent`).
    ///
    /// # Errors
    /// [`CudaError::InvalidHandle`](crate::CudaError::InvalidHandle).
    ///
    /// # Safety
    /// 1. `stream` is live (null is the default stream) and its context is current.
    /// 2. `event` is live; it may belong to another context.
    pub unsafe fn stream_wait_event(
        &self,
        stream: CUstream,
        event: CUevent,
        flags: u32,
    ) -> CudaResult<()> {
        let wait = self.table.stream_wait_event.get()?;
        // SAFETY: live handles (1, 2).
        check(unsafe { wait(stream, event, flags) })
    }

    /// Returns the flags with which a stream was created (`cuStreamGetFlags`).
    ///
    /// # Errors
    /// [`CudaError::InvalidHandle`](crate::CudaError::InvalidHandle).
    ///
    /// # Safety
    /// 1. `stream` is live (null is the default stream), and its context is current.
    pub unsafe fn stream_flags(&self, stream: CUstream) -> CudaResult<u32> {
        let get_flags = self.table.stream_get_flags.get()?;
        let mut flags: c_uint = 0;
        // SAFETY: a live stream (1) and out-parameter.
        check(unsafe { get_flags(stream, &mut flags) })?;
        Ok(flags)
    }

    /// Returns the priority of a stream, after clamping by the driver (`cuStreamGetPriority`).
    ///
    /// # Errors
    /// [`CudaError::InvalidHandle`](crate::CudaError::InvalidHandle).
    ///
    /// # Safety
    /// 1. `stream` is live (null is the default stream), and its context is current.
    pub unsafe fn stream_priority(&self, stream: CUstream) -> CudaResult<i32> {
        let get_priority = self.table.stream_get_priority.get()?;
        let mut priority: c_int = 0;
        // SAFETY: a live stream (1) and out-parameter.
        check(unsafe { get_priority(stream, &mut priority) })?;
        Ok(priority)
    }
}
