//! Buffers: owned device memory.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use bytemuck::Zeroable;

use super::allocation::Allocation;
use super::{
    AsyncCopyDestination, CopyDestination, DeviceCopy, DevicePointer, DeviceSlice, MemoryPool,
    bytes,
};
use crate::context::owner::Owner;
use crate::driver;
use crate::error::{CudaResult, DropResult};
use crate::stream::{Stream, StreamInner};
use crate::sys::CUdeviceptr;

/// Array in device memory, freed when dropped.
///
/// A buffer belongs to the context in which it was created. A buffer created by
/// [`DeviceBuffer::uninitialized_async`] and similar functions also belongs to the stream, in which
/// it is freed asynchronously when dropped: work in other streams that uses it must be complete by
/// then, or that stream must wait for it ([`Stream::wait_event`]).
///
/// ```no_run
/// use cust::prelude::*;
///
/// # fn main() -> cust::error::CudaResult<()> {
/// let _context = cust::quick_init()?;
/// let mut buffer = DeviceBuffer::from_slice(&[1u32, 2, 3, 4])?;
/// buffer.index(2..).copy_from(&[9, 9])?;
/// assert_eq!(buffer.as_host_vec()?, [1, 2, 9, 9]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct DeviceBuffer<T: DeviceCopy> {
    /// The whole buffer, or the slice assigned through `DerefMut`.
    slice: DeviceSlice<T>,
    /// Memory to free; `None` if nothing is allocated or it has been freed.
    memory: Option<Memory>,
}

/// Memory owned by a buffer.
#[derive(Debug)]
struct Memory {
    address: CUdeviceptr,
    allocation: Allocation,
    origin: Origin,
}

/// Origin of a buffer's memory, which determines how it is freed.
#[derive(Debug)]
enum Origin {
    /// `cuMemAlloc` in this context; `None` for memory adopted from raw parts while no context was
    /// current.
    Plain(Option<Owner>),
    /// `cuMemAllocAsync` in this stream.
    Ordered(Arc<StreamInner>),
}

impl<T: DeviceCopy> DeviceBuffer<T> {
    /// Allocates `size` uninitialized values in the current context.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`](crate::error::CudaError::OutOfMemory),
    /// [`CudaError::InvalidMemoryAllocation`](crate::error::CudaError::InvalidMemoryAllocation) for
    /// a size that overflows.
    ///
    /// # Safety
    /// 1. Values are initialized by a copy, a fill or a kernel before they are read.
    pub unsafe fn uninitialized(size: usize) -> CudaResult<Self> {
        match bytes::array_bytes::<T>(size)? {
            0 => Ok(DeviceBuffer::without_memory(size)),
            bytes => DeviceBuffer::plain(Owner::current()?, size, bytes),
        }
    }

    /// Allocates `size` uninitialized values for use by work queued in `stream` from now on. Falls
    /// back to synchronous allocation if driver or device do not support the stream-ordered
    /// allocator.
    ///
    /// # Errors
    /// See [`DeviceBuffer::uninitialized`].
    ///
    /// # Safety
    /// 1. Values are initialized by a copy, a fill or a kernel before they are read.
    /// 2. Work in other streams uses the buffer only after the work now queued in `stream`, and is
    ///    complete, or waited for by `stream`, before the buffer is dropped.
    pub unsafe fn uninitialized_async(size: usize, stream: &Stream) -> CudaResult<Self> {
        // SAFETY: the caller's guarantees (1, 2).
        unsafe { DeviceBuffer::uninitialized_from_pool_async(size, None, stream) }
    }

    /// Allocates `size` uninitialized values like [`DeviceBuffer::uninitialized_async`], in a pool
    /// of the stream's device; `None` for the device's own. (Not part of Rust-CUDA.)
    ///
    /// # Errors
    /// See [`DeviceBuffer::uninitialized`].
    ///
    /// # Safety
    /// 1. The conditions of [`DeviceBuffer::uninitialized_async`] hold.
    pub unsafe fn uninitialized_from_pool_async(
        size: usize,
        pool: Option<&MemoryPool>,
        stream: &Stream,
    ) -> CudaResult<Self> {
        let bytes = bytes::array_bytes::<T>(size)?;
        if bytes == 0 {
            return Ok(DeviceBuffer::without_memory(size));
        }
        let _current = stream.enter()?;
        let owner = stream.shared().owner();
        if !owner.has_memory_pools() {
            return DeviceBuffer::plain(owner.clone(), size, bytes);
        }
        let (driver, raw) = (driver()?, stream.as_inner());
        let address = match pool {
            // SAFETY: a live stream with its context current, and a live pool.
            Some(pool) => unsafe { driver.mem_alloc_from_pool_async(bytes, pool.raw(), raw) },
            // SAFETY: a live stream with its context current.
            None => unsafe { driver.mem_alloc_async(bytes, raw) },
        }?;
        let slice = DeviceSlice::in_context(DevicePointer::from_raw(address), size, owner.raw());
        let origin = Origin::Ordered(Arc::clone(stream.shared()));
        Ok(DeviceBuffer::with_memory(slice, origin))
    }

