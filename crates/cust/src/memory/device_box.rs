//! Single value in device memory.

use std::fmt;

use bytemuck::Zeroable;

use super::{AsyncCopyDestination, CopyDestination, DeviceBuffer, DeviceCopy, DevicePointer};
use crate::error::{CudaResult, DropResult};
use crate::private::Sealed;
use crate::stream::Stream;
use crate::sys::CUdeviceptr;

/// Device memory for a single value, freed when dropped; like a [`DeviceBuffer`] of length 1.
#[derive(Debug)]
pub struct DeviceBox<T: DeviceCopy> {
    buffer: DeviceBuffer<T>,
}

impl<T: DeviceCopy> DeviceBox<T> {
    /// Copies `val` to the device of the current context.
    ///
    /// # Errors
    /// See [`DeviceBuffer::from_slice`].
    pub fn new(val: &T) -> CudaResult<Self> {
        Ok(DeviceBox {
            buffer: DeviceBuffer::from_slice(std::slice::from_ref(val))?,
        })
    }

    /// Allocates memory for `val` and queues the copy in `stream`.
    ///
    /// # Errors
    /// See [`DeviceBuffer::from_slice_async`].
    ///
    /// # Safety
    /// 1. Condition 2 of [`DeviceBuffer::uninitialized_async`] holds.
    /// 2. Until the copy is complete, `val` is neither modified nor freed.
    pub unsafe fn new_async(val: &T, stream: &Stream) -> CudaResult<Self> {
        // SAFETY: the caller's guarantee (1, 2).
        let buffer = unsafe { DeviceBuffer::from_slice_async(std::slice::from_ref(val), stream) }?;
        Ok(DeviceBox { buffer })
    }

    /// Allocates memory for an uninitialized value.
    ///
    /// # Errors
    /// See [`DeviceBuffer::uninitialized`].
    ///
    /// # Safety
    /// 1. The value is initialized before it is read.
    pub unsafe fn uninitialized() -> CudaResult<Self> {
        // SAFETY: the caller's guarantee (1).
        let buffer = unsafe { DeviceBuffer::uninitialized(1) }?;
        Ok(DeviceBox { buffer })
    }

    /// Allocates memory for an uninitialized value, for use by work queued in `stream` from now on.
    ///
    /// # Errors
    /// See [`DeviceBuffer::uninitialized_async`].
    ///
    /// # Safety
    /// 1. The conditions of [`DeviceBuffer::uninitialized_async`] hold.
    pub unsafe fn uninitialized_async(stream: &Stream) -> CudaResult<Self> {
        // SAFETY: the caller's guarantee (1).
        let buffer = unsafe { DeviceBuffer::uninitialized_async(1, stream) }?;
        Ok(DeviceBox { buffer })
    }

    /// Takes ownership of memory at a raw device address; see [`DeviceBox::from_device`].
    ///
    /// # Safety
    /// 1. The conditions of [`DeviceBox::from_device`] hold.
    pub unsafe fn from_raw(ptr: CUdeviceptr) -> Self {
        // SAFETY: the caller's guarantee (1).
        unsafe { DeviceBox::from_device(DevicePointer::from_raw(ptr)) }
    }

    /// Takes ownership of memory for a single value.
    ///
    /// # Safety
    /// 1. The conditions of [`DeviceBuffer::from_raw_parts`] hold for one value, or `ptr` was
    ///    returned by [`DeviceBox::into_device`].
    pub unsafe fn from_device(ptr: DevicePointer<T>) -> Self {
        // SAFETY: the caller's guarantee (1).
        let buffer = unsafe { DeviceBuffer::from_raw_parts(ptr, 1) };
        DeviceBox { buffer }
    }

    /// Releases ownership of the memory. Reclaim it with [`DeviceBox::from_device`] or free it with
    /// [`cuda_free`](super::cuda_free).
    pub fn into_device(b: DeviceBox<T>) -> DevicePointer<T> {
        b.buffer.into_raw()
    }

    /// Copies the value to the host.
    ///
    /// # Errors
    /// Errors of earlier work.
    pub fn as_host_value(&self) -> CudaResult<T>
    where
        T: Default,
    {
        let mut value = T::default();
        self.copy_to(&mut value)?;
        Ok(value)
    }

