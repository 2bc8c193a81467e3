//! Slices of device memory.

use std::ffi::c_void;

use super::allocation::{Access, Allocation, UseGuard};
use super::{DeviceCopy, DevicePointer, bytes};
use crate::context::ContextGuard;
use crate::context::owner;
use crate::driver;
use crate::error::CudaResult;
use crate::sys::CUcontext;

/// A contiguous range of values in device memory. Like the type in Rust-CUDA it is `Copy` and has
/// no lifetime. Keep the buffer alive while its slices are used: after it is dropped, they return
/// [`CudaError::BufferDropped`].
///
/// [`CudaError::BufferDropped`]: crate::error::CudaError::BufferDropped
#[derive(Clone, Copy, Debug)]
pub struct DeviceSlice<T: DeviceCopy> {
    pointer: DevicePointer<T>,
    len: usize,
    /// Context of the memory; null selects the current context.
    context: CUcontext,
    /// Allocation of the buffer; `None` for slices created by `unsafe` code.
    allocation: Option<Allocation>,
}

// SAFETY: an address, a length and a context handle, which may be passed to the driver from any
// thread.
unsafe impl<T: Send + DeviceCopy> Send for DeviceSlice<T> {}
// SAFETY: as above.
unsafe impl<T: Sync + DeviceCopy> Sync for DeviceSlice<T> {}

impl<T: DeviceCopy> DeviceSlice<T> {
    /// Returns the number of values.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns `true` if the slice is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the address of the first value.
    pub fn as_device_ptr(&self) -> DevicePointer<T> {
        self.pointer
    }

    /// Creates a slice from an address and a length, in the current context.
    ///
    /// # Safety
    /// 1. `ptr` points to `len` values of device memory in the current context while the slice or a
    ///    part of it is used.
    pub unsafe fn from_raw_parts(ptr: DevicePointer<T>, len: usize) -> DeviceSlice<T> {
        DeviceSlice::in_context(ptr, len, owner::current_or_null())
    }

    /// Creates a slice; see [`DeviceSlice::from_raw_parts`].
    ///
    /// # Safety
    /// 1. The condition of [`DeviceSlice::from_raw_parts`] holds.
    pub unsafe fn from_raw_parts_mut(ptr: DevicePointer<T>, len: usize) -> DeviceSlice<T> {
        // SAFETY: the caller's guarantee (1).
        unsafe { DeviceSlice::from_raw_parts(ptr, len) }
    }

    /// Copies the values to the host.
    ///
    /// # Errors
    /// Errors of earlier work.
    pub fn as_host_vec(&self) -> CudaResult<Vec<T>> {
        let mut values = Vec::<T>::with_capacity(self.len);
        let size = bytes::array_bytes::<T>(self.len)?;
        if size > 0 {
            let _current = self.enter(Access::Read)?;
            // SAFETY: the vector has capacity for the `len` values of the slice.
            unsafe {
                driver()?.copy_to_host(
                    values.as_mut_ptr().cast::<c_void>(),
                    self.pointer.as_raw(),
                    size,
                )
            }?;
        }
        // SAFETY: the copy has initialized `len` values; zero-sized values need no initialization.
        unsafe { values.set_len(self.len) };
        Ok(values)
    }

    /// Splits the slice into the values before `mid` and the rest.
    ///
    /// # Panics
    /// If `mid` exceeds the length, like the standard library.
    #[track_caller]
    pub fn split_at(&self, mid: usize) -> (DeviceSlice<T>, DeviceSlice<T>) {
        assert!(
            mid <= self.len,
            "cannot split a device slice of length {} at {mid}",
            self.len
        );
        (self.part(0, mid), self.part(mid, self.len - mid))
    }

    /// Splits the slice; see [`DeviceSlice::split_at`]. Slices do not borrow, so both functions are
    /// equivalent.
    ///
    /// # Panics
    /// See [`DeviceSlice::split_at`].
    #[track_caller]
    pub fn split_at_mut(&mut self, mid: usize) -> (DeviceSlice<T>, DeviceSlice<T>) {
        self.split_at(mid)
    }

    /// Returns the size of the slice, in bytes.
    pub(crate) fn size(&self) -> CudaResult<usize> {
        bytes::array_bytes::<T>(self.len)
    }

    pub(crate) fn in_context(
        pointer: DevicePointer<T>,
        len: usize,
        context: CUcontext,
    ) -> DeviceSlice<T> {
        DeviceSlice {
            pointer,
            len,
            context,
            allocation: None,
        }
    }

    /// Returns the slice with a reference to its allocation.
    pub(crate) fn with_allocation(mut self, allocation: Option<Allocation>) -> DeviceSlice<T> {
        self.allocation = allocation;
        self
    }

    /// Returns the allocation that contains the slice, if it is known.
    pub(crate) fn allocation(&self) -> Option<Allocation> {
        self.allocation
    }

    /// Returns the part with `len` values from `start`, which must be within the slice.
    pub(crate) fn part(&self, start: usize, len: usize) -> DeviceSlice<T> {
        DeviceSlice {
            pointer: self.pointer.wrapping_add(start),
            len,
            ..*self
        }
    }

    /// Reinterprets the memory as `len` values of another type.
    pub(crate) fn cast_values<B: DeviceCopy>(&self, len: usize) -> DeviceSlice<B> {
        DeviceSlice {
            pointer: self.pointer.cast::<B>(),
            len,
            context: self.context,
            allocation: self.allocation,
        }
    }

    pub(crate) fn context(&self) -> CUcontext {
        self.context
    }

    /// Keeps the memory allocated, its values locked for `access`, and its context current, until
    /// the guards are dropped.
    ///
    /// # Errors
    /// [`CudaError::BufferDropped`](crate::error::CudaError::BufferDropped) if it has been freed.
    pub(crate) fn enter(
        &self,
        access: Access,
    ) -> CudaResult<(ContextGuard<'static>, Option<UseGuard>)> {
        let current = owner::enter_handle(self.context)?;
        let in_use = self.allocation.map(|allocation| allocation.enter(access));
        Ok((current, in_use.transpose()?))
    }

    /// Keeps this slice and the source of a copy to it allocated and locked, and makes the context
    /// of this slice current, until the guards are dropped.
    ///
    /// # Errors
    /// [`CudaError::BufferDropped`](crate::error::CudaError::BufferDropped) if one has been freed.
    pub(crate) fn enter_copy(
        &self,
        source: &DeviceSlice<T>,
    ) -> CudaResult<(ContextGuard<'static>, [Option<UseGuard>; 2])> {
        let current = owner::enter_handle(self.context)?;
        Ok((
            current,
            Allocation::enter_copy(self.allocation, source.allocation)?,
        ))
    }
}
