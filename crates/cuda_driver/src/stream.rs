//! Streams: queues of work in order.

use std::ffi::{c_int, c_uint};
use std::ptr;

use crate::driver::Driver;
use crate::error::{CudaResult, check};
use crate::types::{CUevent, CUstream};

impl Driver {
    /// `cuStreamCreateWithPriority`: flag 1 makes a stream that does not wait for the default
    /// stream, nor it for the stream. Smaller numbers are greater priorities; 0 is the usual one.
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`](crate::CudaError::InvalidContext) where none is current,
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue) for unknown flags.
    pub fn stream_create(&self, flags: u32, priority: i32) -> CudaResult<CUstream> {
        let create = self.table.stream_create_with_priority.get()?;
        let mut stream: CUstream = ptr::null_mut();
        // SAFETY: `stream` is live for the call; flags and priority are checked by the driver.
        check(unsafe { create(&mut stream, flags, priority) })?;
        Ok(stream)
    }

    /// `cuStreamDestroy`: returns at once; queued work still runs.
    ///
    /// # Errors
    /// [`CudaError::InvalidHandle`](crate::CudaError::InvalidHandle), and those of earlier work.
    ///
    /// # Safety
    /// 1. `stream` came from [`Driver::stream_create`] and its context is current.
    /// 2. It is not used afterwards.
    pub unsafe fn stream_destroy(&self, stream: CUstream) -> CudaResult<()> {
        let destroy = self.table.stream_destroy.get()?;
        // SAFETY: the caller's promises (1, 2).
        check(unsafe { destroy(stream) })
    }

    /// `cuStreamSynchronize`: waits for the work queued so far.
    ///
    /// # Errors
    /// Those of the work.
    ///
    /// # Safety
    /// 1. `stream` is live (null is the default stream), and its context is current.
    pub unsafe fn stream_synchronize(&self, stream: CUstream) -> CudaResult<()> {
        let synchronize = self.table.stream_synchronize.get()?;
        // SAFETY: a live stream (1).
        check(unsafe { synchronize(stream) })
    }

    /// `cuStreamQuery`: `Ok` where all queued work is done.
    ///
    /// # Errors
    /// [`CudaError::NotReady`](crate::CudaError::NotReady) while it is under way, and those of the
    /// work.
    ///
    /// # Safety
    /// 1. `stream` is live (null is the default stream), and its context is current.
    pub unsafe fn stream_query(&self, stream: CUstream) -> CudaResult<()> {
        let query = self.table.stream_query.get()?;
        // SAFETY: a live stream (1).
        check(unsafe { query(stream) })
    }

    /// `cuStreamWaitEvent`: work queued from here on waits for the event as last recorded.
    ///
    /// # Errors
    /// [`CudaError::InvalidHandle`](crate::CudaError::InvalidHandle).
    ///
    /// # Safety
    /// 1. `stream` is live (null is the default stream) and its context is current.
    /// 2. `event` is live; it may be of another context.
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

    /// `cuStreamGetFlags`: the flags a stream was made with.
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

    /// `cuStreamGetPriority`: the priority a stream has, after the driver clamped it.
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
