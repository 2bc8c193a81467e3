//! Extension traits that copy values and slices to the device.

use crate::error::CudaResult;
use crate::memory::{DeviceBox, DeviceBuffer, DeviceCopy, UnifiedBuffer};

/// Extension of values: copies to the device.
pub trait DeviceCopyExt: DeviceCopy {
    /// Copies the value to the device; see [`DeviceBox::new`].
    ///
    /// # Errors
    /// See [`DeviceBox::new`].
    fn as_dbox(&self) -> CudaResult<DeviceBox<Self>> {
        DeviceBox::new(self)
    }
}

impl<T: DeviceCopy> DeviceCopyExt for T {}

/// Extension of slices: copies to device or unified memory.
pub trait SliceExt<T: DeviceCopy> {
    /// Copies the slice to the device; see [`DeviceBuffer::from_slice`].
    ///
    /// # Errors
    /// See [`DeviceBuffer::from_slice`].
    fn as_dbuf(&self) -> CudaResult<DeviceBuffer<T>>;

    /// Copies the slice to unified memory; see [`UnifiedBuffer::from_slice`].
    ///
    /// # Errors
    /// See [`UnifiedBuffer::from_slice`].
    fn as_unified_buf(&self) -> CudaResult<UnifiedBuffer<T>>;
}

impl<T: DeviceCopy> SliceExt<T> for &[T] {
    fn as_dbuf(&self) -> CudaResult<DeviceBuffer<T>> {
        DeviceBuffer::from_slice(self)
    }

    fn as_unified_buf(&self) -> CudaResult<UnifiedBuffer<T>> {
        UnifiedBuffer::from_slice(self)
    }
}

impl<T: DeviceCopy, const N: usize> SliceExt<T> for [T; N] {
    fn as_dbuf(&self) -> CudaResult<DeviceBuffer<T>> {
        DeviceBuffer::from_slice(self)
    }

    fn as_unified_buf(&self) -> CudaResult<UnifiedBuffer<T>> {
        UnifiedBuffer::from_slice(self)
    }
}
