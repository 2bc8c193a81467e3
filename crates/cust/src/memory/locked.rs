//! Pinned (page-locked) host memory.

use std::ops::{Deref, DerefMut};

use super::DeviceCopy;
use super::host_values::{HostValues, Kind};
use crate::error::{CudaResult, DropResult};

/// Array in pinned host memory, freed when dropped. The system does not page it out, so that the
/// device can access it directly for copies. Pinned memory is a limited resource of the whole
/// machine; keep buffers small and reuse them.
#[derive(Debug)]
pub struct LockedBuffer<T: DeviceCopy> {
    values: HostValues<T>,
}

impl<T: DeviceCopy> LockedBuffer<T> {
    /// Allocates `size` copies of `value`.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`](crate::error::CudaError::OutOfMemory),
    /// [`CudaError::InvalidMemoryAllocation`](crate::error::CudaError::InvalidMemoryAllocation) for
    /// a size that overflows,
    /// [`CudaError::InvalidContext`](crate::error::CudaError::InvalidContext) if no context is
    /// current.
    pub fn new(value: &T, size: usize) -> CudaResult<Self> {
        let values = HostValues::filled(Kind::Locked, value, size)?;
        Ok(LockedBuffer { values })
    }

    /// Allocates a copy of `slice`.
    ///
    /// # Errors
    /// See [`LockedBuffer::new`].
    pub fn from_slice(slice: &[T]) -> CudaResult<Self> {
        let values = HostValues::copied(Kind::Locked, slice)?;
        Ok(LockedBuffer { values })
    }

    /// Allocates `size` uninitialized values.
    ///
    /// # Errors
    /// See [`LockedBuffer::new`].
    ///
    /// # Safety
    /// 1. Every value is initialized, through a pointer or by a copy from the device, before the
    ///    buffer is used as a slice.
    pub unsafe fn uninitialized(size: usize) -> CudaResult<Self> {
        // SAFETY: the caller's guarantee (1).
        let values = unsafe { HostValues::uninitialized(Kind::Locked, size) }?;
        Ok(LockedBuffer { values })
    }

    /// Returns the values.
    pub fn as_slice(&self) -> &[T] {
        self.values.as_slice()
    }

    /// Returns the values.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        self.values.as_mut_slice()
    }

    /// Takes ownership of pinned memory.
    ///
    /// # Safety
    /// 1. `ptr` was returned by [`cuda_malloc_locked`](super::cuda_malloc_locked) for `size`
    ///    values, all initialized, and nothing else frees it; or `size` values have size 0 and
    ///    `ptr` is not null.
    /// 2. The context it was allocated in is current.
    pub unsafe fn from_raw_parts(ptr: *mut T, size: usize) -> LockedBuffer<T> {
        // SAFETY: the caller's guarantee (1, 2).
        let values = unsafe { HostValues::from_raw(Kind::Locked, ptr, size) };
        LockedBuffer { values }
    }

    /// Frees the buffer and returns the result.
    ///
    /// # Errors
    /// The driver's error and the buffer.
    pub fn drop(mut buf: LockedBuffer<T>) -> DropResult<LockedBuffer<T>> {
        buf.values.free().map_err(|error| (error, buf))
    }

    pub(super) fn start(&self) -> *mut T {
        self.values.start()
    }

    pub(super) fn into_raw(self) -> *mut T {
        self.values.into_raw()
    }
}

impl<T: DeviceCopy> AsRef<[T]> for LockedBuffer<T> {
    fn as_ref(&self) -> &[T] {
        self
    }
}

impl<T: DeviceCopy> AsMut<[T]> for LockedBuffer<T> {
    fn as_mut(&mut self) -> &mut [T] {
        self
    }
}

impl<T: DeviceCopy> Deref for LockedBuffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.as_slice()
    }
}

impl<T: DeviceCopy> DerefMut for LockedBuffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.as_mut_slice()
    }
}
