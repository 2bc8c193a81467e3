//! Traits common to all device-accessible memory.

use super::{DeviceBox, DeviceBuffer, DeviceCopy, DevicePointer, DeviceSlice, DeviceVariable};
use crate::private::Sealed;
use crate::sys::CUdeviceptr;

/// Buffer that kernels can access.
#[expect(
    clippy::len_without_is_empty,
    reason = "the trait of Rust-CUDA has these two methods"
)]
pub trait GpuBuffer<T: DeviceCopy>: Sealed {
    /// Returns the device address of the first element.
    fn as_device_ptr(&self) -> DevicePointer<T>;
    /// Returns the number of elements.
    fn len(&self) -> usize;
}

impl<T: DeviceCopy> Sealed for DeviceBuffer<T> {}
impl<T: DeviceCopy> GpuBuffer<T> for DeviceBuffer<T> {
    fn as_device_ptr(&self) -> DevicePointer<T> {
        self.as_slice().as_device_ptr()
    }

    fn len(&self) -> usize {
        self.as_slice().len()
    }
}

/// Single value that kernels can access.
pub trait GpuBox<T: DeviceCopy>: Sealed {
    /// Returns the device address.
    fn as_device_ptr(&self) -> DevicePointer<T>;
}

impl<T: DeviceCopy> GpuBox<T> for DeviceBox<T> {
    fn as_device_ptr(&self) -> DevicePointer<T> {
        DeviceBox::as_device_ptr(self)
    }
}

/// Range of device memory, independent of its element type.
pub trait DeviceMemory {
    /// Returns the start address.
    fn as_raw_ptr(&self) -> CUdeviceptr;
    /// Returns the size in bytes.
    fn size_in_bytes(&self) -> usize;
}

impl<T: DeviceCopy> DeviceMemory for DeviceBox<T> {
    fn as_raw_ptr(&self) -> CUdeviceptr {
        self.as_device_ptr().as_raw()
    }

    fn size_in_bytes(&self) -> usize {
        size_of::<T>()
    }
}

impl<T: DeviceCopy> DeviceMemory for DeviceVariable<T> {
    fn as_raw_ptr(&self) -> CUdeviceptr {
        self.as_device_ptr().as_raw()
    }

    fn size_in_bytes(&self) -> usize {
        size_of::<T>()
    }
}

impl<T: DeviceCopy> DeviceMemory for DeviceBuffer<T> {
    fn as_raw_ptr(&self) -> CUdeviceptr {
        self.as_slice().as_raw_ptr()
    }

    fn size_in_bytes(&self) -> usize {
        self.as_slice().size_in_bytes()
    }
}

impl<T: DeviceCopy> DeviceMemory for DeviceSlice<T> {
    fn as_raw_ptr(&self) -> CUdeviceptr {
        self.as_device_ptr().as_raw()
    }

    fn size_in_bytes(&self) -> usize {
        // a slice created by safe code is at most as large as memory
        self.len().saturating_mul(size_of::<T>())
    }
}
