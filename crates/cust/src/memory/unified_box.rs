//! Single value in unified memory.

use std::borrow::{Borrow, BorrowMut};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};

use super::{DeviceCopy, DevicePointer, UnifiedBuffer, UnifiedPointer};
use crate::error::{CudaResult, DropResult};
use crate::memory::GpuBox;

/// Unified memory for a single value, freed when dropped; like a [`UnifiedBuffer`] of length 1,
/// including the rule that host and device take turns.
///
/// ```no_run
/// use cust::memory::UnifiedBox;
///
/// # fn main() -> cust::error::CudaResult<()> {
/// let _context = cust::quick_init()?;
/// let mut count = UnifiedBox::new(5u64)?;
/// *count += 1;
/// assert_eq!(*count, 6);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct UnifiedBox<T: DeviceCopy> {
    buffer: UnifiedBuffer<T>,
}

impl<T: DeviceCopy> UnifiedBox<T> {
    /// Copies `val` to unified memory.
    ///
    /// # Errors
    /// See [`UnifiedBuffer::new`].
    pub fn new(val: T) -> CudaResult<Self> {
        let buffer = UnifiedBuffer::new(&val, 1)?;
        Ok(UnifiedBox { buffer })
    }

    /// Allocates memory for an uninitialized value.
    ///
    /// # Errors
    /// See [`UnifiedBuffer::new`].
    ///
    /// # Safety
    /// 1. The value is initialized, through a pointer or by a kernel, before it is read.
    pub unsafe fn uninitialized() -> CudaResult<Self> {
        // SAFETY: the caller's guarantee (1).
        let buffer = unsafe { UnifiedBuffer::uninitialized(1) }?;
        Ok(UnifiedBox { buffer })
    }

    /// Takes ownership of unified memory, from a host pointer; see [`UnifiedBox::from_unified`].
    ///
    /// # Safety
    /// 1. The conditions of [`UnifiedBox::from_unified`] hold.
    pub unsafe fn from_raw(ptr: *mut T) -> Self {
        // SAFETY: the caller's guarantee (1).
        unsafe { UnifiedBox::from_unified(UnifiedPointer::wrap(ptr)) }
    }

    /// Takes ownership of unified memory.
    ///
    /// # Safety
    /// 1. `ptr` is not null and was returned by [`UnifiedBox::into_unified`], or by
    ///    [`cuda_malloc_unified`](super::cuda_malloc_unified) for one value that has been
    ///    initialized; nothing else frees it.
    /// 2. The context it was allocated in is current.
    pub unsafe fn from_unified(ptr: UnifiedPointer<T>) -> Self {
        // SAFETY: the caller's guarantee (1, 2).
        let buffer = unsafe { UnifiedBuffer::from_raw_parts(ptr, 1) };
        UnifiedBox { buffer }
    }

    /// Releases ownership of the memory. Reclaim it with [`UnifiedBox::from_unified`] or free it
    /// with [`cuda_free_unified`](super::cuda_free_unified).
    pub fn into_unified(b: UnifiedBox<T>) -> UnifiedPointer<T> {
        b.buffer.into_unified()
    }

    /// Returns the address.
    pub fn as_unified_ptr(&self) -> UnifiedPointer<T> {
        self.buffer.as_unified_ptr()
    }

    /// Leaks the value: returns a reference valid until the process ends. Neither the memory nor
    /// its context is released.
    pub fn leak<'a>(b: UnifiedBox<T>) -> &'a mut T
    where
        T: 'a,
    {
        let value = b.as_unified_ptr().as_raw_mut();
        // neither the memory nor the reference to its context is released
        std::mem::forget(b);
        // SAFETY: the value of a consumed box, in memory that is never freed.
        unsafe { &mut *value }
    }

    /// Frees the memory and returns the result.
    ///
    /// # Errors
    /// The driver's error and the box.
    pub fn drop(uni_box: UnifiedBox<T>) -> DropResult<UnifiedBox<T>> {
        UnifiedBuffer::drop(uni_box.buffer)
            .map_err(|(error, buffer)| (error, UnifiedBox { buffer }))
    }

    pub(super) fn buffer(&self) -> &UnifiedBuffer<T> {
        &self.buffer
    }
}

impl<T: DeviceCopy> crate::private::Sealed for UnifiedBox<T> {}
impl<T: DeviceCopy> GpuBox<T> for UnifiedBox<T> {
    fn as_device_ptr(&self) -> DevicePointer<T> {
        self.buffer.values().as_device_ptr()
    }
}

impl<T: DeviceCopy> Deref for UnifiedBox<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.buffer[0]
    }
}

impl<T: DeviceCopy> DerefMut for UnifiedBox<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.buffer[0]
    }
}

impl<T: DeviceCopy> Borrow<T> for UnifiedBox<T> {
    fn borrow(&self) -> &T {
        self
    }
}

impl<T: DeviceCopy> BorrowMut<T> for UnifiedBox<T> {
    fn borrow_mut(&mut self) -> &mut T {
        self
    }
}

impl<T: DeviceCopy> AsRef<T> for UnifiedBox<T> {
    fn as_ref(&self) -> &T {
        self
    }
}

impl<T: DeviceCopy> AsMut<T> for UnifiedBox<T> {
    fn as_mut(&mut self) -> &mut T {
        self
    }
}

impl<T: DeviceCopy + fmt::Display> fmt::Display for UnifiedBox<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}

impl<T: DeviceCopy> fmt::Pointer for UnifiedBox<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Pointer::fmt(&self.as_unified_ptr(), f)
    }
}

impl<T: DeviceCopy + PartialEq> PartialEq for UnifiedBox<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: DeviceCopy + Eq> Eq for UnifiedBox<T> {}

impl<T: DeviceCopy + PartialOrd> PartialOrd for UnifiedBox<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        (**self).partial_cmp(&**other)
    }
}

impl<T: DeviceCopy + Ord> Ord for UnifiedBox<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        (**self).cmp(&**other)
    }
}

impl<T: DeviceCopy + Hash> Hash for UnifiedBox<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}
