//! Addresses valid on host and devices.

use std::fmt;

use super::{DeviceCopy, DevicePointer};

/// Address in unified memory, which the host and kernels can dereference. Has the layout of a
/// pointer.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnifiedPointer<T: DeviceCopy>(*mut T);

// SAFETY: an address that the device can dereference.
unsafe impl<T: DeviceCopy> DeviceCopy for UnifiedPointer<T> {}
// SAFETY: an address that is never dereferenced here. (In Rust-CUDA the type is `!Send`.)
unsafe impl<T: DeviceCopy> Send for UnifiedPointer<T> {}
// SAFETY: as above.
unsafe impl<T: DeviceCopy> Sync for UnifiedPointer<T> {}

impl<T: DeviceCopy> fmt::Pointer for UnifiedPointer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Pointer::fmt(&self.0, f)
    }
}

impl<T: DeviceCopy> UnifiedPointer<T> {
    /// Creates a unified pointer.
    ///
    /// # Safety
    /// 1. `ptr` is null, or points into (or one past the end of) unified memory with values of type
    ///    `T`.
    pub unsafe fn wrap(ptr: *mut T) -> Self {
        UnifiedPointer(ptr)
    }

    /// Converts to a constant host pointer.
    pub fn as_raw(self) -> *const T {
        self.0
    }

    /// Converts to a mutable host pointer. (The signature in Rust-CUDA requires `&mut self`.)
    pub fn as_raw_mut(self) -> *mut T {
        self.0
    }

    /// Converts to a device address. (Not part of Rust-CUDA.)
    pub fn as_device_ptr(self) -> DevicePointer<T> {
        DevicePointer::from_raw(self.0.expose_provenance() as u64)
    }

    /// Returns `true` if the pointer is null.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Returns the null pointer.
    pub fn null() -> Self {
        UnifiedPointer(std::ptr::null_mut())
    }

    /// Adds `count` values to the address.
    ///
    /// # Safety
    /// 1. Both addresses are within one allocation, or one past its end.
    pub unsafe fn offset(self, count: isize) -> Self {
        // SAFETY: the caller's guarantee (1).
        UnifiedPointer(unsafe { self.0.offset(count) })
    }

    /// Adds `count` values to the address, with wrapping.
    pub fn wrapping_offset(self, count: isize) -> Self {
        UnifiedPointer(self.0.wrapping_offset(count))
    }

    /// Adds `count` values to the address.
    ///
    /// # Safety
    /// 1. The condition of [`UnifiedPointer::offset`] holds.
    pub unsafe fn add(self, count: usize) -> Self {
        // SAFETY: the caller's guarantee (1).
        UnifiedPointer(unsafe { self.0.add(count) })
    }

    /// Subtracts `count` values from the address.
    ///
    /// # Safety
    /// 1. The condition of [`UnifiedPointer::offset`] holds.
    pub unsafe fn sub(self, count: usize) -> Self {
        // SAFETY: the caller's guarantee (1).
        UnifiedPointer(unsafe { self.0.sub(count) })
    }

    /// Adds `count` values to the address, with wrapping.
    pub fn wrapping_add(self, count: usize) -> Self {
        UnifiedPointer(self.0.wrapping_add(count))
    }

    /// Subtracts `count` values from the address, with wrapping.
    pub fn wrapping_sub(self, count: usize) -> Self {
        UnifiedPointer(self.0.wrapping_sub(count))
    }
}
