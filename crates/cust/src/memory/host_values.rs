//! Arrays in memory allocated by the driver and accessible by the host: pinned or unified.

use std::ptr::NonNull;
use std::slice;

use super::{DeviceCopy, DevicePointer, bytes, malloc};
use crate::context::ContextGuard;
use crate::context::owner::Owner;
use crate::error::{CudaError, CudaResult};

/// Allocation method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Pinned host memory.
    Locked,
    /// Unified memory, with the same address on host and devices.
    Unified,
}

/// Array allocated by the driver, freed when dropped.
#[derive(Debug)]
pub(crate) struct HostValues<T: DeviceCopy> {
    start: NonNull<T>,
    len: usize,
    kind: Kind,
    /// Context of the allocation; `None` if nothing was allocated or it has been freed.
    allocated_in: Option<Owner>,
}

// SAFETY: owns its memory, like a vector.
unsafe impl<T: Send + DeviceCopy> Send for HostValues<T> {}
// SAFETY: as above.
unsafe impl<T: Sync + DeviceCopy> Sync for HostValues<T> {}

impl<T: DeviceCopy> HostValues<T> {
    /// Allocates memory for `len` uninitialized values.
    ///
    /// # Safety
    /// 1. Every value is initialized before the memory is used as a slice.
    pub(crate) unsafe fn uninitialized(kind: Kind, len: usize) -> CudaResult<Self> {
        if bytes::array_bytes::<T>(len)? == 0 {
            return Ok(HostValues::without_memory(kind, len));
        }
        let owner = Owner::current()?;
        let address = match kind {
            // SAFETY: the caller's guarantee (1).
            Kind::Locked => unsafe { malloc::cuda_malloc_locked::<T>(len) }?,
            // SAFETY: as above.
            Kind::Unified => unsafe { malloc::cuda_malloc_unified::<T>(len) }?.as_raw_mut(),
        };
        let start = NonNull::new(address).ok_or(CudaError::OutOfMemory)?;
        Ok(HostValues {
            start,
            len,
            kind,
            allocated_in: Some(owner),
        })
    }

    /// Allocates `len` copies of `value`.
    pub(crate) fn filled(kind: Kind, value: &T, len: usize) -> CudaResult<Self> {
        // SAFETY: every value is initialized before the array is returned.
        let values = unsafe { HostValues::uninitialized(kind, len) }?;
        // Values without size need no memory, however many there are.
        let stored = if size_of::<T>() == 0 { 0 } else { len };
        for i in 0..stored {
            // SAFETY: within the allocation.
            unsafe { values.start.add(i).write(*value) };
        }
        Ok(values)
    }

    /// Allocates a copy of `slice`.
    pub(crate) fn copied(kind: Kind, slice: &[T]) -> CudaResult<Self> {
        // SAFETY: every value is initialized before the array is returned.
        let values = unsafe { HostValues::uninitialized(kind, slice.len()) }?;
        // SAFETY: both have the length of `slice`; the allocation is new, so they do not overlap.
        unsafe {
            values
                .start
                .copy_from_nonoverlapping(NonNull::from(slice).cast::<T>(), slice.len())
        };
        Ok(values)
    }

    /// Takes ownership of existing memory; null means no values.
    ///
    /// # Safety
    /// 1. `address` was returned by this kind's allocation function for `len` values, all
    ///    initialized, and nothing else frees it; or `len` values have size 0 and `address` is not
    ///    null.
    /// 2. The context it was allocated in is current.
    pub(crate) unsafe fn from_raw(kind: Kind, address: *mut T, len: usize) -> Self {
        let Some(start) = NonNull::new(address) else {
            return HostValues::without_memory(kind, 0);
        };
        let has_memory = len > 0 && size_of::<T>() > 0;
        HostValues {
            start,
            len,
            kind,
            allocated_in: has_memory.then(|| Owner::current().ok()).flatten(),
        }
    }

    fn without_memory(kind: Kind, len: usize) -> Self {
        HostValues {
            start: NonNull::dangling(),
            len,
            kind,
            allocated_in: None,
        }
    }

    pub(crate) fn as_slice(&self) -> &[T] {
        // SAFETY: owns `len` initialized values.
        unsafe { slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [T] {
        // SAFETY: as in `as_slice`, and borrowed mutably.
        unsafe { slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }

    pub(crate) fn start(&self) -> *mut T {
        self.start.as_ptr()
    }

    /// Returns the device address, or null if nothing is allocated.
    pub(crate) fn as_device_ptr(&self) -> DevicePointer<T> {
        match self.allocated_in {
            Some(_) => DevicePointer::from_raw(self.start.as_ptr().expose_provenance() as u64),
            None => DevicePointer::null(),
        }
    }

    /// Makes the context of the memory current; returns `None` if nothing is allocated.
    pub(crate) fn enter(&self) -> CudaResult<Option<ContextGuard<'_>>> {
        self.allocated_in.as_ref().map(Owner::enter).transpose()
    }

    /// Releases ownership of the memory.
    pub(crate) fn into_raw(mut self) -> *mut T {
        self.allocated_in = None;
        self.start.as_ptr()
    }

    /// Frees the memory, if it has not been freed.
    pub(crate) fn free(&mut self) -> CudaResult<()> {
        let Some(owner) = &self.allocated_in else {
            return Ok(());
        };
        let current = owner.enter()?;
        // SAFETY: allocated by this kind's function, freed once, and not used again, because `free`
        // is called only when the array is dropped. The driver waits for pending copies; callers of
        // launches guarantee that memory used by a kernel outlives it.
        unsafe {
            match self.kind {
                Kind::Locked => malloc::cuda_free_locked(self.start.as_ptr()),
                Kind::Unified => malloc::free_unified(self.start.as_ptr()),
            }
        }?;
        drop(current);
        self.allocated_in = None;
        Ok(())
    }
}

impl<T: DeviceCopy> Drop for HostValues<T> {
    fn drop(&mut self) {
        // Errors cannot be reported here.
        let _ = self.free();
    }
}
