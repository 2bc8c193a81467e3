//! One value in pinned host memory.

use std::ops::{Deref, DerefMut};

use super::{AsyncCopyDestination, DeviceBox, DeviceCopy, LockedBuffer};
use crate::error::{CudaResult, DropResult};
use crate::stream::Stream;

/// Pinned host memory for one value, freed when dropped: a [`LockedBuffer`] of length 1.
///
/// ```no_run
/// use cust::memory::{AsyncCopyDestination, DeviceBox, LockedBox};
/// use cust::prelude::*;
///
/// # fn main() -> cust::error::CudaResult<()> {
/// let _context = cust::quick_init()?;
/// let stream = Stream::new(StreamFlags::DEFAULT, None)?;
/// let count = DeviceBox::new(&7u64)?;
/// let mut on_host = LockedBox::new(&0u64)?;
/// // SAFETY: nobody uses `on_host` until the stream is synchronised.
/// unsafe { count.async_copy_to(&mut on_host, &stream) }?;
/// stream.synchronize()?;
/// assert_eq!(*on_host, 7);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct LockedBox<T: DeviceCopy> {
    buffer: LockedBuffer<T>,
}

impl<T: DeviceCopy> LockedBox<T> {
    /// A copy of `val`.
    ///
    /// # Errors
    /// As [`LockedBuffer::new`].
    pub fn new(val: &T) -> CudaResult<Self> {
        let buffer = LockedBuffer::new(val, 1)?;
        Ok(LockedBox { buffer })
    }

    /// Memory for a value, not written.
    ///
    /// # Errors
    /// As [`LockedBuffer::new`].
    ///
    /// # Safety
    /// 1. The value is written, through [`LockedBox::as_raw`] or by a copy from the device, before
    ///    it is read.
    pub unsafe fn uninitialized() -> CudaResult<Self> {
        // SAFETY: the caller's promise (1).
        let buffer = unsafe { LockedBuffer::uninitialized(1) }?;
        Ok(LockedBox { buffer })
    }

    /// Lets go of the memory, which [`LockedBox::from_raw`] takes back and
    /// [`cuda_free_locked`](super::cuda_free_locked) frees.
    pub fn into_raw(self) -> *mut T {
        self.buffer.into_raw()
    }

    /// Takes over pinned memory.
    ///
    /// # Safety
    /// 1. `ptr` is not null and came from [`LockedBox::into_raw`], or from
    ///    [`cuda_malloc_locked`](super::cuda_malloc_locked) for one value that was written; nothing
    ///    else will free it.
    /// 2. The context it was allocated in is current.
    pub unsafe fn from_raw(ptr: *mut T) -> Self {
        // SAFETY: the caller's promises (1, 2).
        let buffer = unsafe { LockedBuffer::from_raw_parts(ptr, 1) };
        LockedBox { buffer }
    }

    /// Its address.
    pub fn as_raw(&self) -> *mut T {
        self.buffer.start()
    }

    /// Frees the memory, and returns the result. (An addition to the published names.)
    ///
    /// # Errors
    /// The driver's error and the box.
    pub fn drop(locked: LockedBox<T>) -> DropResult<LockedBox<T>> {
        LockedBuffer::drop(locked.buffer).map_err(|(error, buffer)| (error, LockedBox { buffer }))
    }
}

impl<T: DeviceCopy> Deref for LockedBox<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.buffer[0]
    }
}

impl<T: DeviceCopy> DerefMut for LockedBox<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.buffer[0]
    }
}

impl<T: DeviceCopy> AsyncCopyDestination<LockedBox<T>> for DeviceBox<T> {
    unsafe fn async_copy_from(&mut self, source: &LockedBox<T>, stream: &Stream) -> CudaResult<()> {
        // SAFETY: the caller's promises.
        unsafe { self.async_copy_from(&**source, stream) }
    }

    unsafe fn async_copy_to(&self, dest: &mut LockedBox<T>, stream: &Stream) -> CudaResult<()> {
        // SAFETY: the caller's promises.
        unsafe { self.async_copy_to(&mut **dest, stream) }
    }
}