    /// Returns the device address.
    pub fn as_device_ptr(&self) -> DevicePointer<T> {
        self.buffer.as_device_ptr()
    }

    /// Frees the memory once the work queued in `stream` so far is complete.
    ///
    /// # Errors
    /// See [`DeviceBuffer::drop_async`].
    pub fn drop_async(self, stream: &Stream) -> CudaResult<()> {
        self.buffer.drop_async(stream)
    }

    /// Frees the memory and returns the result.
    ///
    /// # Errors
    /// The driver's error and the box.
    pub fn drop(dev_box: DeviceBox<T>) -> DropResult<DeviceBox<T>> {
        DeviceBuffer::drop(dev_box.buffer).map_err(|(error, buffer)| (error, DeviceBox { buffer }))
    }
}

impl<T: DeviceCopy + Zeroable> DeviceBox<T> {
    /// Allocates a value whose bytes are zero.
    ///
    /// # Errors
    /// See [`DeviceBuffer::zeroed`].
    pub fn zeroed() -> CudaResult<Self> {
        let buffer = DeviceBuffer::zeroed(1)?;
        Ok(DeviceBox { buffer })
    }

    /// Allocates a value and queues zeroing it in `stream`.
    ///
    /// # Errors
    /// See [`DeviceBuffer::zeroed_async`].
    ///
    /// # Safety
    /// 1. The conditions of [`DeviceBuffer::zeroed_async`] hold.
    pub unsafe fn zeroed_async(stream: &Stream) -> CudaResult<Self> {
        // SAFETY: the caller's guarantee (1).
        let buffer = unsafe { DeviceBuffer::zeroed_async(1, stream) }?;
        Ok(DeviceBox { buffer })
    }
}

impl<T: DeviceCopy> fmt::Pointer for DeviceBox<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Pointer::fmt(&self.as_device_ptr(), f)
    }
}

impl<T: DeviceCopy> Sealed for DeviceBox<T> {}

impl<T: DeviceCopy> CopyDestination<T> for DeviceBox<T> {
    fn copy_from(&mut self, source: &T) -> CudaResult<()> {
        self.buffer.copy_from(std::slice::from_ref(source))
    }

    fn copy_to(&self, dest: &mut T) -> CudaResult<()> {
        self.buffer.copy_to(std::slice::from_mut(dest))
    }
}

impl<T: DeviceCopy> CopyDestination<DeviceBox<T>> for DeviceBox<T> {
    fn copy_from(&mut self, source: &DeviceBox<T>) -> CudaResult<()> {
        self.buffer.copy_from(&source.buffer)
    }

    fn copy_to(&self, dest: &mut DeviceBox<T>) -> CudaResult<()> {
        self.buffer.copy_to(&mut dest.buffer)
    }
}

impl<T: DeviceCopy> AsyncCopyDestination<T> for DeviceBox<T> {
    unsafe fn async_copy_from(&mut self, source: &T, stream: &Stream) -> CudaResult<()> {
        // SAFETY: the caller's guarantees.
        unsafe {
            self.buffer
                .async_copy_from(std::slice::from_ref(source), stream)
        }
    }

    unsafe fn async_copy_to(&self, dest: &mut T, stream: &Stream) -> CudaResult<()> {
        // SAFETY: the caller's guarantees.
        unsafe {
            self.buffer
                .async_copy_to(std::slice::from_mut(dest), stream)
        }
    }
}

impl<T: DeviceCopy> AsyncCopyDestination<DeviceBox<T>> for DeviceBox<T> {
    unsafe fn async_copy_from(&mut self, source: &DeviceBox<T>, stream: &Stream) -> CudaResult<()> {
        // SAFETY: the caller's guarantees.
        unsafe { self.buffer.async_copy_from(&source.buffer, stream) }
    }

    unsafe fn async_copy_to(&self, dest: &mut DeviceBox<T>, stream: &Stream) -> CudaResult<()> {
        // SAFETY: the caller's guarantees.
        unsafe { self.buffer.async_copy_to(&mut dest.buffer, stream) }
    }
}
