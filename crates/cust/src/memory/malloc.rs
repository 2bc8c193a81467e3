//! Allocation without owners.

use std::ffi::c_void;

use super::{DeviceCopy, DevicePointer, UnifiedPointer, bytes};
use crate::device::{Device, DeviceAttribute};
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
/// [`CudaError::OutOfMemory`], [`CudaError::InvalidMemoryAllocation`] for a size of 0 or one that
/// overflows.
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
/// 1. `ptr` came from [`cuda_malloc`], or from [`cuda_malloc_async`] and all work on it is done;
///    its context is current; it was not freed since.
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
/// [`CudaError::OutOfMemory`], [`CudaError::InvalidMemoryAllocation`] for a size of 0 or one that
/// overflows.
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

/// Allocates device memory for `height` rows of `width` values each, and gives the bytes from row
/// to row; [`cuda_free`] frees it.
///
/// # Errors
/// As [`cuda_malloc`].
///
/// # Safety
/// 1. What is read was written before.
pub unsafe fn cuda_malloc_pitched<T: DeviceCopy>(
    width: usize,
    height: usize,
) -> CudaResult<(DevicePointer<T>, usize)> {
    let width = some_bytes::<T>(width)?;
    if height == 0 {
        return Err(CudaError::InvalidMemoryAllocation);
    }
    // What a thread reads at a time; the driver knows these three.
    let element = match size_of::<T>() {
        0..8 => 4,
        8..16 => 8,
        _ => 16,
    };
    let (address, pitch) = driver()?.mem_alloc_pitch(width, height, element)?;
    Ok((DevicePointer::from_raw(address), pitch))
}

/// Allocates unified memory for `count` values, not cleared: as
/// [`UnifiedBuffer`](super::UnifiedBuffer) has it.
///
/// # Errors
/// As [`cuda_malloc`].
///
/// # Safety
/// 1. What is read was written before.
pub unsafe fn cuda_malloc_unified<T: DeviceCopy>(count: usize) -> CudaResult<UnifiedPointer<T>> {
    // The device may reach it, and every context counts it as pinned.
    const PORTABLE_AND_MAPPED: u32 = 3;
    let size = some_bytes::<T>(count)?;
    let driver = driver()?;
    let address = if all_devices_share_memory()? {
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

/// Whether the host may use managed memory while kernels run. One device on which it may not is
/// enough for a page fault.
fn all_devices_share_memory() -> CudaResult<bool> {
    for device in Device::devices()? {
        let shares = device?.get_attribute(DeviceAttribute::ConcurrentManagedAccess);
        if !shares.is_ok_and(|shares| shares != 0) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Frees unified memory.
///
/// # Errors
/// [`CudaError::InvalidMemoryAllocation`] for null, and those of the driver.
///
/// # Safety
/// 1. `p` came from [`cuda_malloc_unified`] and was not freed since; its context is current.
/// 2. It is not used afterwards, by the host or by work still under way.
pub unsafe fn cuda_free_unified<T: DeviceCopy>(p: UnifiedPointer<T>) -> CudaResult<()> {
    // SAFETY: the caller's promises (1, 2).
    unsafe { free_unified(p.as_raw_mut()) }
}

/// [`cuda_free_unified`], of a pointer of the host.
///
/// # Safety
/// 1. As [`cuda_free_unified`], both.
pub(crate) unsafe fn free_unified<T: DeviceCopy>(address: *mut T) -> CudaResult<()> {
    if address.is_null() {
        return Err(CudaError::InvalidMemoryAllocation);
    }
    let driver = driver()?;
    let on_device = address.expose_provenance() as u64;
    if driver.is_managed(on_device)? {
        // SAFETY: the caller's promises (1), of managed memory.
        unsafe { driver.mem_free(on_device) }
    } else {
        // SAFETY: the caller's promises (1), of pinned memory.
        unsafe { driver.mem_free_host(address.cast::<c_void>()) }
    }
}
