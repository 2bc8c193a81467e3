//! Device addresses.

use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;

use super::DeviceCopy;
use crate::sys::CUdeviceptr;

/// Device address of a value of type `T`. Has the layout of the address, so that kernels receive it
/// as a pointer.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq, PartialOrd, Ord)]
pub struct DevicePointer<T: DeviceCopy> {
    address: CUdeviceptr,
    points_at: PhantomData<*mut T>,
}

// SAFETY: a device address, which is meaningful on the device.
unsafe impl<T: DeviceCopy> DeviceCopy for DevicePointer<T> {}

// SAFETY: an integer that is never dereferenced here. (In Rust-CUDA the type is `!Send`.)
unsafe impl<T: DeviceCopy> Send for DevicePointer<T> {}
// SAFETY: as above.
unsafe impl<T: DeviceCopy> Sync for DevicePointer<T> {}

impl<T: DeviceCopy> fmt::Pointer for DevicePointer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Pointer::fmt(&self.as_ptr().cast::<c_void>(), f)
    }
}

impl<T: DeviceCopy> DevicePointer<T> {
    /// Returns the raw device address.
    pub fn as_raw(&self) -> CUdeviceptr {
        self.address
    }

    /// Creates a pointer from a raw device address. The address is not checked, and never
    /// dereferenced on the host.
    pub fn from_raw(ptr: CUdeviceptr) -> Self {
        DevicePointer {
            address: ptr,
            points_at: PhantomData,
        }
    }

    /// Returns `true` if the address is 0.
    pub fn is_null(self) -> bool {
        self.address == 0
    }
}

impl<T: DeviceCopy> DevicePointer<T> {
    /// Converts to a constant pointer, which must not be dereferenced on the host.
    pub fn as_ptr(&self) -> *const T {
        std::ptr::without_provenance(self.address as usize)
    }

    /// Converts to a mutable pointer, which must not be dereferenced on the host.
    pub fn as_mut_ptr(&self) -> *mut T {
        std::ptr::without_provenance_mut(self.address as usize)
    }

    /// Returns the address 0.
    pub fn null() -> Self {
        DevicePointer::from_raw(0)
    }

    /// Adds `count` values to the address.
    ///
    /// # Safety
    /// 1. Both addresses are within one allocation, or one past its end.
    pub unsafe fn offset(self, count: isize) -> Self {
        self.wrapping_offset(count)
    }

    /// Adds `count` values to the address, with wrapping.
    pub fn wrapping_offset(self, count: isize) -> Self {
        let bytes = (count as i64).wrapping_mul(size_of::<T>() as i64);
        DevicePointer::from_raw(self.address.wrapping_add_signed(bytes))
    }

    /// Adds `count` values to the address.
    ///
    /// # Safety
    /// 1. The condition of [`DevicePointer::offset`] holds.
    pub unsafe fn add(self, count: usize) -> Self {
        self.wrapping_add(count)
    }

    /// Subtracts `count` values from the address.
    ///
    /// # Safety
    /// 1. The condition of [`DevicePointer::offset`] holds.
    pub unsafe fn sub(self, count: usize) -> Self {
        self.wrapping_sub(count)
    }

    /// Adds `count` values to the address, with wrapping.
    pub fn wrapping_add(self, count: usize) -> Self {
        self.wrapping_offset(count as isize)
    }

    /// Subtracts `count` values from the address, with wrapping.
    pub fn wrapping_sub(self, count: usize) -> Self {
        self.wrapping_offset((count as isize).wrapping_neg())
    }

    /// Casts to a pointer of another type.
    pub fn cast<U: DeviceCopy>(self) -> DevicePointer<U> {
        DevicePointer::from_raw(self.address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_in_values_and_exceed_32_bits() {
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
    fn pointer_format_shows_the_address() {
        let pointer = DevicePointer::<u64>::from_raw(0x1230);
        assert_eq!(format!("{pointer:p}"), "0x1230");
        assert_eq!(size_of::<DevicePointer<u64>>(), size_of::<u64>());
    }
}
