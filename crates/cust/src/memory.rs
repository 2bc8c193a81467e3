//! Device memory, pinned host memory, unified memory, and copies.
//!
//! | type | location | freed |
//! | --- | --- | --- |
//! | [`DeviceBuffer`] | device | when dropped |
//! | [`DeviceSlice`] | part of a buffer | does not own its memory |
//! | [`DevicePointer`] | device address | does not own its memory |
//! | [`DeviceBox`], [`DeviceVariable`] | a single value on the device | when dropped |
//! | [`LockedBuffer`], [`LockedBox`] | pinned host memory, for asynchronous copies | when dropped |
//! | [`UnifiedBuffer`], [`UnifiedBox`] | unified memory of host and device | when dropped |
//! | [`UnifiedPointer`] | address valid on host and device | does not own its memory |
//!
//! Sizes are 64-bit. Empty buffers are allowed and allocate nothing; a size that overflows is
//! [`CudaError::InvalidMemoryAllocation`](crate::error::CudaError::InvalidMemoryAllocation).
//!
//! [`CopyDestination`] copies synchronously in the default stream. [`AsyncCopyDestination`] queues
//! a copy in a stream, and is `unsafe` because both sides must stay valid and unchanged until the
//! copy is complete.

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
mod device_memory;
mod fill;
mod foreign_types;
mod host_values;
mod locked;
mod locked_box;
mod malloc;
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
pub use device_memory::{DeviceMemory, GpuBox, GpuBuffer};
pub use locked::LockedBuffer;
pub use locked_box::LockedBox;
pub use malloc::{
    cuda_free, cuda_free_async, cuda_free_locked, cuda_free_unified, cuda_malloc,
    cuda_malloc_async, cuda_malloc_locked, cuda_malloc_pitched, cuda_malloc_unified,
};
pub use pointer::DevicePointer;
pub use pool::{MemoryPool, release_threshold, set_release_threshold, trim_pool};
pub use slice::DeviceSlice;
pub use slice_index::DeviceSliceIndex;
pub use unified_box::UnifiedBox;
pub use unified_buffer::UnifiedBuffer;
pub use unified_pointer::UnifiedPointer;
pub use variable::DeviceVariable;

/// Returns the free and the total memory of the current context's device, in bytes.
///
/// # Errors
/// [`CudaError::InvalidContext`](crate::error::CudaError::InvalidContext) if no context is current.
pub fn mem_get_info() -> CudaResult<(usize, usize)> {
    driver()?.mem_info()
}

/// Returns the index of the device whose memory contains the address. (Not part of Rust-CUDA.)
///
/// # Errors
/// [`CudaError::InvalidValue`](crate::error::CudaError::InvalidValue) for an address unknown to the
/// driver.
pub fn device_ordinal_at(address: CUdeviceptr) -> CudaResult<i32> {
    driver()?.pointer_device_ordinal(address)
}

/// Copies `size` bytes from the host to the device.
///
/// # Errors
/// Errors of the driver.
///
/// # Safety
/// 1. `src_ptr` is readable for `size` bytes.
/// 2. `d_ptr` is a device range of `size` bytes in the current context, which no work uses during
///    the copy.
pub unsafe fn memcpy_htod(
    d_ptr: CUdeviceptr,
    src_ptr: *const c_void,
    size: usize,
) -> CudaResult<()> {
    // SAFETY: the caller's guarantees (1, 2).
    unsafe { driver()?.copy_to_device(d_ptr, src_ptr, size) }
}

/// Copies `size` bytes from the device to the host. (Not part of Rust-CUDA.)
///
/// # Errors
/// Errors of the driver.
///
/// # Safety
/// 1. `dst_ptr` is writable for `size` bytes.
/// 2. `d_ptr` is a device range of `size` bytes in the current context, which no work writes during
///    the copy.
pub unsafe fn memcpy_dtoh(dst_ptr: *mut c_void, d_ptr: CUdeviceptr, size: usize) -> CudaResult<()> {
    // SAFETY: the caller's guarantees (1, 2).
    unsafe { driver()?.copy_to_host(dst_ptr, d_ptr, size) }
}
