//! Allocation without owners.

use std::ffi::c_void;

use super::{DeviceCopy, DevicePointer, bytes};
use crate::driver;
use crate::error::{CudaError, CudaResult};
use crate::stream::Stream;

/// Bytes of `count` elements, of which there must be some.
fn some_bytes<T>(count: usize) -> CudaResult<usize> {
    match bytes::of::<T>(count)? {
        0 => Err(CudaError::InvalidMemoryAllocation),
        size => Ok(size),
    }
}

/// Allocates device memory for `count` values in the current context, not cleared.
///
/// # Errors
/// [`CudaError::OutOfMemory`], [`CudaError::InvalidMemoryAllocation`] for a size of 0 or one that overflows.
///
/// # Safety
/// 1. What is read was written before.
pub unsafe fn cuda_malloc<T: DeviceCopy>(count: usize) -> CudaResult<DevicePointer<T>> {
    Ok(DevicePointer::from_raw(
        driver()?.mem_alloc(some_bytes::<T>(count)?)?,
    ))
}

/// Allocates device memory for `count` values, which work queued in `stream` from here on may use.
///
/// # Errors
/// As [`cuda_malloc`], [`CudaError::NotSupported`] on a device without memory pools.
///
/// # Safety
/// 1. What is read was written before.
/// 2. Work in other streams uses the memory only after what is queued in `stream` now.
pub unsafe fn cuda_malloc_async<T: DeviceCopy>(
    stream: &Stream,
    count: usize,
) -> CudaResult<DevicePointer<T>> {
    let size = some_bytes::<T>(count)?;
    let _current = stream.enter()?;
    // SAFETY: a live stream, its context current.
    Ok(DevicePointer::from_raw(unsafe {
        driver()?.mem_alloc_async(size, stream.as_inner())
    }?))
}

/// Frees device memory when the work queued in `stream` so far is done.
///
/// # Errors
/// [`CudaError::InvalidMemoryAllocation`] for null, and those of the driver.
///
/// # Safety
/// 1. `p` came from [`cuda_malloc_async`], and was not freed since.
/// 2. Work in other streams that uses it is done, or `stream` was made to wait for it.
/// 3. It is not used afterwards.
pub unsafe fn cuda_free_async<T: DeviceCopy>(
    stream: &Stream,
    p: DevicePointer<T>,
) -> CudaResult<()> {
    if p.is_null() {
        return Err(CudaError::InvalidMemoryAllocation);
    }
    let _current = stream.enter()?;
    // SAFETY: a live stream, its context current; the rest is the caller's promise (1 to 3).
    unsafe { driver()?.mem_free_async(p.as_raw(), stream.as_inner()) }
}

/// Frees device memory.
///
/// # Errors
/// [`CudaError::InvalidMemoryAllocation`] for null, and those of the driver.
///
/// # Safety
/// 1. `ptr` came from [`cuda_malloc`], or from [`cuda_malloc_async`] and all work on it is done; its context is current; it was not freed
///    since.
/// 2. It is not used afterwards.
pub unsafe fn cuda_free<T: DeviceCopy>(ptr: DevicePointer<T>) -> CudaResult<()> {
    if ptr.is_null() {
        return Err(CudaError::InvalidMemoryAllocation);
    }
    // SAFETY: the caller's promises (1, 2).
    unsafe { driver()?.mem_free(ptr.as_raw()) }
}

/// Allocates pinned host memory for `count` values, not cleared.
///
/// # Errors
/// [`CudaError::OutOfMemory`], [`CudaError::InvalidMemoryAllocation`] for a size of 0 or one that overflows.
///
/// # Safety
/// 1. What is read was written before.
pub unsafe fn cuda_malloc_locked<T>(count: usize) -> CudaResult<*mut T> {
    // Pinned for every context, so that copies to each device can make use of it.
    const PORTABLE: u32 = 1;
    Ok(driver()?
        .mem_host_alloc(some_bytes::<T>(count)?, PORTABLE)?
        .cast::<T>())
}

/// Frees pinned host memory.
///
/// # Errors
/// [`CudaError::InvalidMemoryAllocation`] for null, and those of the driver.
///
/// # Safety
/// 1. `ptr` came from [`cuda_malloc_locked`] and was not freed since.
/// 2. It is not used afterwards, by the host or by copies still under way.
pub unsafe fn cuda_free_locked<T>(ptr: *mut T) -> CudaResult<()> {
    if ptr.is_null() {
        return Err(CudaError::InvalidMemoryAllocation);
    }
    // SAFETY: the caller's promises (1, 2).
    unsafe { driver()?.mem_free_host(ptr.cast::<c_void>()) }
}
