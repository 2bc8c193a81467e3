//! What memory for the device has in common.

use super::{DeviceBox, DeviceBuffer, DeviceCopy, DevicePointer, DeviceSlice, DeviceVariable};
use crate::private::Sealed;
use crate::sys::CUdeviceptr;

/// A buffer that a kernel can reach.
#[expect(
    clippy::len_without_is_empty,
    reason = "the published trait has these two"
)]
pub trait GpuBuffer<T: DeviceCopy>: Sealed {
    /// The address of the first element.
    fn as_device_ptr(&self) -> DevicePointer<T>;
    /// The number of elements.
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

/// One value that a kernel can reach.
pub trait GpuBox<T: DeviceCopy>: Sealed {
    /// Its address.
    fn as_device_ptr(&self) -> DevicePointer<T>;
}

impl<T: DeviceCopy> GpuBox<T> for DeviceBox<T> {
    fn as_device_ptr(&self) -> DevicePointer<T> {
        DeviceBox::as_device_ptr(self)
    }
}

/// A range of device memory, of whatever values.
pub trait DeviceMemory {
    /// Where it begins.
    fn as_raw_ptr(&self) -> CUdeviceptr;
    /// How many bytes there are.
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
        // a slice that was made safely is no larger than memory
        self.len().saturating_mul(size_of::<T>())
    }
}
