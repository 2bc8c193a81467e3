//! Allocation of device memory, stream-ordered device memory and pinned host memory.

use std::ffi::c_void;
use std::ptr;

use crate::driver::Driver;
use crate::error::{CudaResult, check};
use crate::types::{CUdeviceptr, CUstream};

impl Driver {
    /// Allocates device memory in the current context (`cuMemAlloc`). The memory is uninitialized
    /// and aligned to at least 256 bytes.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`](crate::CudaError::OutOfMemory);
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue) for 0 bytes.
    pub fn mem_alloc(&self, bytes: usize) -> CudaResult<CUdeviceptr> {
        let alloc = self.table.mem_alloc.get()?;
        let mut address: CUdeviceptr = 0;
        // SAFETY: `address` is live for the call.
        check(unsafe { alloc(&mut address, bytes) })?;
        Ok(address)
    }

    /// Frees device memory (`cuMemFree`), after waiting for work that may use it.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue) for an unallocated address, and
    /// errors of earlier work.
    ///
    /// # Safety
    /// 1. `address` was returned by [`Driver::mem_alloc`], or by [`Driver::mem_alloc_async`] and
    ///    all work on it is complete; it has not been freed.
    /// 2. It is not used afterwards.
    pub unsafe fn mem_free(&self, address: CUdeviceptr) -> CudaResult<()> {
        let free = self.table.mem_free.get()?;
        // SAFETY: the caller's guarantees (1, 2).
        check(unsafe { free(address) })
    }

    /// Returns `true` if the driver provides the stream-ordered allocator. The device must support
    /// it too (attribute 115, memory pools).
    pub fn has_stream_ordered_memory(&self) -> bool {
        self.table.mem_alloc_async.is_present() && self.table.mem_free_async.is_present()
    }

    /// Allocates device memory for use by work queued in `stream` after this call
    /// (`cuMemAllocAsync`).
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`](crate::CudaError::OutOfMemory);
    /// [`CudaError::NotSupported`](crate::CudaError::NotSupported) on a device without memory
    /// pools; [`CudaError::MissingFunction`](crate::CudaError::MissingFunction) before CUDA 11.2.
    ///
    /// # Safety
    /// 1. `stream` is live (null is the default stream), and its context is current.
    pub unsafe fn mem_alloc_async(
        &self,
        bytes: usize,
        stream: CUstream,
    ) -> CudaResult<CUdeviceptr> {
        let alloc = self.table.mem_alloc_async.get()?;
        let mut address: CUdeviceptr = 0;
        // SAFETY: a live stream (1) and out-parameter.
        check(unsafe { alloc(&mut address, bytes, stream) })?;
        Ok(address)
    }

    /// Frees device memory once the work queued in `stream` so far is complete (`cuMemFreeAsync`).
    ///
    /// # Errors
    /// See [`Driver::mem_alloc_async`]; also errors of earlier work.
    ///
    /// # Safety
    /// 1. `stream` is live (null is the default stream), and its context is current.
    /// 2. `address` was returned by [`Driver::mem_alloc_async`] and has not been freed.
    /// 3. Work in other streams that uses it is complete, or `stream` waits for it.
    /// 4. It is not used afterwards.
    pub unsafe fn mem_free_async(&self, address: CUdeviceptr, stream: CUstream) -> CudaResult<()> {
        let free = self.table.mem_free_async.get()?;
        // SAFETY: the caller's guarantees (1 to 4).
        check(unsafe { free(address, stream) })
    }

    /// Returns the free and the total memory of the current context's device, in bytes
    /// (`cuMemGetInfo`).
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`](crate::CudaError::InvalidContext) if no context is current.
    pub fn mem_info(&self) -> CudaResult<(usize, usize)> {
        let get_info = self.table.mem_get_info.get()?;
        let (mut free, mut total) = (0usize, 0usize);
        // SAFETY: both out-parameters are live for the call.
        check(unsafe { get_info(&mut free, &mut total) })?;
        Ok((free, total))
    }

    /// Allocates pinned (page-locked) host memory (`cuMemHostAlloc`). The memory is uninitialized.
    /// Flag 1 makes it pinned in every context.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`](crate::CudaError::OutOfMemory).
    pub fn mem_host_alloc(&self, bytes: usize, flags: u32) -> CudaResult<*mut c_void> {
        let alloc = self.table.mem_host_alloc.get()?;
        let mut address: *mut c_void = ptr::null_mut();
        // SAFETY: `address` is live for the call.
        check(unsafe { alloc(&mut address, bytes, flags) })?;
        Ok(address)
    }

    /// Frees pinned host memory (`cuMemFreeHost`).
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue) for an unallocated address.
    ///
    /// # Safety
    /// 1. `address` was returned by [`Driver::mem_host_alloc`] and has not been freed.
    /// 2. It is not used afterwards, by the host or by pending copies.
    pub unsafe fn mem_free_host(&self, address: *mut c_void) -> CudaResult<()> {
        let free = self.table.mem_free_host.get()?;
        // SAFETY: the caller's guarantees (1, 2).
        check(unsafe { free(address) })
    }
}
