//! Allocation: device memory, stream-ordered device memory, pinned host memory.

use std::ffi::c_void;
use std::ptr;

use crate::driver::Driver;
use crate::error::{CudaResult, check};
use crate::types::{CUdeviceptr, CUstream};

impl Driver {
    /// `cuMemAlloc`: device memory in the current context, aligned to 256 bytes or more, not
    /// cleared.
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

    /// `cuMemFree`: waits for work that may use the memory, then frees it.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue) for an address that was not
    /// allocated, and those of earlier work.
    ///
    /// # Safety
    /// 1. `address` came from [`Driver::mem_alloc`], or from [`Driver::mem_alloc_async`] and all
    ///    work on it is done; it was not freed since.
    /// 2. It is not used afterwards.
    pub unsafe fn mem_free(&self, address: CUdeviceptr) -> CudaResult<()> {
        let free = self.table.mem_free.get()?;
        // SAFETY: the caller's promises (1, 2).
        check(unsafe { free(address) })
    }

    /// Whether the driver has stream-ordered allocation. The device must have it too: attribute
    /// 115, memory pools.
    pub fn has_stream_ordered_memory(&self) -> bool {
        self.table.mem_alloc_async.is_present() && self.table.mem_free_async.is_present()
    }

    /// `cuMemAllocAsync`: device memory that work queued in `stream` from here on may use.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`](crate::CudaError::OutOfMemory);
    /// [`CudaError::NotSupported`](crate::CudaError::NotSupported) on a device without memory
    /// pools; [`CudaError::DriverLacks`](crate::CudaError::DriverLacks) before CUDA 11.2.
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

    /// `cuMemFreeAsync`: frees the memory when the work queued in `stream` so far is done.
    ///
    /// # Errors
    /// As [`Driver::mem_alloc_async`], and those of earlier work.
    ///
    /// # Safety
    /// 1. `stream` is live (null is the default stream), and its context is current.
    /// 2. `address` came from [`Driver::mem_alloc_async`] and was not freed since.
    /// 3. Work in other streams that uses it is done, or `stream` was made to wait for it.
    /// 4. It is not used afterwards.
    pub unsafe fn mem_free_async(&self, address: CUdeviceptr, stream: CUstream) -> CudaResult<()> {
        let free = self.table.mem_free_async.get()?;
        // SAFETY: the caller's promises (1 to 4).
        check(unsafe { free(address, stream) })
    }

    /// `cuMemGetInfo`: (free, total) bytes of the current context's device.
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`](crate::CudaError::InvalidContext) where none is current.
    pub fn mem_info(&self) -> CudaResult<(usize, usize)> {
        let get_info = self.table.mem_get_info.get()?;
        let (mut free, mut total) = (0usize, 0usize);
        // SAFETY: both out-parameters are live for the call.
        check(unsafe { get_info(&mut free, &mut total) })?;
        Ok((free, total))
    }

    /// `cuMemHostAlloc`: pinned host memory, page-aligned, not cleared. Flag 1 makes it count as
    /// pinned in every context.
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

    /// `cuMemFreeHost`.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue) for an address that was not
    /// allocated.
    ///
    /// # Safety
    /// 1. `address` came from [`Driver::mem_host_alloc`] and was not freed since.
    /// 2. It is not used afterwards, by the host or by copies still under way.
    pub unsafe fn mem_free_host(&self, address: *mut c_void) -> CudaResult<()> {
        let free = self.table.mem_free_host.get()?;
        // SAFETY: the caller's promises (1, 2).
        check(unsafe { free(address) })
    }
}
