//! One value on the device.

use std::fmt;

use bytemuck::Zeroable;

use super::{AsyncCopyDestination, CopyDestination, DeviceBuffer, DeviceCopy, DevicePointer};
use crate::error::{CudaResult, DropResult};
use crate::private::Sealed;
use crate::stream::Stream;
use crate::sys::CUdeviceptr;

/// Device memory for one value, freed when dropped: a [`DeviceBuffer`] of length 1.
#[derive(Debug)]
pub struct DeviceBox<T: DeviceCopy> {
    buffer: DeviceBuffer<T>,
}

impl<T: DeviceCopy> DeviceBox<T> {
    /// A copy of `val` in the current context.
    ///
    /// # Errors
    /// As [`DeviceBuffer::from_slice`].
    pub fn new(val: &T) -> CudaResult<Self> {
        Ok(DeviceBox {
            buffer: DeviceBuffer::from_slice(std::slice::from_ref(val))?,
        })
    }

    /// A copy of `val`, made in the order of `stream`.
    ///
    /// # Errors
    /// As [`DeviceBuffer::from_slice_async`].
    ///
    /// # Safety
    /// 1. As [`DeviceBuffer::uninitialized_async`], point 2.
    /// 2. Until the copy is done, `val` is neither changed nor freed.
    pub unsafe fn new_async(val: &T, stream: &Stream) -> CudaResult<Self> {
        // SAFETY: the caller's promises (1, 2).
        let buffer = unsafe { DeviceBuffer::from_slice_async(std::slice::from_ref(val), stream) }?;
        Ok(DeviceBox { buffer })
    }

    /// Memory for a value, not written.
    ///
    /// # Errors
    /// As [`DeviceBuffer::uninitialized`].
    ///
    /// # Safety
    /// 1. What is read was written before.
    pub unsafe fn uninitialized() -> CudaResult<Self> {
        // SAFETY: the caller's promise (1).
        let buffer = unsafe { DeviceBuffer::uninitialized(1) }?;
        Ok(DeviceBox { buffer })
    }

    /// Memory for a value, which work queued in `stream` from here on may use; not written.
    ///
    /// # Errors
    /// As [`DeviceBuffer::uninitialized_async`].
    ///
    /// # Safety
    /// 1. As [`DeviceBuffer::uninitialized_async`], both.
    pub unsafe fn uninitialized_async(stream: &Stream) -> CudaResult<Self> {
        // SAFETY: the caller's promises (1).
        let buffer = unsafe { DeviceBuffer::uninitialized_async(1, stream) }?;
        Ok(DeviceBox { buffer })
    }

    /// [`DeviceBox::from_device`], of the driver's form of the address.
    ///
    /// # Safety
    /// 1. As [`DeviceBox::from_device`], both.
    pub unsafe fn from_raw(ptr: CUdeviceptr) -> Self {
        // SAFETY: the caller's promises (1).
        unsafe { DeviceBox::from_device(DevicePointer::from_raw(ptr)) }
    }

    /// Takes over memory for one value.
    ///
    /// # Safety
    /// 1. As [`DeviceBuffer::from_raw_parts`], both, of one value; or `ptr` came from
    ///    [`DeviceBox::into_device`].
    pub unsafe fn from_device(ptr: DevicePointer<T>) -> Self {
        // SAFETY: the caller's promises (1).
        let buffer = unsafe { DeviceBuffer::from_raw_parts(ptr, 1) };
        DeviceBox { buffer }
    }

    /// Lets go of the memory, which [`DeviceBox::from_device`] takes back and
    /// [`cuda_free`](super::cuda_free) frees.
    pub fn into_device(b: DeviceBox<T>) -> DevicePointer<T> {
        b.buffer.into_raw()
    }

    /// The value, copied to the host.
    ///
    /// # Errors
    /// Those of earlier work.
    pub fn as_host_value(&self) -> CudaResult<T>
    where
        T: Default,
    {
        let mut value = T::default();
        self.copy_to(&mut value)?;
        Ok(value)
    }

    /// Its address.
    pub fn as_device_ptr(&self) -> DevicePointer<T> {
        self.buffer.as_device_ptr()
    }

    /// Frees the memory when the work queued in `stream` so far is done.
    ///
    /// # Errors
    /// As [`DeviceBuffer::drop_async`].
    pub fn drop_async(self, stream: &Stream) -> CudaResult<()> {
        self.buffer.drop_async(stream)
    }

    /// Frees the memory, and returns the result.
    ///
    /// # Errors
    /// The driver's error and the box.
    pub fn drop(dev_box: DeviceBox<T>) -> DropResult<DeviceBox<T>> {
        DeviceBuffer::drop(dev_box.buffer).map_err(|(error, buffer)| (error, DeviceBox { buffer }))
    }
}

impl<T: DeviceCopy + Zeroable> DeviceBox<T> {
    /// A value whose bytes are 0.
    ///
    /// # Errors
    /// As [`DeviceBuffer::zeroed`].
    pub fn zeroed() -> CudaResult<Self> {
        let buffer = DeviceBuffer::zeroed(1)?;
        Ok(DeviceBox { buffer })
    }

    /// [`DeviceBox::zeroed`], in the order of `stream`.
    ///
    /// # Errors
    /// As [`DeviceBuffer::zeroed_async`].
    ///
    /// # Safety
    /// 1. As [`DeviceBuffer::zeroed_async`].
    pub unsafe fn zeroed_async(stream: &Stream) -> CudaResult<Self> {
        // SAFETY: the caller's promise (1).
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
        // SAFETY: the caller's promises.
        unsafe {
            self.buffer
                .async_copy_from(std::slice::from_ref(source), stream)
        }
    }

    unsafe fn async_copy_to(&self, dest: &mut T, stream: &Stream) -> CudaResult<()> {
        // SAFETY: the caller's promises.
        unsafe {
            self.buffer
                .async_copy_to(std::slice::from_mut(dest), stream)
        }
    }
}

impl<T: DeviceCopy> AsyncCopyDestination<DeviceBox<T>> for DeviceBox<T> {
    unsafe fn async_copy_from(&mut self, source: &DeviceBox<T>, stream: &Stream) -> CudaResult<()> {
        // SAFETY: the caller's promises.
        unsafe { self.buffer.async_copy_from(&source.buffer, stream) }
    }

    unsafe fn async_copy_to(&self, dest: &mut DeviceBox<T>, stream: &Stream) -> CudaResult<()> {
        // SAFETY: the caller's promises.
        unsafe { self.buffer.async_copy_to(&mut dest.buffer, stream) }
    }
}
