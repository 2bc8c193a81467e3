//! Slices of device memory.

use std::ffi::c_void;

use super::allocation::{Allocation, InUse};
use super::{DeviceCopy, DevicePointer, bytes};
use crate::context::ContextGuard;
use crate::context::owner;
use crate::driver;
use crate::error::CudaResult;
use crate::sys::CUcontext;

/// A number of values in device memory, one after the other. It only points: like the published
/// type it is `Copy` and has no lifetime. Keep the buffer as long as its slices: once it is dropped
/// they answer [`CudaError::BufferDropped`].
///
/// [`CudaError::BufferDropped`]: crate::error::CudaError::BufferDropped
#[derive(Clone, Copy, Debug)]
pub struct DeviceSlice<T: DeviceCopy> {
    pointer: DevicePointer<T>,
    len: usize,
    /// The context of the memory; null stands for whichever is current.
    context: CUcontext,
    /// The buffer's; `None` for what `unsafe` code answers for.
    allocation: Option<Allocation>,
}

// SAFETY: an address, a length and a context handle; the driver may be called with them from any
// thread.
unsafe impl<T: Send + DeviceCopy> Send for DeviceSlice<T> {}
// SAFETY: as above.
unsafe impl<T: Sync + DeviceCopy> Sync for DeviceSlice<T> {}

impl<T: DeviceCopy> DeviceSlice<T> {
    /// The number of values.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The address of the first value.
    pub fn as_device_ptr(&self) -> DevicePointer<T> {
        self.pointer
    }

    /// A slice from its parts, in the current context.
    ///
    /// # Safety
    /// 1. `ptr` points at `len` values of device memory in the current context, as long as the
    ///    slice or a part of it is used.
    pub unsafe fn from_raw_parts(ptr: DevicePointer<T>, len: usize) -> DeviceSlice<T> {
        DeviceSlice::in_context(ptr, len, owner::current_or_null())
    }

    /// [`DeviceSlice::from_raw_parts`].
    ///
    /// # Safety
    /// 1. As [`DeviceSlice::from_raw_parts`].
    pub unsafe fn from_raw_parts_mut(ptr: DevicePointer<T>, len: usize) -> DeviceSlice<T> {
        // SAFETY: the caller's promise (1).
        unsafe { DeviceSlice::from_raw_parts(ptr, len) }
    }

    /// The values, copied to the host.
    ///
    /// # Errors
    /// Those of earlier work.
    pub fn as_host_vec(&self) -> CudaResult<Vec<T>> {
        let mut values = Vec::<T>::with_capacity(self.len);
        let size = bytes::of::<T>(self.len)?;
        if size > 0 {
            let _current = self.enter()?;
            // SAFETY: the vector has room for `len` values, which the device holds.
            unsafe {
                driver()?.copy_to_host(
                    values.as_mut_ptr().cast::<c_void>(),
                    self.pointer.as_raw(),
                    size,
                )
            }?;
        }
        // SAFETY: the copy has filled `len` values; values of no bytes need no filling.
        unsafe { values.set_len(self.len) };
        Ok(values)
    }

    /// The values before `mid`, and those from it on.
    ///
    /// # Panics
    /// Where `mid` is more than the length, as in the standard library.
    #[track_caller]
    pub fn split_at(&self, mid: usize) -> (DeviceSlice<T>, DeviceSlice<T>) {
        assert!(
            mid <= self.len,
            "cannot split a device slice of length {} at {mid}",
            self.len
        );
        (self.part(0, mid), self.part(mid, self.len - mid))
    }

    /// [`DeviceSlice::split_at`]. Slices do not borrow, so the two need not either; this is for the
    /// name.
    ///
    /// # Panics
    /// As [`DeviceSlice::split_at`].
    #[track_caller]
    pub fn split_at_mut(&mut self, mid: usize) -> (DeviceSlice<T>, DeviceSlice<T>) {
        self.split_at(mid)
    }

    /// Bytes of all values.
    pub(crate) fn size(&self) -> CudaResult<usize> {
        bytes::of::<T>(self.len)
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

    /// The same, of a buffer's memory.
    pub(crate) fn of_allocation(mut self, allocation: Option<Allocation>) -> DeviceSlice<T> {
        self.allocation = allocation;
        self
    }

    /// The `len` values from `start` on, which lie within the slice.
    pub(crate) fn part(&self, start: usize, len: usize) -> DeviceSlice<T> {
        DeviceSlice {
            pointer: self.pointer.wrapping_add(start),
            len,
            ..*self
        }
    }

    /// The same memory as `len` values of another type.
    pub(crate) fn of_other_values<B: DeviceCopy>(&self, len: usize) -> DeviceSlice<B> {
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

    /// Keeps the memory from being freed until the guard is dropped.
    ///
    /// # Errors
    /// [`CudaError::BufferDropped`](crate::error::CudaError::BufferDropped) where it is already.
    pub(crate) fn hold(&self) -> CudaResult<Option<InUse>> {
        self.allocation.map(Allocation::enter).transpose()
    }

    /// The same, and makes the memory's context current.
    pub(crate) fn enter(&self) -> CudaResult<(ContextGuard<'static>, Option<InUse>)> {
        Ok((owner::enter_handle(self.context)?, self.hold()?))
    }
}
