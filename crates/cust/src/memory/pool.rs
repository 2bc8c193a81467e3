//! Memory pool of the stream-ordered allocator. (Not part of Rust-CUDA.)

use crate::device::Device;
use crate::driver;
use crate::error::CudaResult;

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
