//! The pool that a device's stream-ordered allocations come from. (Additions to the published
//! names.)

use crate::device::Device;
use crate::driver;
use crate::error::CudaResult;

/// Bytes that the device's pool keeps when a stream, event or context is synchronised; what is
/// unused beyond goes back to the system.
///
/// # Errors
/// [`CudaError::NotSupported`](crate::error::CudaError::NotSupported) on a device without pools.
pub fn release_threshold(device: Device) -> CudaResult<u64> {
    let driver = driver()?;
    let pool = driver.default_memory_pool(device.as_raw())?;
    // SAFETY: a default pool lives as long as its device.
    unsafe { driver.pool_release_threshold(pool) }
}

/// Sets [`release_threshold`]. The driver's default of 0 makes every allocation after a
/// synchronisation slow; a program that allocates again and again sets what it can spare, or
/// `u64::MAX`.
///
/// # Errors
/// As [`release_threshold`].
pub fn set_release_threshold(device: Device, bytes: u64) -> CudaResult<()> {
    let driver = driver()?;
    let pool = driver.default_memory_pool(device.as_raw())?;
    // SAFETY: a default pool lives as long as its device.
    unsafe { driver.set_pool_release_threshold(pool, bytes) }
}

/// Gives unused memory of the device's pool back to the system, down to `keep` bytes.
///
/// # Errors
/// As [`release_threshold`].
pub fn trim_pool(device: Device, keep: usize) -> CudaResult<()> {
    let driver = driver()?;
    let pool = driver.default_memory_pool(device.as_raw())?;
    // SAFETY: a default pool lives as long as its device.
    unsafe { driver.trim_pool(pool, keep) }
}
