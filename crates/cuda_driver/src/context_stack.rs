//! Contexts of one's own, and each thread's stack of them. The top of the stack is the current
//! context.

use std::ptr;

use crate::driver::Driver;
use crate::error::{CudaResult, check};
use crate::types::{CUcontext, CUdevice};

impl Driver {
    /// `cuCtxCreate`: a context beside the primary one, on top of this thread's stack.
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

    /// `cuCtxDestroy`: destroys a context, with all that was made in it, and takes it off this
    /// thread's stack if it is on top.
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`](crate::CudaError::InvalidContext).
    ///
    /// # Safety
    /// 1. `context` came from [`Driver::context_create`] and was not destroyed since.
    /// 2. No handle or device address of it is used afterwards.
    pub unsafe fn context_destroy(&self, context: CUcontext) -> CudaResult<()> {
        let destroy = self.table.ctx_destroy.get()?;
        // SAFETY: the caller's promises (1, 2).
        check(unsafe { destroy(context) })
    }

    /// `cuCtxPushCurrent`: puts a context on this thread's stack.
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

    /// `cuCtxPopCurrent`: takes the top context off this thread's stack.
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`](crate::CudaError::InvalidContext) where there is none.
    pub fn pop_context(&self) -> CudaResult<CUcontext> {
        let pop = self.table.ctx_pop_current.get()?;
        let mut context: CUcontext = ptr::null_mut();
        // SAFETY: `context` is live for the call.
        check(unsafe { pop(&mut context) })?;
        Ok(context)
    }
}
