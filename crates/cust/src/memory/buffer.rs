//! Buffers: device memory with an owner.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use bytemuck::Zeroable;

use super::allocation::Allocation;
use super::{AsyncCopyDestination, CopyDestination, DeviceCopy, DevicePointer, DeviceSlice, bytes};
use crate::context::owner::Owner;
use crate::driver;
use crate::error::{CudaResult, DropResult};
use crate::stream::{Stream, StreamInner};
use crate::sys::CUdeviceptr;

/// Device memory for a number of values, freed when dropped.
///
/// A buffer remembers the context it was made in. One made by [`DeviceBuffer::uninitialized_async`]
/// and the like also remembers the stream, and when dropped is freed in the order of that stream,
/// without waiting: work in other streams that uses it must be done before then, or be waited for
/// by that stream ([`Stream::wait_event`]).
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
    /// All of the memory; or what it was set to, as the buffer dereferences to it.
    slice: DeviceSlice<T>,
    /// The memory that is to be given back; `None` where there is none, or it was.
    memory: Option<Memory>,
}

/// Memory that a buffer owns.
#[derive(Debug)]
struct Memory {
    address: CUdeviceptr,
    allocation: Allocation,
    origin: Origin,
}

/// Where a buffer's memory came from, and so how it is given back.
#[derive(Debug)]
enum Origin {
    /// `cuMemAlloc` in this context; `None` for memory that came as raw parts while no context was
    /// current.
    Plain(Option<Owner>),
    /// `cuMemAllocAsync` in this stream.
    Ordered(Arc<StreamInner>),
}

impl<T: DeviceCopy> DeviceBuffer<T> {
    /// A buffer of `size` values in the current context, not cleared.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`](crate::error::CudaError::OutOfMemory),
    /// [`CudaError::InvalidMemoryAllocation`](crate::error::CudaError::InvalidMemoryAllocation) for
    /// a size that overflows.
    ///
    /// # Safety
    /// 1. What is read was written before, by a copy, a fill or a kernel.
    pub unsafe fn uninitialized(size: usize) -> CudaResult<Self> {
        match bytes::of::<T>(size)? {
            0 => Ok(DeviceBuffer::without_memory(size)),
            bytes => DeviceBuffer::plain(Owner::current()?, size, bytes),
        }
    }

    /// A buffer of `size` values, which work queued in `stream` from here on may use; not cleared.
    /// Where driver or device have no stream-ordered memory, it is ordinary memory.
    ///
    /// # Errors
    /// As [`DeviceBuffer::uninitialized`].
    ///
    /// # Safety
    /// 1. What is read was written before, by a copy, a fill or a kernel.
    /// 2. Work in other streams uses the buffer only after what is queued in `stream` now, and is
    ///    done, or waited for by `stream`, before the buffer is dropped.
    pub unsafe fn uninitialized_async(size: usize, stream: &Stream) -> CudaResult<Self> {
        let bytes = bytes::of::<T>(size)?;
        if bytes == 0 {
            return Ok(DeviceBuffer::without_memory(size));
        }
        let _current = stream.enter()?;
        let owner = stream.shared().owner();
        if !owner.has_memory_pools() {
            return DeviceBuffer::plain(owner.clone(), size, bytes);
        }
        // SAFETY: a live stream, its context current.
        let address = unsafe { driver()?.mem_alloc_async(bytes, stream.as_inner()) }?;
        let slice = DeviceSlice::in_context(DevicePointer::from_raw(address), size, owner.raw());
        let origin = Origin::Ordered(Arc::clone(stream.shared()));
        Ok(DeviceBuffer::with_memory(slice, origin))
    }

    /// `cuMemAlloc` in the current context, which is `owner`.
    fn plain(owner: Owner, size: usize, bytes: usize) -> CudaResult<Self> {
        let address = driver()?.mem_alloc(bytes)?;
        let slice = DeviceSlice::in_context(DevicePointer::from_raw(address), size, owner.raw());
        Ok(DeviceBuffer::with_memory(slice, Origin::Plain(Some(owner))))
    }

