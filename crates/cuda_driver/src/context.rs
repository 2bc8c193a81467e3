//! Primary contexts, and which context is current on the calling thread.

use std::ffi::c_uint;
use std::ptr;

use crate::driver::Driver;
use crate::error::{CudaResult, check};
use crate::types::{CUcontext, CUdevice};

impl Driver {
    /// `cuDevicePrimaryCtxRetain`: the device's primary context, made if need be, with one more
    /// owner.
    ///
    /// # Errors
    /// [`CudaError::InvalidDevice`](crate::CudaError::InvalidDevice),
    /// [`CudaError::OutOfMemory`](crate::CudaError::OutOfMemory) and others.
    pub fn primary_context_retain(&self, device: CUdevice) -> CudaResult<CUcontext> {
        let retain = self.table.primary_ctx_retain.get()?;
        let mut context: CUcontext = ptr::null_mut();
        // SAFETY: `context` is live for the call; the driver checks the device.
        check(unsafe { retain(&mut context, device) })?;
        Ok(context)
    }

    /// `cuDevicePrimaryCtxRelease`: one owner less; the last one's release destroys the context.
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`](crate::CudaError::InvalidContext) where it was not retained.
    ///
    /// # Safety
    /// 1. The caller owns one retain of this device's primary context, and gives it up.
    /// 2. If it is the last, no handle or device address of the context is used afterwards.
    pub unsafe fn primary_context_release(&self, device: CUdevice) -> CudaResult<()> {
        let release = match self.table.primary_ctx_release.get() {
            Ok(release) => release,
            // Drivers before CUDA 11 have the first version only; the two differ in nothing used
            // here.
            Err(missing) => self
                .table
                .primary_ctx_release_v1
                .get()
                .map_err(|_| missing)?,
        };
        // SAFETY: the caller answers for the owners (1, 2).
        check(unsafe { release(device) })
    }

    /// `cuDevicePrimaryCtxReset`: destroys the device's primary context whoever owns it.
    ///
    /// # Errors
    /// [`CudaError::InvalidDevice`](crate::CudaError::InvalidDevice).
    ///
    /// # Safety
    /// 1. No handle or device address of the context is used afterwards, by anyone in the process.
    pub unsafe fn primary_context_reset(&self, device: CUdevice) -> CudaResult<()> {
        let reset = self.table.primary_ctx_reset.get()?;
        // SAFETY: the caller answers for everyone (1).
        check(unsafe { reset(device) })
    }

    /// `cuDevicePrimaryCtxSetFlags`: how host threads wait, among others, in this device's primary
    /// context.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue) for unknown flags.
    pub fn primary_context_set_flags(&self, device: CUdevice, flags: u32) -> CudaResult<()> {
        let set_flags = self.table.primary_ctx_set_flags.get()?;
        // SAFETY: plain numbers, checked by the driver.
        check(unsafe { set_flags(device, flags) })
    }

    /// `cuCtxGetCurrent`: the context current on this thread; null for none.
    ///
    /// # Errors
    /// [`CudaError::NotInitialized`](crate::CudaError::NotInitialized) before [`Driver::init`].
    pub fn current_context(&self) -> CudaResult<CUcontext> {
        let get_current = self.table.ctx_get_current.get()?;
        let mut context: CUcontext = ptr::null_mut();
        // SAFETY: `context` is live for the call.
        check(unsafe { get_current(&mut context) })?;
        Ok(context)
    }

    /// `cuCtxSetCurrent`: makes a context current on this thread; null for none.
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`](crate::CudaError::InvalidContext).
    ///
    /// # Safety
    /// 1. `context` is null or a context that has not been destroyed.
    pub unsafe fn set_current_context(&self, context: CUcontext) -> CudaResult<()> {
        let set_current = self.table.ctx_set_current.get()?;
        // SAFETY: a live context or null (1).
        check(unsafe { set_current(context) })
    }

    /// `cuCtxSynchronize`: waits for everything in the current context.
    ///
    /// # Errors
    /// Also those of work that was launched earlier.
    pub fn synchronize_context(&self) -> CudaResult<()> {
        let synchronize = self.table.ctx_synchronize.get()?;
        // SAFETY: no arguments.
        check(unsafe { synchronize() })
    }

    /// `cuCtxGetDevice`: the device of the current context.
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`](crate::CudaError::InvalidContext) where none is current.
    pub fn current_device(&self) -> CudaResult<CUdevice> {
        let get_device = self.table.ctx_get_device.get()?;
        let mut device: CUdevice = 0;
        // SAFETY: `device` is live for the call.
        check(unsafe { get_device(&mut device) })?;
        Ok(device)
    }

    /// `cuCtxGetFlags`: the flags of the current context.
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`](crate::CudaError::InvalidContext) where none is current.
    pub fn current_context_flags(&self) -> CudaResult<u32> {
        let get_flags = self.table.ctx_get_flags.get()?;
        let mut flags: c_uint = 0;
        // SAFETY: `flags` is live for the call.
        check(unsafe { get_flags(&mut flags) })?;
        Ok(flags)
    }

    /// `cuCtxGetApiVersion`: the version of the driver interface a context was made with.
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`](crate::CudaError::InvalidContext).
    ///
    /// # Safety
    /// 1. `context` is null (the current one) or a context that has not been destroyed.
    pub unsafe fn context_api_version(&self, context: CUcontext) -> CudaResult<u32> {
        let get_version = self.table.ctx_get_api_version.get()?;
        let mut version: c_uint = 0;
        // SAFETY: a live context or null (1); `version` is live for the call.
        check(unsafe { get_version(context, &mut version) })?;
        Ok(version)
    }
}
