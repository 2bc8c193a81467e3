//! Pinned host memory.

use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::slice;

use super::{DeviceCopy, bytes, cuda_free_locked, cuda_malloc_locked};
use crate::context::owner::Owner;
use crate::error::{CudaError, CudaResult, DropResult};

/// Pinned host memory for a number of values: the system does not page it out, so the device copies from and to it by itself.
/// Freed when dropped. Pinned memory is taken from everyone on the machine; keep it small and reuse it.
#[derive(Debug)]
pub struct LockedBuffer<T: DeviceCopy> {
    values: NonNull<T>,
    len: usize,
    /// The context it was made in; `None` where nothing was allocated, or it was given back.
    allocated_in: Option<Owner>,
}

// SAFETY: the buffer owns its memory, as a vector does.
unsafe impl<T: Send + DeviceCopy> Send for LockedBuffer<T> {}
// SAFETY: as above.
unsafe impl<T: Sync + DeviceCopy> Sync for LockedBuffer<T> {}

impl<T: DeviceCopy> LockedBuffer<T> {
    /// `size` copies of `value`.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`],
    /// [`CudaError::InvalidMemoryAllocation`] for a size that overflows,
    /// [`CudaError::InvalidContext`] where no context is current.
    pub fn new(value: &T, size: usize) -> CudaResult<Self> {
        // SAFETY: every value is written before the buffer is given out.
        let buffer = unsafe { LockedBuffer::uninitialized(size) }?;
        for i in 0..size {
            // SAFETY: within the buffer.
            unsafe { buffer.values.add(i).write(*value) };
        }
        Ok(buffer)
    }

    /// A copy of `slice`.
    ///
    /// # Errors
    /// As [`LockedBuffer::new`].
    pub fn from_slice(slice: &[T]) -> CudaResult<Self> {
        // SAFETY: every value is written before the buffer is given out.
        let buffer = unsafe { LockedBuffer::uninitialized(slice.len()) }?;
        // SAFETY: both are as long as `slice`, and the buffer is new, so they do not overlap.
        unsafe {
            buffer
                .values
                .copy_from_nonoverlapping(NonNull::from(slice).cast::<T>(), slice.len())
        };
        Ok(buffer)
    }

    /// A buffer of `size` values, not written.
    ///
    /// # Errors
    /// As [`LockedBuffer::new`].
    ///
    /// # Safety
    /// 1. Every value is written, through a pointer or by a copy from the device, before the buffer is used as a slice.
    pub unsafe fn uninitialized(size: usize) -> CudaResult<Self> {
        if bytes::of::<T>(size)? == 0 {
            return Ok(LockedBuffer {
                values: NonNull::dangling(),
                len: size,
                allocated_in: None,
            });
        }
        let owner = Owner::current()?;
        // SAFETY: the caller's promise (1).
        let address = unsafe { cuda_malloc_locked::<T>(size) }?;
        let values = NonNull::new(address).ok_or(CudaError::OutOfMemory)?;
        Ok(LockedBuffer {
            values,
            len: size,
            allocated_in: Some(owner),
        })
    }

    /// The values.
    pub fn as_slice(&self) -> &[T] {
        // SAFETY: the buffer owns `len` values there, all written.
        unsafe { slice::from_raw_parts(self.values.as_ptr(), self.len) }
    }

    /// The values.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        // SAFETY: as in `as_slice`, and borrowed mutably.
        unsafe { slice::from_raw_parts_mut(self.values.as_ptr(), self.len) }
    }

    /// Takes over pinned memory that was allocated otherwise.
    ///
    /// # Safety
    /// 1. `ptr` came from [`cuda_malloc_locked`] for `size` values, all written, and nothing else will free it; or `size` values
    ///    have no bytes and `ptr` is not null.
    /// 2. The context it was allocated in is current.
    pub unsafe fn from_raw_parts(ptr: *mut T, size: usize) -> LockedBuffer<T> {
        let has_memory = size > 0 && size_of::<T>() > 0;
        match NonNull::new(ptr) {
            Some(values) => LockedBuffer {
                values,
                len: size,
                allocated_in: if has_memory {
                    Owner::current().ok()
                } else {
                    None
                },
            },
            None => LockedBuffer {
                values: NonNull::dangling(),
                len: 0,
                allocated_in: None,
            },
        }
    }

    /// Frees the buffer, and returns the result.
    ///
    /// # Errors
    /// The driver's error and the buffer.
    pub fn drop(mut buf: LockedBuffer<T>) -> DropResult<LockedBuffer<T>> {
        buf.free().map_err(|error| (error, buf))
    }

    /// Gives the memory back unless that is done already.
    fn free(&mut self) -> CudaResult<()> {
        let Some(owner) = &self.allocated_in else {
            return Ok(());
        };
        let _current = owner.enter()?;
        // SAFETY: allocated by `cuda_malloc_locked`, freed once, not used again: `free` is for the two ways to drop. The driver
        // waits for copies under way.
        unsafe { cuda_free_locked(self.values.as_ptr()) }?;
        drop(_current);
        self.allocated_in = None;
        Ok(())
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

impl<T: DeviceCopy> Drop for LockedBuffer<T> {
    fn drop(&mut self) {
        // A failure cannot be reported here.
        let _ = self.free();
    }
}
