//! Memory on the device, pinned memory on the host, memory for both, and copies.
//!
//! | type | where | freed |
//! | --- | --- | --- |
//! | [`DeviceBuffer`] | device | when dropped |
//! | [`DeviceSlice`] | part of a buffer | never: it only points |
//! | [`DevicePointer`] | an address on the device | never |
//! | [`DeviceBox`], [`DeviceVariable`] | one value on the device | when dropped |
//! | [`LockedBuffer`], [`LockedBox`] | pinned on the host: copies from and to it run beside other work | when dropped |
//! | [`UnifiedBuffer`], [`UnifiedBox`] | wherever it is used: host and device take turns | when dropped |
//! | [`UnifiedPointer`] | an address on both | never |
//!
//! Sizes are 64-bit throughout. Empty buffers are allowed and allocate nothing; a size that
//! overflows is
//! [`CudaError::InvalidMemoryAllocation`](crate::error::CudaError::InvalidMemoryAllocation).
//!
//! [`CopyDestination`] copies at once and returns when it is done, in the default stream.
//! [`AsyncCopyDestination`] only queues the copy in a stream, and is `unsafe` because both ends
//! must stay as they are until it is done.

use std::ffi::c_void;

use crate::driver;
use crate::error::CudaResult;
use crate::sys::CUdeviceptr;

mod advise;
mod allocation;
mod buffer;
mod buffer_cast;
mod bytes;
mod copy;
mod copy_2d;
mod device_box;
mod device_copy;
mod fill;
mod host_values;
mod locked;
mod locked_box;
mod malloc;
mod on_device;
mod others_types;
mod pointer;
mod pool;
mod slice;
mod slice_copy;
mod slice_index;
mod unified_box;
mod unified_buffer;
mod unified_pointer;
mod variable;

pub use bytemuck;

pub use advise::MemoryAdvise;
pub use buffer::DeviceBuffer;
pub use copy::{AsyncCopyDestination, CopyDestination};
pub use copy_2d::{memcpy_2d_dtoh, memcpy_2d_htod};
pub use cust_derive::DeviceCopy;
pub use device_box::DeviceBox;
pub use device_copy::{DeviceCopy, argument_address};
pub use locked::LockedBuffer;
pub use locked_box::LockedBox;
pub use malloc::{
    cuda_free, cuda_free_async, cuda_free_locked, cuda_free_unified, cuda_malloc,
    cuda_malloc_async, cuda_malloc_locked, cuda_malloc_pitched, cuda_malloc_unified,
};
pub use on_device::{DeviceMemory, GpuBox, GpuBuffer};
pub use pointer::DevicePointer;
pub use pool::{release_threshold, set_release_threshold, trim_pool};
pub use slice::DeviceSlice;
pub use slice_index::DeviceSliceIndex;
pub use unified_box::UnifiedBox;
pub use unified_buffer::UnifiedBuffer;
pub use unified_pointer::UnifiedPointer;
pub use variable::DeviceVariable;

/// (free, total) bytes of the current context's device.
///
/// # Errors
/// [`CudaError::InvalidContext`](crate::error::CudaError::InvalidContext) where no context is
/// current.
pub fn mem_get_info() -> CudaResult<(usize, usize)> {
    driver()?.mem_info()
}

/// Copies `size` bytes from the host to the device.
///
/// # Errors
/// Those of the driver.
///
/// # Safety
/// 1. `src_ptr` is readable for `size` bytes.
/// 2. `d_ptr` is a device range of `size` bytes of the current context, which no work uses
///    meanwhile.
pub unsafe fn memcpy_htod(
    d_ptr: CUdeviceptr,
    src_ptr: *const c_void,
    size: usize,
) -> CudaResult<()> {
    // SAFETY: the caller's promises (1, 2).
    unsafe { driver()?.copy_to_device(d_ptr, src_ptr, size) }
}

/// Copies `size` bytes from the device to the host. (An addition to the published names.)
///
/// # Errors
/// Those of the driver.
///
/// # Safety
/// 1. `dst_ptr` is writable for `size` bytes.
/// 2. `d_ptr` is a device range of `size` bytes of the current context, which no work writes
///    meanwhile.
pub unsafe fn memcpy_dtoh(dst_ptr: *mut c_void, d_ptr: CUdeviceptr, size: usize) -> CudaResult<()> {
    // SAFETY: the caller's promises (1, 2).
    unsafe { driver()?.copy_to_host(dst_ptr, d_ptr, size) }
}
