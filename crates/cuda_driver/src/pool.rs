//! The pool that a device's stream-ordered allocations come from.

use std::ffi::{c_int, c_void};
use std::ptr;

use crate::driver::Driver;
use crate::error::{CudaResult, check};
use crate::types::{CUdevice, CUmemoryPool};

/// Bytes the pool keeps, rather than giving them back to the system at the next synchronisation. A
/// 64-bit value.
const RELEASE_THRESHOLD: c_int = 4;

impl Driver {
    /// `cuDeviceGetDefaultMemPool`. The pool lives as long as the device.
    ///
    /// # Errors
    /// [`CudaError::NotSupported`](crate::CudaError::NotSupported) on a device without pools;
    /// [`CudaError::DriverLacks`](crate::CudaError::DriverLacks) before CUDA 11.2.
    pub fn default_memory_pool(&self, device: CUdevice) -> CudaResult<CUmemoryPool> {
        let get_pool = self.table.device_get_default_mem_pool.get()?;
        let mut pool: CUmemoryPool = ptr::null_mut();
        // SAFETY: `pool` is live for the call; the driver checks the device.
        check(unsafe { get_pool(&mut pool, device) })?;
        Ok(pool)
    }

    /// `cuMemPoolGetAttribute` for the release threshold, in bytes.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue).
    ///
    /// # Safety
    /// 1. `pool` is a live pool.
    pub unsafe fn pool_release_threshold(&self, pool: CUmemoryPool) -> CudaResult<u64> {
        let get_attribute = self.table.mem_pool_get_attribute.get()?;
        let mut bytes = 0u64;
        // SAFETY: a live pool (1); this attribute's value is 64 bits wide.
        check(unsafe {
            get_attribute(pool, RELEASE_THRESHOLD, (&raw mut bytes).cast::<c_void>())
        })?;
        Ok(bytes)
    }

    /// `cuMemPoolSetAttribute` for the release threshold, in bytes; `u64::MAX` keeps everything.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue).
    ///
    /// # Safety
    /// 1. `pool` is a live pool.
    pub unsafe fn set_pool_release_threshold(
        &self,
        pool: CUmemoryPool,
        bytes: u64,
    ) -> CudaResult<()> {
        let set_attribute = self.table.mem_pool_set_attribute.get()?;
        let mut value = bytes;
        // SAFETY: a live pool (1); this attribute's value is 64 bits wide.
        check(unsafe { set_attribute(pool, RELEASE_THRESHOLD, (&raw mut value).cast::<c_void>()) })
    }

    /// `cuMemPoolTrimTo`: gives unused memory back to the system, down to `keep` bytes.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue).
    ///
    /// # Safety
    /// 1. `pool` is a live pool.
    pub unsafe fn trim_pool(&self, pool: CUmemoryPool, keep: usize) -> CudaResult<()> {
        let trim = self.table.mem_pool_trim_to.get()?;
        // SAFETY: a live pool (1).
        check(unsafe { trim(pool, keep) })
    }
}