    /// The owner of the slice's memory.
    fn with_memory(slice: DeviceSlice<T>, origin: Origin) -> Self {
        let allocation = Allocation::begin();
        DeviceBuffer {
            slice: slice.of_allocation(Some(allocation)),
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

    /// A buffer that holds a copy of `slice`.
    ///
    /// # Errors
    /// As [`DeviceBuffer::uninitialized`].
    pub fn from_slice(slice: &[T]) -> CudaResult<Self> {
        // SAFETY: all of it is written before the buffer is given out.
        let mut buffer = unsafe { DeviceBuffer::uninitialized(slice.len()) }?;
        buffer.copy_from(slice)?;
        Ok(buffer)
    }

    /// A buffer that holds a copy of `slice`, made in the order of `stream`.
    ///
    /// # Errors
    /// As [`DeviceBuffer::uninitialized_async`].
    ///
    /// # Safety
    /// 1. As [`DeviceBuffer::uninitialized_async`], point 2.
    /// 2. Until the copy is done, `slice` is neither changed nor freed.
    pub unsafe fn from_slice_async(slice: &[T], stream: &Stream) -> CudaResult<Self> {
        // SAFETY: all of it is written before what is queued next; the rest is the caller's promise
        // (1).
        let mut buffer = unsafe { DeviceBuffer::uninitialized_async(slice.len(), stream) }?;
        // SAFETY: the caller's promise (2).
        unsafe { buffer.async_copy_from(slice, stream) }?;
        Ok(buffer)
    }

    /// Takes over memory that was allocated otherwise, in the current context.
    ///
    /// # Safety
    /// 1. `ptr` came from [`cuda_malloc`](super::cuda_malloc) or the driver's `cuMemAlloc` for
    ///    `capacity` values, and nothing else will free it.
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

    /// All of the buffer.
    pub fn as_slice(&self) -> &DeviceSlice<T> {
        &self.slice
    }

    /// Frees the buffer when the work queued in `stream` so far is done. Memory that is not
    /// stream-ordered is freed by waiting for the stream.
    ///
    /// # Errors
    /// Those of the driver; the memory is then lost.
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
        // SAFETY: a live stream, its context current; the buffer is used up, and who made it in a
        // stream promised that work in others is done or waited for.
        unsafe { driver()?.mem_free_async(memory.address, stream.as_inner()) }
    }

    /// Frees the buffer, and returns the result.
    ///
    /// # Errors
    /// The driver's error and the buffer.
    pub fn drop(mut dev_buf: DeviceBuffer<T>) -> DropResult<DeviceBuffer<T>> {
        dev_buf.free().map_err(|error| (error, dev_buf))
    }

    /// Lets go of the memory, which is no longer freed.
    pub(super) fn into_raw(mut self) -> DevicePointer<T> {
        let Some(memory) = self.memory.take() else {
            return self.slice.as_device_ptr();
        };
        memory.allocation.end();
        DevicePointer::from_raw(memory.address)
    }

    /// The same memory and slice, as values of another type; `len` of them are the slice's bytes.
    pub(super) fn of_other_values<B: DeviceCopy>(mut self, len: usize) -> DeviceBuffer<B> {
        DeviceBuffer {
            slice: self.slice.of_other_values(len),
            memory: self.memory.take(),
        }
    }

    /// Gives the memory back unless that is done already. Where the driver refuses, the buffer has
    /// it still.
    fn free(&mut self) -> CudaResult<()> {
        let Some(memory) = &mut self.memory else {
            return Ok(());
        };
        memory.allocation.end();
        let freed = memory.give_back();
        if freed.is_err() {
            memory.allocation = Allocation::begin();
            self.slice = self.slice.of_allocation(Some(memory.allocation));
        } else {
            self.memory = None;
        }
        freed
    }
}

impl Memory {
    fn give_back(&self) -> CudaResult<()> {
        match &self.origin {
            Origin::Plain(owner) => {
                let _current = owner.as_ref().map(Owner::enter).transpose()?;
                // SAFETY: allocated by `cuMemAlloc`, freed once, not used again: `free` is for the
                // two ways to drop.
                unsafe { driver()?.mem_free(self.address) }
            }
            Origin::Ordered(home) => {
                let _current = home.enter()?;
                // SAFETY: allocated in this stream, which the buffer keeps alive; freed once. Who
                // made the buffer promised that work in other streams is done or waited for.
                unsafe { driver()?.mem_free_async(self.address, home.raw()) }
            }
        }
    }
}

impl<T: DeviceCopy + Zeroable> DeviceBuffer<T> {
    /// A buffer of `size` values whose bytes are 0.
    ///
    /// # Errors
    /// As [`DeviceBuffer::uninitialized`].
    pub fn zeroed(size: usize) -> CudaResult<Self> {
        // SAFETY: all of it is written before the buffer is given out.
        let mut buffer = unsafe { DeviceBuffer::uninitialized(size) }?;
        buffer.set_zero()?;
        Ok(buffer)
    }

    /// [`DeviceBuffer::zeroed`], in the order of `stream`.
    ///
    /// # Errors
    /// As [`DeviceBuffer::uninitialized_async`].
    ///
    /// # Safety
    /// 1. As [`DeviceBuffer::uninitialized_async`], point 2.
    pub unsafe fn zeroed_async(size: usize, stream: &Stream) -> CudaResult<Self> {
        // SAFETY: all of it is written before what is queued next; the rest is the caller's promise
        // (1).
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
        // A failure cannot be reported here.
        let _ = self.free();
    }
}
