//! Memory pools of the stream-ordered allocator.

use std::ffi::{c_int, c_void};
use std::ptr;

use crate::driver::Driver;
use crate::error::{CudaResult, check};
use crate::types::{CUdevice, CUdeviceptr, CUmemoryPool, CUstream, MemoryPoolProps};

/// `CU_MEMPOOL_ATTR_RELEASE_THRESHOLD`: bytes that the pool retains at the next synchronization
/// instead of returning them to the system. A 64-bit value.
const RELEASE_THRESHOLD: c_int = 4;

impl Driver {
    /// Returns the device's default memory pool (`cuDeviceGetDefaultMemPool`), which lives as long
    /// as the device.
    ///
    /// # Errors
    /// [`CudaError::NotSupported`](crate::CudaError::NotSupported) on a device without memory
    /// pools; [`CudaError::MissingFunction`](crate::CudaError::MissingFunction) before CUDA 11.2.
    pub fn default_memory_pool(&self, device: CUdevice) -> CudaResult<CUmemoryPool> {
        let get_pool = self.table.device_get_default_mem_pool.get()?;
        let mut pool: CUmemoryPool = ptr::null_mut();
        // SAFETY: `pool` is live for the call; the driver checks the device.
        check(unsafe { get_pool(&mut pool, device) })?;
        Ok(pool)
    }

    /// Creates a memory pool for memory of a device (`cuMemPoolCreate`).
    ///
    /// # Errors
    /// [`CudaError::NotSupported`](crate::CudaError::NotSupported) on a device without memory
    /// pools; [`CudaError::MissingFunction`](crate::CudaError::MissingFunction) before CUDA 11.2.
    pub fn create_memory_pool(&self, device: CUdevice) -> CudaResult<CUmemoryPool> {
        let create = self.table.mem_pool_create.get()?;
        let props = MemoryPoolProps {
            allocation_type: 1,
            handle_types: 0,
            location_type: 1,
            location_id: device,
            security_attributes: ptr::null_mut(),
            max_bytes: 0,
            reserved: [0; 56],
        };
        let mut pool: CUmemoryPool = ptr::null_mut();
        // SAFETY: both arguments are live for the call; the driver checks the properties.
        check(unsafe { create(&mut pool, &props) })?;
        Ok(pool)
    }

    /// Destroys a memory pool, once its allocations have been freed (`cuMemPoolDestroy`).
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue).
    ///
    /// # Safety
    /// 1. `pool` was returned by [`Driver::create_memory_pool`] and is not used afterwards.
    pub unsafe fn destroy_memory_pool(&self, pool: CUmemoryPool) -> CudaResult<()> {
        let destroy = self.table.mem_pool_destroy.get()?;
        // SAFETY: the caller's guarantee (1).
        check(unsafe { destroy(pool) })
    }

    /// Allocates memory of a pool for use by work queued in `stream` after this call
    /// (`cuMemAllocFromPoolAsync`). Free it with [`Driver::mem_free_async`].
    ///
    /// # Errors
    /// See [`Driver::mem_alloc_async`].
    ///
    /// # Safety
    /// 1. `stream` is live (null is the default stream), and its context is current.
    /// 2. `pool` is a live memory pool.
    pub unsafe fn mem_alloc_from_pool_async(
        &self,
        bytes: usize,
        pool: CUmemoryPool,
        stream: CUstream,
    ) -> CudaResult<CUdeviceptr> {
        let alloc = self.table.mem_alloc_from_pool_async.get()?;
        let mut address: CUdeviceptr = 0;
        // SAFETY: a live stream (1) and pool (2), and a live out-parameter.
        check(unsafe { alloc(&mut address, bytes, pool, stream) })?;
        Ok(address)
    }

    /// Returns the release threshold of a pool in bytes (`cuMemPoolGetAttribute`).
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue).
    ///
    /// # Safety
    /// 1. `pool` is a live memory pool.
    pub unsafe fn pool_release_threshold(&self, pool: CUmemoryPool) -> CudaResult<u64> {
        let get_attribute = self.table.mem_pool_get_attribute.get()?;
        let mut bytes = 0u64;
        // SAFETY: a live pool (1); the value of this attribute is 64 bits wide.
        check(unsafe {
            get_attribute(pool, RELEASE_THRESHOLD, (&raw mut bytes).cast::<c_void>())
        })?;
        Ok(bytes)
    }

    /// Sets the release threshold of a pool in bytes (`cuMemPoolSetAttribute`); `u64::MAX` retains
    /// all memory.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue).
    ///
    /// # Safety
    /// 1. `pool` is a live memory pool.
    pub unsafe fn set_pool_release_threshold(
        &self,
        pool: CUmemoryPool,
        bytes: u64,
    ) -> CudaResult<()> {
        let set_attribute = self.table.mem_pool_set_attribute.get()?;
        let mut value = bytes;
        // SAFETY: a live pool (1); the value of this attribute is 64 bits wide.
        check(unsafe { set_attribute(pool, RELEASE_THRESHOLD, (&raw mut value).cast::<c_void>()) })
    }

    /// Returns unused memory to the system until the pool holds at most `keep` bytes
    /// (`cuMemPoolTrimTo`).
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue).
    ///
    /// # Safety
    /// 1. `pool` is a live memory pool.
    pub unsafe fn trim_pool(&self, pool: CUmemoryPool, keep: usize) -> CudaResult<()> {
        let trim = self.table.mem_pool_trim_to.get()?;
        // SAFETY: a live pool (1).
        check(unsafe { trim(pool, keep) })
    }
}
