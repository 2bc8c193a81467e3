//! One value in unified memory.

use std::borrow::{Borrow, BorrowMut};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};

use super::{DeviceCopy, DevicePointer, UnifiedBuffer, UnifiedPointer};
use crate::error::{CudaResult, DropResult};
use crate::memory::GpuBox;

/// Unified memory for one value, freed when dropped: a [`UnifiedBuffer`] of length 1, with its
/// rule. Host and device take turns.
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
    /// `val`, in unified memory.
    ///
    /// # Errors
    /// As [`UnifiedBuffer::new`].
    pub fn new(val: T) -> CudaResult<Self> {
        let buffer = UnifiedBuffer::new(&val, 1)?;
        Ok(UnifiedBox { buffer })
    }

    /// Memory for a value, not written.
    ///
    /// # Errors
    /// As [`UnifiedBuffer::new`].
    ///
    /// # Safety
    /// 1. The value is written, through a pointer or by a kernel, before it is read.
    pub unsafe fn uninitialized() -> CudaResult<Self> {
        // SAFETY: the caller's promise (1).
        let buffer = unsafe { UnifiedBuffer::uninitialized(1) }?;
        Ok(UnifiedBox { buffer })
    }

    /// [`UnifiedBox::from_unified`], of a pointer of the host.
    ///
    /// # Safety
    /// 1. As [`UnifiedBox::from_unified`].
    pub unsafe fn from_raw(ptr: *mut T) -> Self {
        // SAFETY: the caller's promise (1).
        unsafe { UnifiedBox::from_unified(UnifiedPointer::wrap(ptr)) }
    }

    /// Takes over unified memory.
    ///
    /// # Safety
    /// 1. `ptr` is not null and came from [`UnifiedBox::into_unified`], or from
    ///    [`cuda_malloc_unified`](super::cuda_malloc_unified) for one value that was written;
    ///    nothing else will free it.
    /// 2. The context it was allocated in is current.
    pub unsafe fn from_unified(ptr: UnifiedPointer<T>) -> Self {
        // SAFETY: the caller's promises (1, 2).
        let buffer = unsafe { UnifiedBuffer::from_raw_parts(ptr, 1) };
        UnifiedBox { buffer }
    }

    /// Lets go of the memory, which [`UnifiedBox::from_unified`] takes back and
    /// [`cuda_free_unified`](super::cuda_free_unified) frees.
    pub fn into_unified(b: UnifiedBox<T>) -> UnifiedPointer<T> {
        b.buffer.into_unified()
    }

    /// Its address.
    pub fn as_unified_ptr(&self) -> UnifiedPointer<T> {
        self.buffer.as_unified_ptr()
    }

    /// The value, for as long as the process runs: its memory is not freed, and its context not
    /// given back.
    pub fn leak<'a>(b: UnifiedBox<T>) -> &'a mut T
    where
        T: 'a,
    {
        let value = b.as_unified_ptr().as_raw_mut();
        // neither the memory nor the owner of its context is given back
        std::mem::forget(b);
        // SAFETY: the value of a box that was used up, in memory that stays.
        unsafe { &mut *value }
    }

    /// Frees the memory, and returns the result.
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