    /// Allocates with `cuMemAlloc` in the current context, which is `owner`.
    fn plain(owner: Owner, size: usize, bytes: usize) -> CudaResult<Self> {
        let address = driver()?.mem_alloc(bytes)?;
        let slice = DeviceSlice::in_context(DevicePointer::from_raw(address), size, owner.raw());
        Ok(DeviceBuffer::with_memory(slice, Origin::Plain(Some(owner))))
    }

    /// Creates the buffer that owns the slice's memory.
    fn with_memory(slice: DeviceSlice<T>, origin: Origin) -> Self {
        let allocation = Allocation::begin();
        DeviceBuffer {
            slice: slice.with_allocation(Some(allocation)),
            memory: Some(Memory {
                address: slice.as_device_ptr().as_raw(),
                allocation,
                origin,
            }),
        }
    }

    fn without_memory(size: usize) -> Self {
        DeviceBuffer {
            slice: DeviceSlice::in_context(DevicePointer::null(), size, std::ptr::null_mut()),
            memory: None,
        }
    }

    /// Allocates a buffer with a copy of `slice`.
    ///
    /// # Errors
    /// See [`DeviceBuffer::uninitialized`].
    pub fn from_slice(slice: &[T]) -> CudaResult<Self> {
        // SAFETY: all values are initialized before the buffer is returned.
        let mut buffer = unsafe { DeviceBuffer::uninitialized(slice.len()) }?;
        buffer.copy_from(slice)?;
        Ok(buffer)
    }

    /// Allocates a buffer and queues a copy of `slice` in `stream`.
    ///
    /// # Errors
    /// See [`DeviceBuffer::uninitialized_async`].
    ///
    /// # Safety
    /// 1. Condition 2 of [`DeviceBuffer::uninitialized_async`] holds.
    /// 2. Until the copy is complete, `slice` is neither modified nor freed.
    pub unsafe fn from_slice_async(slice: &[T], stream: &Stream) -> CudaResult<Self> {
        // SAFETY: all values are written before any work queued later; the caller's guarantee (1).
        let mut buffer = unsafe { DeviceBuffer::uninitialized_async(slice.len(), stream) }?;
        // SAFETY: the caller's guarantee (2).
        unsafe { buffer.async_copy_from(slice, stream) }?;
        Ok(buffer)
    }

    /// Takes ownership of memory allocated in the current context.
    ///
    /// # Safety
    /// 1. `ptr` was returned by [`cuda_malloc`](super::cuda_malloc) or the driver's `cuMemAlloc`
    ///    for `capacity` values, and nothing else frees it.
    /// 2. The context it was allocated in is current.
    pub unsafe fn from_raw_parts(ptr: DevicePointer<T>, capacity: usize) -> DeviceBuffer<T> {
        let owner = Owner::current().ok();
        let context = owner.as_ref().map_or(std::ptr::null_mut(), Owner::raw);
        let slice = DeviceSlice::in_context(ptr, capacity, context);
        if ptr.is_null() {
            return DeviceBuffer {
                slice,
                memory: None,
            };
        }
        DeviceBuffer::with_memory(slice, Origin::Plain(owner))
    }

    /// Returns the whole buffer as a slice.
    pub fn as_slice(&self) -> &DeviceSlice<T> {
        &self.slice
    }

    /// Frees the buffer once the work queued in `stream` so far is complete. Memory that is not
    /// stream-ordered is freed after waiting for the stream.
    ///
    /// # Errors
    /// Errors of the driver; the memory is leaked.
    pub fn drop_async(mut self, stream: &Stream) -> CudaResult<()> {
        let Some(memory) = self.memory.take() else {
            return Ok(());
        };
        if let Origin::Plain(_) = memory.origin {
            self.memory = Some(memory);
            stream.synchronize()?;
            return self.free();
        }
        memory.allocation.end();
        let _current = stream.enter()?;
        // SAFETY: a live stream with its context current; the buffer is consumed, and its creator
        // guarantees that work in other streams is complete or waited for.
        unsafe { driver()?.mem_free_async(memory.address, stream.as_inner()) }
    }

