//! Manual allocation and deallocation.

use std::ffi::c_void;

use super::{DeviceCopy, DevicePointer, UnifiedPointer, bytes};
use crate::device::{Device, DeviceAttribute};
use crate::driver;
use crate::error::{CudaError, CudaResult};
use crate::stream::Stream;

/// Returns the size of `count` elements in bytes, which must not be 0.
fn nonzero_bytes<T>(count: usize) -> CudaResult<usize> {
    match bytes::array_bytes::<T>(count)? {
        0 => Err(CudaError::InvalidMemoryAllocation),
        size => Ok(size),
    }
}

/// Allocates uninitialized device memory for `count` values in the current context.
///
/// # Errors
/// [`CudaError::OutOfMemory`], [`CudaError::InvalidMemoryAllocation`] for a size of 0 or one that
/// overflows.
///
/// # Safety
/// 1. Values are initialized before they are read.
pub unsafe fn cuda_malloc<T: DeviceCopy>(count: usize) -> CudaResult<DevicePointer<T>> {
    Ok(DevicePointer::from_raw(
        driver()?.mem_alloc(nonzero_bytes::<T>(count)?)?,
    ))
}

/// Allocates uninitialized device memory for `count` values, for use by work queued in `stream`
/// from now on.
///
/// # Errors
/// See [`cuda_malloc`]; [`CudaError::NotSupported`] on a device without memory pools.
///
/// # Safety
/// 1. Values are initialized before they are read.
/// 2. Work in other streams uses the memory only after the work now queued in `stream`.
pub unsafe fn cuda_malloc_async<T: DeviceCopy>(
    stream: &Stream,
    count: usize,
) -> CudaResult<DevicePointer<T>> {
    let size = nonzero_bytes::<T>(count)?;
    let _current = stream.enter()?;
    // SAFETY: a live stream with its context current.
    Ok(DevicePointer::from_raw(unsafe {
        driver()?.mem_alloc_async(size, stream.as_inner())
    }?))
}

/// Frees device memory once the work queued in `stream` so far is complete.
///
/// # Errors
/// [`CudaError::InvalidMemoryAllocation`] for null, and errors of the driver.
///
/// # Safety
/// 1. `p` was returned by [`cuda_malloc_async`] and has not been freed.
/// 2. Work in other streams that uses it is complete, or `stream` waits for it.
/// 3. It is not used afterwards.
pub unsafe fn cuda_free_async<T: DeviceCopy>(
    stream: &Stream,
    p: DevicePointer<T>,
) -> CudaResult<()> {
    if p.is_null() {
        return Err(CudaError::InvalidMemoryAllocation);
    }
    let _current = stream.enter()?;
    // SAFETY: a live stream with its context current; the caller's guarantees (1 to 3).
    unsafe { driver()?.mem_free_async(p.as_raw(), stream.as_inner()) }
}

/// Frees device memory.
///
/// # Errors
/// [`CudaError::InvalidMemoryAllocation`] for null, and errors of the driver.
///
/// # Safety
/// 1. `ptr` was returned by [`cuda_malloc`], or by [`cuda_malloc_async`] and all work on it is
///    complete; its context is current; it has not been freed.
/// 2. It is not used afterwards.
pub unsafe fn cuda_free<T: DeviceCopy>(ptr: DevicePointer<T>) -> CudaResult<()> {
    if ptr.is_null() {
        return Err(CudaError::InvalidMemoryAllocation);
    }
    // SAFETY: the caller's guarantee (1, 2).
    unsafe { driver()?.mem_free(ptr.as_raw()) }
}

/// Allocates uninitialized pinned host memory for `count` values.
///
/// # Errors
/// [`CudaError::OutOfMemory`], [`CudaError::InvalidMemoryAllocation`] for a size of 0 or one that
/// overflows.
///
/// # Safety
/// 1. Values are initialized before they are read.
pub unsafe fn cuda_malloc_locked<T>(count: usize) -> CudaResult<*mut T> {
    // Pinned in every context, so that copies to all devices benefit.
    const PORTABLE: u32 = 1;
    Ok(driver()?
        .mem_host_alloc(nonzero_bytes::<T>(count)?, PORTABLE)?
        .cast::<T>())
}

