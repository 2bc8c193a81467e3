//! Single value in pinned host memory.

use std::ops::{Deref, DerefMut};

use super::{AsyncCopyDestination, DeviceBox, DeviceCopy, LockedBuffer};
use crate::error::{CudaResult, DropResult};
use crate::stream::Stream;

/// Pinned host memory for a single value, freed when dropped; like a [`LockedBuffer`] of length 1.
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
/// // SAFETY: nothing uses `on_host` until the stream is synchronized.
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
    /// Creates a copy of `val`.
    ///
    /// # Errors
    /// See [`LockedBuffer::new`].
    pub fn new(val: &T) -> CudaResult<Self> {
        let buffer = LockedBuffer::new(val, 1)?;
        Ok(LockedBox { buffer })
    }

    /// Allocates memory for an uninitialized value.
    ///
    /// # Errors
    /// See [`LockedBuffer::new`].
    ///
    /// # Safety
    /// 1. The value is initialized, through [`LockedBox::as_raw`] or by a copy from the device,
    ///    before it is read.
    pub unsafe fn uninitialized() -> CudaResult<Self> {
        // SAFETY: the caller's guarantee (1).
        let buffer = unsafe { LockedBuffer::uninitialized(1) }?;
        Ok(LockedBox { buffer })
    }

    /// Releases ownership of the memory. Reclaim it with [`LockedBox::from_raw`] or free it with
    /// [`cuda_free_locked`](super::cuda_free_locked).
    pub fn into_raw(self) -> *mut T {
        self.buffer.into_raw()
    }

    /// Takes ownership of pinned memory.
    ///
    /// # Safety
    /// 1. `ptr` is not null and was returned by [`LockedBox::into_raw`], or by
    ///    [`cuda_malloc_locked`](super::cuda_malloc_locked) for one value that has been
    ///    initialized; nothing else frees it.
    /// 2. The context it was allocated in is current.
    pub unsafe fn from_raw(ptr: *mut T) -> Self {
        // SAFETY: the caller's guarantee (1, 2).
        let buffer = unsafe { LockedBuffer::from_raw_parts(ptr, 1) };
        LockedBox { buffer }
    }

    /// Returns the address.
    pub fn as_raw(&self) -> *mut T {
        self.buffer.start()
    }

    /// Frees the memory and returns the result. (Not part of Rust-CUDA.)
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
        // SAFETY: the caller's guarantees.
        unsafe { self.async_copy_from(&**source, stream) }
    }

    unsafe fn async_copy_to(&self, dest: &mut LockedBox<T>, stream: &Stream) -> CudaResult<()> {
        // SAFETY: the caller's guarantees.
        unsafe { self.async_copy_to(&mut **dest, stream) }
    }
}