    /// Frees the buffer and returns the result.
    ///
    /// # Errors
    /// The driver's error and the buffer.
    pub fn drop(mut dev_buf: DeviceBuffer<T>) -> DropResult<DeviceBuffer<T>> {
        dev_buf.free().map_err(|error| (error, dev_buf))
    }

    /// Releases ownership of the memory.
    pub(super) fn into_raw(mut self) -> DevicePointer<T> {
        let Some(memory) = self.memory.take() else {
            return self.slice.as_device_ptr();
        };
        memory.allocation.end();
        DevicePointer::from_raw(memory.address)
    }

    /// Reinterprets memory and slice as values of another type; `len` of them have the size of the
    /// slice.
    pub(super) fn cast_values<B: DeviceCopy>(mut self, len: usize) -> DeviceBuffer<B> {
        DeviceBuffer {
            slice: self.slice.cast_values(len),
            memory: self.memory.take(),
        }
    }

    /// Frees the memory, if it has not been freed. If the driver reports an error, the buffer keeps
    /// it.
    fn free(&mut self) -> CudaResult<()> {
        let Some(memory) = &mut self.memory else {
            return Ok(());
        };
        let ended = memory.allocation;
        ended.end();
        let freed = memory.free();
        if freed.is_err() {
            memory.allocation = Allocation::begin();
            // Safe code may have replaced the slice by one of another buffer.
            if (self.slice.allocation()).is_some_and(|allocation| allocation.is_same(ended)) {
                self.slice = self.slice.with_allocation(Some(memory.allocation));
            }
        } else {
            self.memory = None;
        }
        freed
    }
}

impl Memory {
    fn free(&self) -> CudaResult<()> {
        match &self.origin {
            Origin::Plain(owner) => {
                let _current = owner.as_ref().map(Owner::enter).transpose()?;
                // SAFETY: allocated by `cuMemAlloc`, freed once and not used again, because `free`
                // is called only when the buffer is dropped.
                unsafe { driver()?.mem_free(self.address) }
            }
            Origin::Ordered(stream) => {
                let _current = stream.enter()?;
                // SAFETY: allocated in this stream, which the buffer keeps alive; freed once. The
                // creator of the buffer guarantees that work in other streams is complete or waited
                // for.
                unsafe { driver()?.mem_free_async(self.address, stream.raw()) }
            }
        }
    }
}

impl<T: DeviceCopy + Zeroable> DeviceBuffer<T> {
    /// Allocates `size` values whose bytes are zero.
    ///
    /// # Errors
    /// See [`DeviceBuffer::uninitialized`].
    pub fn zeroed(size: usize) -> CudaResult<Self> {
        // SAFETY: all values are initialized before the buffer is returned.
        let mut buffer = unsafe { DeviceBuffer::uninitialized(size) }?;
        buffer.set_zero()?;
        Ok(buffer)
    }

    /// Allocates a buffer and queues zeroing it in `stream`.
    ///
    /// # Errors
    /// See [`DeviceBuffer::uninitialized_async`].
    ///
    /// # Safety
    /// 1. Condition 2 of [`DeviceBuffer::uninitialized_async`] holds.
    pub unsafe fn zeroed_async(size: usize, stream: &Stream) -> CudaResult<Self> {
        // SAFETY: all values are written before any work queued later; the caller's guarantee (1).
        let mut buffer = unsafe { DeviceBuffer::uninitialized_async(size, stream) }?;
        // SAFETY: as above.
        unsafe { buffer.set_zero_async(stream) }?;
        Ok(buffer)
    }
}

impl<T: DeviceCopy> Deref for DeviceBuffer<T> {
    type Target = DeviceSlice<T>;

    fn deref(&self) -> &DeviceSlice<T> {
        &self.slice
    }
}

impl<T: DeviceCopy> DerefMut for DeviceBuffer<T> {
    fn deref_mut(&mut self) -> &mut DeviceSlice<T> {
        &mut self.slice
    }
}

impl<T: DeviceCopy> Drop for DeviceBuffer<T> {
    fn drop(&mut self) {
        // Errors cannot be reported here.
        let _ = self.free();
    }
}
