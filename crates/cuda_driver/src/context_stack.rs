//! Explicitly created contexts, and the context stack of each thread, whose top is the current
//! context.

use std::ptr;

use crate::driver::Driver;
use crate::error::{CudaResult, check};
use crate::types::{CUcontext, CUdevice};

impl Driver {
    /// Creates a context separate from the primary context and pushes it onto this thread's stack
    /// (`cuCtxCreate`).
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`](crate::CudaError::OutOfMemory),
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue) for unknown flags, and others.
    pub fn context_create(&self, flags: u32, device: CUdevice) -> CudaResult<CUcontext> {
        let create = self.table.ctx_create.get()?;
        let mut context: CUcontext = ptr::null_mut();
        // SAFETY: `context` is live for the call; the driver checks flags and device.
        check(unsafe { create(&mut context, flags, device) })?;
        Ok(context)
    }

    /// Destroys a context and everything created in it, and pops it if it is on top of this
    /// thread's stack (`cuCtxDestroy`).
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`](crate::CudaError::InvalidContext).
    ///
    /// # Safety
    /// 1. `context` was returned by [`Driver::context_create`] and has not been destroyed.
    /// 2. No handle or device address of the context is used afterwards.
    pub unsafe fn context_destroy(&self, context: CUcontext) -> CudaResult<()> {
        let destroy = self.table.ctx_destroy.get()?;
        // SAFETY: the caller's guarantees (1, 2).
        check(unsafe { destroy(context) })
    }

    /// Pushes a context onto this thread's stack (`cuCtxPushCurrent`).
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`](crate::CudaError::InvalidContext).
    ///
    /// # Safety
    /// 1. `context` is a context that has not been destroyed.
    pub unsafe fn push_context(&self, context: CUcontext) -> CudaResult<()> {
        let push = self.table.ctx_push_current.get()?;
        // SAFETY: a live context (1).
        check(unsafe { push(context) })
    }

    /// Pops the top context from this thread's stack and returns it (`cuCtxPopCurrent`).
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`](crate::CudaError::InvalidContext) if the stack is empty.
    pub fn pop_context(&self) -> CudaResult<CUcontext> {
        let pop = self.table.ctx_pop_current.get()?;
        let mut context: CUcontext = ptr::null_mut();
        // SAFETY: `context` is live for the call.
        check(unsafe { pop(&mut context) })?;
        Ok(context)
    }
}
