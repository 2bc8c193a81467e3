//! Addresses on the device.

use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;

use super::DeviceCopy;
use crate::sys::CUdeviceptr;

/// An address on the device of a value of type `T`. Has the layout of the address, so a kernel
/// takes it as a pointer.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq, PartialOrd, Ord)]
pub struct DevicePointer<T: DeviceCopy> {
    address: CUdeviceptr,
    points_at: PhantomData<*mut T>,
}

// SAFETY: an address on the device, which is where it is for.
unsafe impl<T: DeviceCopy> DeviceCopy for DevicePointer<T> {}

// SAFETY: nothing here follows the address; it is a number. (An addition: the published type stays
// on its thread.)
unsafe impl<T: DeviceCopy> Send for DevicePointer<T> {}
// SAFETY: as above.
unsafe impl<T: DeviceCopy> Sync for DevicePointer<T> {}

impl<T: DeviceCopy> fmt::Pointer for DevicePointer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Pointer::fmt(&self.as_ptr().cast::<c_void>(), f)
    }
}

impl<T: DeviceCopy> DevicePointer<T> {
    /// The driver's form of the address.
    pub fn as_raw(&self) -> CUdeviceptr {
        self.address
    }

    /// From the driver's form. Nothing is checked, and nothing here follows the address; work on
    /// the device may.
    pub fn from_raw(ptr: CUdeviceptr) -> Self {
        DevicePointer {
            address: ptr,
            points_at: PhantomData,
        }
    }

    /// Whether the address is 0.
    pub fn is_null(self) -> bool {
        self.address == 0
    }
}

impl<T: DeviceCopy> DevicePointer<T> {
    /// As a pointer that the host must not follow.
    pub fn as_ptr(&self) -> *const T {
        std::ptr::without_provenance(self.address as usize)
    }

    /// As a pointer that the host must not follow.
    pub fn as_mut_ptr(&self) -> *mut T {
        std::ptr::without_provenance_mut(self.address as usize)
    }

    /// The address 0.
    pub fn null() -> Self {
        DevicePointer::from_raw(0)
    }

    /// The address of the value `count` values on.
    ///
    /// # Safety
    /// 1. Both addresses lie in one allocation, or one past its end.
    pub unsafe fn offset(self, count: isize) -> Self {
        self.wrapping_offset(count)
    }

    /// The address of the value `count` values on, around the end of the addresses if need be.
    pub fn wrapping_offset(self, count: isize) -> Self {
        let bytes = (count as i64).wrapping_mul(size_of::<T>() as i64);
        DevicePointer::from_raw(self.address.wrapping_add_signed(bytes))
    }

    /// The address of the value `count` values on.
    ///
    /// # Safety
    /// 1. As [`DevicePointer::offset`].
    pub unsafe fn add(self, count: usize) -> Self {
        self.wrapping_add(count)
    }

    /// The address of the value `count` values back.
    ///
    /// # Safety
    /// 1. As [`DevicePointer::offset`].
    pub unsafe fn sub(self, count: usize) -> Self {
        self.wrapping_sub(count)
    }

    /// [`DevicePointer::wrapping_offset`] on.
    pub fn wrapping_add(self, count: usize) -> Self {
        self.wrapping_offset(count as isize)
    }

    /// [`DevicePointer::wrapping_offset`] back.
    pub fn wrapping_sub(self, count: usize) -> Self {
        self.wrapping_offset((count as isize).wrapping_neg())
    }

    /// The same address, of another type.
    pub fn cast<U: DeviceCopy>(self) -> DevicePointer<U> {
        DevicePointer::from_raw(self.address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_count_values_beyond_32_bits() {
        let pointer = DevicePointer::<u64>::from_raw(0x7f00_0000_0000);
        assert_eq!(
            pointer.wrapping_add(1 << 33).as_raw(),
            0x7f00_0000_0000 + (1 << 36)
        );
        assert_eq!(pointer.wrapping_add(5).wrapping_sub(5), pointer);
        assert_eq!(pointer.wrapping_offset(-1).as_raw(), 0x7f00_0000_0000 - 8);
        assert!(DevicePointer::<u8>::null().is_null() && !pointer.is_null());
    }

    #[test]
    fn it_is_shown_as_an_address() {
        let pointer = DevicePointer::<u64>::from_raw(0x1230);
        assert_eq!(format!("{pointer:p}"), "0x1230");
        assert_eq!(size_of::<DevicePointer<u64>>(), size_of::<u64>());
    }
}
