//! Memory pools of the stream-ordered allocator. (Not part of Rust-CUDA.)

use crate::device::Device;
use crate::driver;
use crate::error::CudaResult;
use crate::sys::CUmemoryPool;

/// A memory pool apart from the device's own, which other libraries of the process use too. When
/// dropped, it is destroyed as soon as its last buffer is freed.
#[derive(Debug)]
pub struct MemoryPool {
    raw: CUmemoryPool,
}

// SAFETY: the driver allows a pool to be used from any thread.
unsafe impl Send for MemoryPool {}
// SAFETY: as above; the driver synchronizes internally.
unsafe impl Sync for MemoryPool {}

impl MemoryPool {
    /// Creates a pool for memory of `device`.
    ///
    /// # Errors
    /// [`CudaError::NotSupported`](crate::error::CudaError::NotSupported) on a device without
    /// memory pools, [`CudaError::MissingFunction`](crate::error::CudaError::MissingFunction) with
    /// a driver before CUDA 11.2.
    pub fn new(device: Device) -> CudaResult<Self> {
        Ok(Self {
            raw: driver()?.create_memory_pool(device.as_raw())?,
        })
    }

    /// Sets the number of bytes that the pool retains when a stream, event or context is
    /// synchronized, as [`set_release_threshold`] does for the device's pool.
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn set_release_threshold(&self, bytes: u64) -> CudaResult<()> {
        // SAFETY: the pool is live.
        unsafe { driver()?.set_pool_release_threshold(self.raw, bytes) }
    }

    /// Returns unused memory to the system until the pool holds at most `keep` bytes.
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn trim(&self, keep: usize) -> CudaResult<()> {
        // SAFETY: the pool is live.
        unsafe { driver()?.trim_pool(self.raw, keep) }
    }

    /// Returns the driver's handle, valid as long as the pool.
    pub(crate) fn raw(&self) -> CUmemoryPool {
        self.raw
    }
}

impl Drop for MemoryPool {
    fn drop(&mut self) {
        if let Ok(driver) = driver() {
            // SAFETY: created by `new`, and not used again. An error cannot be reported here.
            let _ = unsafe { driver.destroy_memory_pool(self.raw) };
        }
    }
}

/// Returns the release threshold of the device's pool in bytes: the amount of memory that the pool
/// retains when a stream, event or context is synchronized. Unused memory beyond it is returned to
/// the system.
///
/// # Errors
/// [`CudaError::NotSupported`](crate::error::CudaError::NotSupported) on a device without memory
/// pools.
pub fn release_threshold(device: Device) -> CudaResult<u64> {
    let driver = driver()?;
    let pool = driver.default_memory_pool(device.as_raw())?;
    // SAFETY: a default pool lives as long as its device.
    unsafe { driver.pool_release_threshold(pool) }
}

/// Sets the [`release_threshold`] of the device's pool. With the driver's default of 0, every
/// allocation after a synchronization is slow; programs that allocate repeatedly should set what
/// they can spare, or `u64::MAX`.
///
/// # Errors
/// See [`release_threshold`].
pub fn set_release_threshold(device: Device, bytes: u64) -> CudaResult<()> {
    let driver = driver()?;
    let pool = driver.default_memory_pool(device.as_raw())?;
    // SAFETY: a default pool lives as long as its device.
    unsafe { driver.set_pool_release_threshold(pool, bytes) }
}

/// Returns unused memory of the device's pool to the system until it holds at most `keep` bytes.
///
/// # Errors
/// See [`release_threshold`].
pub fn trim_pool(device: Device, keep: usize) -> CudaResult<()> {
    let driver = driver()?;
    let pool = driver.default_memory_pool(device.as_raw())?;
    // SAFETY: a default pool lives as long as its device.
    unsafe { driver.trim_pool(pool, keep) }
}
