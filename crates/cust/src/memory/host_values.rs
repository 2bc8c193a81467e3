//! Values in memory that the driver allocated and the host uses as its own: pinned or unified.

use std::ptr::NonNull;
use std::slice;

use super::{DeviceCopy, DevicePointer, bytes, malloc};
use crate::context::ContextGuard;
use crate::context::owner::Owner;
use crate::error::{CudaError, CudaResult};

/// How the memory is allocated, and so how it is freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Pinned on the host.
    Locked,
    /// At one address on the host and on devices.
    Unified,
}

/// A number of values that the driver allocated, freed when dropped.
#[derive(Debug)]
pub(crate) struct HostValues<T: DeviceCopy> {
    start: NonNull<T>,
    len: usize,
    kind: Kind,
    /// The context it was made in; `None` where nothing was allocated, or it was given back.
    allocated_in: Option<Owner>,
}

// SAFETY: it owns its memory, as a vector does.
unsafe impl<T: Send + DeviceCopy> Send for HostValues<T> {}
// SAFETY: as above.
unsafe impl<T: Sync + DeviceCopy> Sync for HostValues<T> {}

impl<T: DeviceCopy> HostValues<T> {
    /// Memory for `len` values, not written.
    ///
    /// # Safety
    /// 1. Every value is written before it is used as a slice.
    pub(crate) unsafe fn uninitialized(kind: Kind, len: usize) -> CudaResult<Self> {
        if bytes::of::<T>(len)? == 0 {
            return Ok(HostValues::without_memory(kind, len));
        }
        let owner = Owner::current()?;
        let address = match kind {
            // SAFETY: the caller's promise (1).
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

    /// `len` copies of `value`.
    pub(crate) fn filled(kind: Kind, value: &T, len: usize) -> CudaResult<Self> {
        // SAFETY: every value is written before it is given out.
        let values = unsafe { HostValues::uninitialized(kind, len) }?;
        for i in 0..len {
            // SAFETY: within the memory.
            unsafe { values.start.add(i).write(*value) };
        }
        Ok(values)
    }

    /// A copy of `slice`.
    pub(crate) fn copied(kind: Kind, slice: &[T]) -> CudaResult<Self> {
        // SAFETY: every value is written before it is given out.
        let values = unsafe { HostValues::uninitialized(kind, slice.len()) }?;
        // SAFETY: both are as long as `slice`, and the memory is new, so they do not overlap.
        unsafe {
            values
                .start
                .copy_from_nonoverlapping(NonNull::from(slice).cast::<T>(), slice.len())
        };
        Ok(values)
    }

    /// Takes over memory that was allocated otherwise; null stands for no values.
    ///
    /// # Safety
    /// 1. `address` came from this kind's allocation for `len` values, all written, and nothing
    ///    else will free it; or `len` values have no bytes and `address` is not null.
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
        // SAFETY: it owns `len` values there, all written.
        unsafe { slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [T] {
        // SAFETY: as in `as_slice`, and borrowed mutably.
        unsafe { slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }

    pub(crate) fn start(&self) -> *mut T {
        self.start.as_ptr()
    }

    /// The address for the device; null where there is no memory.
    pub(crate) fn as_device_ptr(&self) -> DevicePointer<T> {
        match self.allocated_in {
            Some(_) => DevicePointer::from_raw(self.start.as_ptr().expose_provenance() as u64),
            None => DevicePointer::null(),
        }
    }

    /// Makes the memory's context current; `None` where there is no memory.
    pub(crate) fn enter(&self) -> CudaResult<Option<ContextGuard<'_>>> {
        self.allocated_in.as_ref().map(Owner::enter).transpose()
    }

    /// Lets go of the memory, which is no longer freed.
    pub(crate) fn into_raw(mut self) -> *mut T {
        self.allocated_in = None;
        self.start.as_ptr()
    }

    /// Gives the memory back unless that is done already.
    pub(crate) fn free(&mut self) -> CudaResult<()> {
        let Some(owner) = &self.allocated_in else {
            return Ok(());
        };
        let current = owner.enter()?;
        // SAFETY: allocated so, freed once, not used again: `free` is for the two ways to drop. The
        // driver waits for copies under way; who launched a kernel on it promised to keep it until
        // the kernel has run.
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
        // A failure cannot be reported here.
        let _ = self.free();
    }
}