/// Frees pinned host memory.
///
/// # Errors
/// [`CudaError::InvalidMemoryAllocation`] for null, and errors of the driver.
///
/// # Safety
/// 1. `ptr` was returned by [`cuda_malloc_locked`] and has not been freed.
/// 2. It is not used afterwards, by the host or by pending copies.
pub unsafe fn cuda_free_locked<T>(ptr: *mut T) -> CudaResult<()> {
    if ptr.is_null() {
        return Err(CudaError::InvalidMemoryAllocation);
    }
    // SAFETY: the caller's guarantee (1, 2).
    unsafe { driver()?.mem_free_host(ptr.cast::<c_void>()) }
}

/// Allocates device memory for `height` rows of `width` values and returns the address and the
/// pitch (distance between consecutive rows, in bytes). Free it with [`cuda_free`].
///
/// # Errors
/// See [`cuda_malloc`].
///
/// # Safety
/// 1. Values are initialized before they are read.
pub unsafe fn cuda_malloc_pitched<T: DeviceCopy>(
    width: usize,
    height: usize,
) -> CudaResult<(DevicePointer<T>, usize)> {
    let width = nonzero_bytes::<T>(width)?;
    if height == 0 {
        return Err(CudaError::InvalidMemoryAllocation);
    }
    // size of a thread's access; the driver accepts only these three
    let element = match size_of::<T>() {
        0..8 => 4,
        8..16 => 8,
        _ => 16,
    };
    let (address, pitch) = driver()?.mem_alloc_pitch(width, height, element)?;
    Ok((DevicePointer::from_raw(address), pitch))
}

/// Allocates uninitialized unified memory for `count` values, as described at
/// [`UnifiedBuffer`](super::UnifiedBuffer).
///
/// # Errors
/// See [`cuda_malloc`].
///
/// # Safety
/// 1. Values are initialized before they are read.
pub unsafe fn cuda_malloc_unified<T: DeviceCopy>(count: usize) -> CudaResult<UnifiedPointer<T>> {
    // Mapped into the device's address space, and pinned in every context.
    const PORTABLE_AND_MAPPED: u32 = 3;
    let size = nonzero_bytes::<T>(count)?;
    let driver = driver()?;
    let address = if all_devices_have_concurrent_managed_access()? {
        let address = driver.mem_alloc_managed(size)?;
        std::ptr::with_exposed_provenance_mut::<T>(address as usize)
    } else {
        driver
            .mem_host_alloc(size, PORTABLE_AND_MAPPED)?
            .cast::<T>()
    };
    // SAFETY: unified memory for `count` values.
    Ok(unsafe { UnifiedPointer::wrap(address) })
}

/// Returns `true` if all devices support concurrent managed access: host access to managed memory
/// while kernels run. A single device without it causes page faults on the host.
fn all_devices_have_concurrent_managed_access() -> CudaResult<bool> {
    for device in Device::devices()? {
        let supported = device?.get_attribute(DeviceAttribute::ConcurrentManagedAccess);
        if !supported.is_ok_and(|supported| supported != 0) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Frees unified memory.
///
/// # Errors
/// [`CudaError::InvalidMemoryAllocation`] for null, and errors of the driver.
///
/// # Safety
/// 1. `p` was returned by [`cuda_malloc_unified`] and has not been freed; its context is current.
/// 2. It is not used afterwards, by the host or by pending work.
pub unsafe fn cuda_free_unified<T: DeviceCopy>(p: UnifiedPointer<T>) -> CudaResult<()> {
    // SAFETY: the caller's guarantee (1, 2).
    unsafe { free_unified(p.as_raw_mut()) }
}

/// Frees unified memory at a host pointer; see [`cuda_free_unified`].
///
/// # Safety
/// 1. The conditions of [`cuda_free_unified`] hold.
pub(crate) unsafe fn free_unified<T: DeviceCopy>(address: *mut T) -> CudaResult<()> {
    if address.is_null() {
        return Err(CudaError::InvalidMemoryAllocation);
    }
    let driver = driver()?;
    let on_device = address.expose_provenance() as u64;
    if driver.is_managed(on_device)? {
        // SAFETY: the caller's guarantees (1), for managed memory.
        unsafe { driver.mem_free(on_device) }
    } else {
        // SAFETY: the caller's guarantees (1), for pinned memory.
        unsafe { driver.mem_free_host(address.cast::<c_void>()) }
    }
}
