//! Addresses that mean the same on the host and on devices.

use std::fmt;

use super::{DeviceCopy, DevicePointer};

/// An address in unified memory: the host may follow it, and so may a kernel that it is passed to.
/// Has the layout of a pointer.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnifiedPointer<T: DeviceCopy>(*mut T);

// SAFETY: an address that the device may follow.
unsafe impl<T: DeviceCopy> DeviceCopy for UnifiedPointer<T> {}
// SAFETY: nothing here follows the address; who does answers for it. (An addition: the published
// type stays on its thread.)
unsafe impl<T: DeviceCopy> Send for UnifiedPointer<T> {}
// SAFETY: as above.
unsafe impl<T: DeviceCopy> Sync for UnifiedPointer<T> {}

impl<T: DeviceCopy> fmt::Pointer for UnifiedPointer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Pointer::fmt(&self.0, f)
    }
}

impl<T: DeviceCopy> UnifiedPointer<T> {
    /// A pointer that is known to be unified.
    ///
    /// # Safety
    /// 1. `ptr` is null, or points into (or one past the end of) unified memory that holds values
    ///    of type `T`.
    pub unsafe fn wrap(ptr: *mut T) -> Self {
        UnifiedPointer(ptr)
    }

    /// As a pointer of the host.
    pub fn as_raw(self) -> *const T {
        self.0
    }

    /// As a pointer of the host. (The published signature asks for `&mut self`.)
    pub fn as_raw_mut(self) -> *mut T {
        self.0
    }

    /// As an address for the device. (An addition to the published names.)
    pub fn as_device_ptr(self) -> DevicePointer<T> {
        DevicePointer::from_raw(self.0.expose_provenance() as u64)
    }

    /// Whether it is null.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The null pointer.
    pub fn null() -> Self {
        UnifiedPointer(std::ptr::null_mut())
    }

    /// The address of the value `count` values on.
    ///
    /// # Safety
    /// 1. Both addresses lie in one allocation, or one past its end.
    pub unsafe fn offset(self, count: isize) -> Self {
        // SAFETY: the caller's promise (1).
        UnifiedPointer(unsafe { self.0.offset(count) })
    }

    /// The address of the value `count` values on, around the end of the addresses if need be.
    pub fn wrapping_offset(self, count: isize) -> Self {
        UnifiedPointer(self.0.wrapping_offset(count))
    }

    /// The address of the value `count` values on.
    ///
    /// # Safety
    /// 1. As [`UnifiedPointer::offset`].
    pub unsafe fn add(self, count: usize) -> Self {
        // SAFETY: the caller's promise (1).
        UnifiedPointer(unsafe { self.0.add(count) })
    }

    /// The address of the value `count` values back.
    ///
    /// # Safety
    /// 1. As [`UnifiedPointer::offset`].
    pub unsafe fn sub(self, count: usize) -> Self {
        // SAFETY: the caller's promise (1).
        UnifiedPointer(unsafe { self.0.sub(count) })
    }

    /// [`UnifiedPointer::wrapping_offset`] on.
    pub fn wrapping_add(self, count: usize) -> Self {
        UnifiedPointer(self.0.wrapping_add(count))
    }

    /// [`UnifiedPointer::wrapping_offset`] back.
    pub fn wrapping_sub(self, count: usize) -> Self {
        UnifiedPointer(self.0.wrapping_sub(count))
    }
}
