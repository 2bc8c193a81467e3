//! Unified memory: arrays accessible at the same address by host and devices.

use std::ops::{Deref, DerefMut};

use super::host_values::{HostValues, Kind};
use super::{DeviceCopy, DevicePointer, UnifiedPointer};
use crate::error::{CudaResult, DropResult};
use crate::memory::GpuBuffer;

/// Array in unified memory, freed when dropped. A slice on the host; kernels receive its address.
///
/// **Host and device take turns.** From the launch of a kernel that uses the buffer until the
/// launch is complete (its stream has been synchronized), the host must not write the buffer, nor
/// read anything that the kernel writes. Callers of a launch guarantee this
/// ([`Stream::launch`](crate::stream::Stream::launch), condition 3); without launches the host has
/// exclusive access.
///
/// If all devices of the process support concurrent managed access, this is managed memory, whose
/// pages migrate to where they are used. On other devices (on Windows, and before Pascal), the host
/// may not access managed memory while *any* kernel runs. On such systems, pinned host memory
/// mapped into the device's address space is used instead: the same semantics, but slower.
/// (Rust-CUDA causes a page fault there.)
///
/// ```no_run
/// use cust::prelude::*;
///
/// # fn main() -> cust::error::CudaResult<()> {
/// let _context = cust::quick_init()?;
/// let module = Module::from_file("double.ptx")?;
/// let stream = Stream::new(StreamFlags::DEFAULT, None)?;
/// let mut values = UnifiedBuffer::from_slice(&[1.0f32, 2.0, 3.0])?;
/// values[0] = 5.0; // the host's turn
/// // SAFETY: double(ptr, len) accesses only `len` values, and `values` is not used elsewhere until
/// // the stream is synchronized.
/// unsafe { launch!(module.double<<<1, 3, 0, stream>>>(values.as_unified_ptr(), values.len())) }?;
/// stream.synchronize()?;
/// assert_eq!(values[..], [10.0, 4.0, 6.0]); // the host's turn again
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct UnifiedBuffer<T: DeviceCopy> {
    values: HostValues<T>,
}

impl<T: DeviceCopy> UnifiedBuffer<T> {
    /// Allocates `size` copies of `value`.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`](crate::error::CudaError::OutOfMemory),
    /// [`CudaError::InvalidMemoryAllocation`](crate::error::CudaError::InvalidMemoryAllocation) for
    /// a size that overflows,
    /// [`CudaError::InvalidContext`](crate::error::CudaError::InvalidContext) if no context is
    /// current.
    pub fn new(value: &T, size: usize) -> CudaResult<Self> {
        let values = HostValues::filled(Kind::Unified, value, size)?;
        Ok(UnifiedBuffer { values })
    }

    /// Allocates a copy of `slice`.
    ///
    /// # Errors
    /// See [`UnifiedBuffer::new`].
    pub fn from_slice(slice: &[T]) -> CudaResult<Self> {
        let values = HostValues::copied(Kind::Unified, slice)?;
        Ok(UnifiedBuffer { values })
    }

    /// Allocates `size` uninitialized values.
    ///
    /// # Errors
    /// See [`UnifiedBuffer::new`].
    ///
    /// # Safety
    /// 1. Every value is initialized, through a pointer or by a kernel, before the buffer is used
    ///    as a slice.
    pub unsafe fn uninitialized(size: usize) -> CudaResult<Self> {
        // SAFETY: the caller's guarantee (1).
        let values = unsafe { HostValues::uninitialized(Kind::Unified, size) }?;
        Ok(UnifiedBuffer { values })
    }

    /// Returns the values.
    pub fn as_slice(&self) -> &[T] {
        self.values.as_slice()
    }

    /// Returns the values.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        self.values.as_mut_slice()
    }

    /// Returns the address of the first value. (The signature in Rust-CUDA requires `&mut self`.)
    pub fn as_unified_ptr(&self) -> UnifiedPointer<T> {
        // SAFETY: points to the buffer's values.
        unsafe { UnifiedPointer::wrap(self.values.start()) }
    }

    /// Takes ownership of unified memory.
    ///
    /// # Safety
    /// 1. `ptr` was returned by [`cuda_malloc_unified`](super::cuda_malloc_unified) for `capacity`
    ///    values, all initialized, and nothing else frees it; or `capacity` values have size 0 and
    ///    `ptr` is not null.
    /// 2. The context it was allocated in is current.
    pub unsafe fn from_raw_parts(ptr: UnifiedPointer<T>, capacity: usize) -> UnifiedBuffer<T> {
        // SAFETY: the caller's guarantee (1, 2).
        let values = unsafe { HostValues::from_raw(Kind::Unified, ptr.as_raw_mut(), capacity) };
        UnifiedBuffer { values }
    }

    /// Frees the buffer and returns the result.
    ///
    /// # Errors
    /// The driver's error and the buffer.
    pub fn drop(mut uni_buf: UnifiedBuffer<T>) -> DropResult<UnifiedBuffer<T>> {
        uni_buf.values.free().map_err(|error| (error, uni_buf))
    }

    pub(super) fn values(&self) -> &HostValues<T> {
        &self.values
    }

    pub(super) fn into_unified(self) -> UnifiedPointer<T> {
        // SAFETY: points to the buffer's values.
        unsafe { UnifiedPointer::wrap(self.values.into_raw()) }
    }
}

impl<T: DeviceCopy> crate::private::Sealed for UnifiedBuffer<T> {}
impl<T: DeviceCopy> GpuBuffer<T> for UnifiedBuffer<T> {
    fn as_device_ptr(&self) -> DevicePointer<T> {
        self.values.as_device_ptr()
    }

    fn len(&self) -> usize {
        self.as_slice().len()
    }
}

impl<T: DeviceCopy> AsRef<[T]> for UnifiedBuffer<T> {
    fn as_ref(&self) -> &[T] {
        self
    }
}

impl<T: DeviceCopy> AsMut<[T]> for UnifiedBuffer<T> {
    fn as_mut(&mut self) -> &mut [T] {
        self
    }
}

impl<T: DeviceCopy> Deref for UnifiedBuffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.as_slice()
    }
}

impl<T: DeviceCopy> DerefMut for UnifiedBuffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.as_mut_slice()
    }
}
