//! Primary contexts, and the current context of the calling thread.

use std::ffi::c_uint;
use std::ptr;

use crate::driver::Driver;
use crate::error::{CudaResult, check};
use crate::types::{CUcontext, CUdevice};

impl Driver {
    /// Retains the device's primary context, creating it if necessary (`cuDevicePrimaryCtxRetain`).
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

    /// Releases the device's primary context (`cuDevicePrimaryCtxRelease`); the last release
    /// destroys it.
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`](crate::CudaError::InvalidContext) if it was not retained.
    ///
    /// # Safety
    /// 1. The caller gives up one retain of this device's primary context.
    /// 2. If it is the last, no handle or device address of the context is used afterwards.
    pub unsafe fn primary_context_release(&self, device: CUdevice) -> CudaResult<()> {
        let release = match self.table.primary_ctx_release.get() {
            Ok(release) => release,
            // drivers before CUDA 11 export only the first version, which is equivalent here
            Err(missing) => self
                .table
                .primary_ctx_release_v1
                .get()
                .map_err(|_| missing)?,
        };
        // SAFETY: the caller guarantees that it owns the retain (1, 2).
        check(unsafe { release(device) })
    }

    /// Destroys the device's primary context, regardless of retains (`cuDevicePrimaryCtxReset`).
    ///
    /// # Errors
    /// [`CudaError::InvalidDevice`](crate::CudaError::InvalidDevice).
    ///
    /// # Safety
    /// 1. No handle or device address of the context is used afterwards, by anyone in the process.
    pub unsafe fn primary_context_reset(&self, device: CUdevice) -> CudaResult<()> {
        let reset = self.table.primary_ctx_reset.get()?;
        // SAFETY: the caller's guarantee (1).
        check(unsafe { reset(device) })
    }

    /// Sets the flags of this device's primary context, such as the scheduling policy of waiting
    /// host threads (`cuDevicePrimaryCtxSetFlags`).
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue) for unknown flags.
    pub fn primary_context_set_flags(&self, device: CUdevice, flags: u32) -> CudaResult<()> {
        let set_flags = self.table.primary_ctx_set_flags.get()?;
        // SAFETY: plain numbers, checked by the driver.
        check(unsafe { set_flags(device, flags) })
    }

    /// Returns the current context of this thread, or null (`cuCtxGetCurrent`).
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

    /// Makes a context current on this thread; null leaves the thread without one
    /// (`cuCtxSetCurrent`).
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

    /// Waits for all work in the current context (`cuCtxSynchronize`).
    ///
    /// # Errors
    /// Errors of work launched earlier.
    pub fn synchronize_context(&self) -> CudaResult<()> {
        let synchronize = self.table.ctx_synchronize.get()?;
        // SAFETY: no arguments.
        check(unsafe { synchronize() })
    }

    /// Returns the device of the current context (`cuCtxGetDevice`).
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`](crate::CudaError::InvalidContext) if no context is current.
    pub fn current_device(&self) -> CudaResult<CUdevice> {
        let get_device = self.table.ctx_get_device.get()?;
        let mut device: CUdevice = 0;
        // SAFETY: `device` is live for the call.
        check(unsafe { get_device(&mut device) })?;
        Ok(device)
    }

    /// Returns the flags of the current context (`cuCtxGetFlags`).
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`](crate::CudaError::InvalidContext) if no context is current.
    pub fn current_context_flags(&self) -> CudaResult<u32> {
        let get_flags = self.table.ctx_get_flags.get()?;
        let mut flags: c_uint = 0;
        // SAFETY: `flags` is live for the call.
        check(unsafe { get_flags(&mut flags) })?;
        Ok(flags)
    }

    /// Returns the API version with which a context was created (`cuCtxGetApiVersion`).
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
