//! Streams and events of a CUDA device.

use super::{
    CudaConstant, CudaMemory, Shared,
    kernels::LoadedKernel,
    owner::StreamOwner,
    pool::Pool,
    staging::{self, SLOT, STAGED},
    users,
};
use crate::{
    device::{DeviceError, launch_config::LaunchConfig, pinned_registry::is_pinned},
    memory,
};
use cuda_std::PackedArgs;
use cust::{
    context::ContextGuard,
    error::{CudaError, CudaResult},
    event::{Event, EventFlags},
    memory::{AsyncCopyDestination, LockedBuffer, device_ordinal_at, mem_get_info},
    stream::{Stream, StreamWaitEventFlags, UnownedStream},
};
use std::{ops::Range, sync::Arc, time::Duration};

/// Maximum number of bytes that are downloaded through the stream's own pinned memory.
const SMALL: usize = 4096;

#[derive(Clone)]
pub(in crate::device) struct CudaStream {
    owner: Arc<StreamOwner>,
}

impl CudaStream {
    pub(super) fn new(shared: &Arc<Shared>) -> Result<Self, DeviceError> {
        let stream = shared.with("making a stream", || Stream::new_non_blocking(None))?;
        let pool = Arc::<Pool>::default();
        shared.add_pool(&pool);
        Ok(Self {
            owner: Arc::new(StreamOwner::new(stream, pool, shared.clone())),
        })
    }

    /// Makes the context of the device current on this thread until the guard is dropped.
    pub fn enter(&self) -> Result<ContextGuard<'_>, DeviceError> {
        let shared = &self.owner.shared;
        let entered = shared.context.enter();
        entered.map_err(|error| shared.error("making the context current", error))
    }

    /// Returns the driver's handle.
    pub fn raw_handle(&self) -> usize {
        self.owner.stream.as_inner().expose_provenance()
    }

    /// Makes later work wait for the work enqueued so far on another stream.
    ///
    /// # Safety
    /// `stream` must be the handle of a default stream, or of a stream that exists.
    pub unsafe fn wait_for_raw(&self, stream: usize) -> Result<(), DeviceError> {
        self.owner.with_event(|event| {
            // SAFETY: guaranteed by the caller.
            let other = unsafe { unowned_stream(stream) }?;
            other.record(event)?;
            let stream = &self.owner.stream;
            stream.wait_event(event, StreamWaitEventFlags::DEFAULT)
        })
    }

    /// Makes later work on another stream wait for the work enqueued so far.
    ///
    /// # Safety
    /// `stream` must be the handle of a default stream, or of a stream that exists.
    pub unsafe fn signal_raw(&self, stream: usize) -> Result<(), DeviceError> {
        self.owner.with_event(|event| {
            // SAFETY: guaranteed by the caller.
            let other = unsafe { unowned_stream(stream) }?;
            event.record(&self.owner.stream)?;
            other.wait_event(event)
        })
    }

    /// Creates memory that refers to `bytes` bytes at an address of the device.
    ///
    /// # Safety
    /// The requirements of [`CudaMemory::borrow`].
    pub unsafe fn borrow(&self, address: u64, bytes: usize) -> Result<CudaMemory, DeviceError> {
        // SAFETY: guaranteed by the caller.
        unsafe { CudaMemory::borrow(&self.owner, address, bytes) }
    }

    /// Returns the number of bytes of freed memory that the stream keeps.
    pub fn cached_bytes(&self) -> u64 {
        self.owner.pool.bytes()
    }

    /// Returns the freed memory of the stream to the pool of the driver.
    pub fn release_cached_memory(&self) {
        self.owner.pool.clear();
    }

    pub fn alloc(&self, bytes: usize) -> Result<CudaMemory, DeviceError> {
        CudaMemory::new(&self.owner, bytes)
    }

    pub fn fill_with_zero(&self, memory: &CudaMemory, bytes: usize) -> Result<(), DeviceError> {
        if bytes == 0 {
            return Ok(());
        }
        self.act_on("filling with zero", &[memory], |stream| {
            // SAFETY: the memory is of this size, and this is ordered before what comes after.
            unsafe { memory.slice().set_8_async(0, stream) }
        })
    }

    /// Copies to `memory`, from its byte `offset` on.
    pub fn copy_to_device(
        &self,
        memory: &CudaMemory,
        offset: usize,
        bytes: &[u8],
    ) -> Result<(), DeviceError> {
        // SAFETY: the stream is synchronised below, also after an error, unless the driver has read
        // the bytes.
        let begun = unsafe { self.begin_copy_to_device(memory, offset, bytes) };
        if self.is_read_later(bytes) {
            return begun.and(self.synchronize());
        }
        begun
    }

    /// Fills a buffer, which holds the bytes from index `start` on of a list, with bytes that
    /// `fill(first, bytes)` writes, where `first` is the index of the first one in that list. The
    /// function is called on all threads and in any order, until it returns `false`. Each call
    /// fills one block of [`SLOT`] bytes of the list, or that part of it which the buffer holds.
    pub fn fill_memory(
        &self,
        buffer: &CudaMemory,
        start: usize,
        fill: &(dyn Fn(usize, &mut [u8]) -> bool + Sync),
    ) -> Result<(), DeviceError> {
        let to = buffer.slice();
        if to.is_empty() {
            return Ok(());
        }
        users::register_use(&self.owner, std::iter::once(buffer.pointer()))?;
        let (shared, stream) = (&self.owner.shared, &self.owner.stream);
        if shared.upload_filled(stream, &to, start, fill)? {
            return Ok(());
        }
        let mut memory = memory::try_zeroed::<u8>("a part of a buffer", SLOT.min(to.len()))?;
        let list = start..start + to.len();
        for part in (0..).map_while(|number| staging::part_at(&list, number)) {
            let bytes = &mut memory[..part.len()];
            if !fill(part.start, bytes) {
                break;
            }
            self.copy_to_device(buffer, part.start - start, bytes)?;
        }
        Ok(())
    }

    /// Returns `true` if the driver may read bytes of the host after the call that enqueues a copy.
    /// It has read pageable memory by then, but not memory that this or another library pinned,
    /// whose addresses it knows.
    fn is_read_later(&self, bytes: &[u8]) -> bool {
        let ends = [bytes.first(), bytes.last()].into_iter().flatten();
        let mut addresses = ends.map(|byte| std::ptr::from_ref(byte).addr() as u64);
        let is_unknown = self.owner.shared.with("looking up an address", || {
            let unknown = Err(CudaError::InvalidValue);
            Ok(addresses.all(|address| device_ordinal_at(address) == unknown))
        });
        !is_unknown.unwrap_or(false)
    }

    /// Enqueues a copy to the bytes of `memory` from `offset` on.
    ///
    /// # Safety
    /// `bytes` must stay unchanged until the copy has finished.
    pub unsafe fn begin_copy_to_device(
        &self,
        memory: &CudaMemory,
        offset: usize,
        bytes: &[u8],
    ) -> Result<(), DeviceError> {
        if bytes.is_empty() {
            return Ok(());
        }
        if bytes.len() >= STAGED && !is_pinned(bytes) {
            users::register_use(&self.owner, std::iter::once(memory.pointer()))?;
            let (shared, stream) = (&self.owner.shared, &self.owner.stream);
            let to = memory.slice().index(offset..offset + bytes.len());
            if shared.upload_staged(stream, &to, bytes)? {
                return Ok(());
            }
        }
        self.act_on("copying to the device", &[memory], |stream| {
            let mut to = memory.slice().index(offset..offset + bytes.len());
            // SAFETY: guaranteed by the caller.
            unsafe { to.async_copy_from(bytes, stream) }
        })
    }

    /// Enqueues a copy of the first bytes of `memory`.
    ///
    /// # Safety
    /// `bytes` must not be accessed until the copy has finished.
    pub unsafe fn begin_copy_to_host(
        &self,
        bytes: &mut [u8],
        memory: &CudaMemory,
    ) -> Result<(), DeviceError> {
        if bytes.is_empty() {
            return Ok(());
        }
        if bytes.len() >= STAGED && !is_pinned(bytes) {
            users::register_use(&self.owner, std::iter::once(memory.pointer()))?;
            let (shared, stream) = (&self.owner.shared, &self.owner.stream);
            if shared.download_staged(stream, &memory.slice(), bytes)? {
                return Ok(());
            }
        }
        self.act_on("copying to the host", &[memory], |stream| {
            let from = memory.slice().index(0..bytes.len());
            // SAFETY: guaranteed by the caller.
            unsafe { from.async_copy_to(bytes, stream) }
        })
    }

    /// Copies the first bytes of `memory` to the host, and synchronises. Small copies go through
    /// pinned memory, which the device writes directly.
    pub fn copy_to_host(&self, bytes: &mut [u8], memory: &CudaMemory) -> Result<(), DeviceError> {
        if !bytes.is_empty()
            && bytes.len() <= SMALL
            && let Ok(mut small) = self.owner.small.try_lock()
            && let Some(pinned) = self.small_buffer(&mut small)
        {
            let pinned = &mut pinned.as_mut_slice()[..bytes.len()];
            let begun = self.act_on("copying to the host", &[memory], |stream| {
                let from = memory.slice().index(0..bytes.len());
                // SAFETY: the stream is synchronised below, also after an error, and until then the
                // memory is locked.
                unsafe { from.async_copy_to(&mut *pinned, stream) }
            });
            begun.and(self.synchronize())?;
            bytes.copy_from_slice(pinned);
            return Ok(());
        }
        // SAFETY: the stream is synchronised before the borrow ends, also after an error.
        let begun = unsafe { self.begin_copy_to_host(bytes, memory) };
        let done = self.synchronize();
        begun.and(done)
    }

    /// Returns the stream's own pinned memory, or `None` if the system does not provide it.
    fn small_buffer<'a>(
        &self,
        small: &'a mut Option<LockedBuffer<u8>>,
    ) -> Option<&'a mut LockedBuffer<u8>> {
        if small.is_none() {
            let create = || LockedBuffer::new(&0, SMALL);
            *small = self.owner.shared.with("pinning memory", create).ok();
        }
        small.as_mut()
    }

    pub fn copy_on_device(&self, to: &CudaMemory, from: &CudaMemory) -> Result<(), DeviceError> {
        self.act_on("copying on the device", &[to, from], |stream| {
            // SAFETY: both are of one length, and this is ordered before what comes after.
            unsafe { to.slice().async_copy_from(&from.slice(), stream) }
        })
    }

    /// Enqueues a copy of a byte range of `from` to the beginning of a constant, which must be at
    /// least as long.
    pub fn copy_to_constant(
        &self,
        constant: &CudaConstant,
        from: &CudaMemory,
        bytes: Range<usize>,
    ) -> Result<(), DeviceError> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.act_on("copying to constant memory", &[from], |stream| {
            let mut to = constant.bytes().index(0..bytes.len());
            // SAFETY: both are of one length, and this is ordered before what comes after.
            unsafe { to.async_copy_from(&from.slice().index(bytes), stream) }
        })
    }

    /// Checks that `bytes` more bytes can be allocated. If necessary, pooled memory is returned to
    /// the system first.
    pub fn require(&self, bytes: u64) -> Result<(), DeviceError> {
        // if the pool has enough, the slow query of the driver is not needed
        if self.owner.pool.bytes() >= bytes {
            return Ok(());
        }
        let shared = &self.owner.shared;
        let free = || shared.with("asking for its memory", mem_get_info);
        if free()?.0 as u64 >= bytes {
            return Ok(());
        }
        self.synchronize()?;
        shared
            .clear_pools()
            .map_err(|error| shared.error("giving memory back", error))?;
        shared.trim_memory_pool()?;
        let (free, total) = free()?;
        if free as u64 >= bytes {
            return Ok(());
        }
        Err(DeviceError::OutOfMemory {
            device: shared.id.clone(),
            requested: bytes,
            free: free as u64,
            total: total as u64,
        })
    }

    pub fn record(&self) -> Result<CudaEvent, DeviceError> {
        let shared = &self.owner.shared;
        let event = shared.with("making an event", || Event::new(EventFlags::DEFAULT))?;
        self.act("recording an event", |stream| event.record(stream))?;
        Ok(CudaEvent {
            event,
            shared: shared.clone(),
        })
    }

    pub fn synchronize(&self) -> Result<(), DeviceError> {
        self.act("waiting for the stream", Stream::synchronize)
    }

    /// Returns `true` if the work enqueued so far has finished.
    pub fn is_idle(&self) -> Result<bool, DeviceError> {
        self.act("querying the stream", Stream::query)
    }

    /// Enqueues a kernel.
    ///
    /// # Safety
    /// The arguments must satisfy the requirements of the kernel, on this device, and nothing else
    /// may use the memory that it writes.
    pub unsafe fn launch(
        &self,
        kernel: &LoadedKernel,
        choice: &LaunchConfig,
        mut args: PackedArgs,
    ) -> Result<(), DeviceError> {
        users::register_use(&self.owner, args.views().iter().map(|&it| it as u64))?;
        let pointers = args.pointers();
        let LaunchConfig {
            blocks,
            threads,
            dynamic_shared_bytes,
            ..
        } = *choice;
        let what = || {
            format!(
                "launching {} with {blocks} blocks of {threads} threads",
                kernel.entry
            )
        };
        let launched = kernel.allow_shared(dynamic_shared_bytes).and_then(|()| {
            let stream = &self.owner.stream;
            // SAFETY: the caller's promise; the arguments are packed in the order and layout of the
            // entry point's parameters.
            unsafe {
                stream.launch(
                    &kernel.function,
                    blocks,
                    threads,
                    dynamic_shared_bytes,
                    &pointers,
                )
            }
        });
        launched.map_err(|error| self.owner.shared.error(what(), error))
    }

    /// Enqueues an operation on memory that may belong to other streams of the device.
    fn act_on(
        &self,
        what: &str,
        memory: &[&CudaMemory],
        act: impl FnOnce(&Stream) -> CudaResult<()>,
    ) -> Result<(), DeviceError> {
        users::register_use(&self.owner, memory.iter().map(|memory| memory.pointer()))?;
        self.act(what, act)
    }

    fn act<R>(
        &self,
        what: &str,
        act: impl FnOnce(&Stream) -> CudaResult<R>,
    ) -> Result<R, DeviceError> {
        act(&self.owner.stream).map_err(|error| self.owner.shared.error(what, error))
    }
}

/// References the stream with a handle, in the current context.
///
/// # Safety
/// The requirements of [`UnownedStream::from_raw`].
unsafe fn unowned_stream(handle: usize) -> CudaResult<UnownedStream> {
    // SAFETY: guaranteed by the caller.
    unsafe { UnownedStream::from_raw(std::ptr::with_exposed_provenance_mut(handle)) }
}

pub(in crate::device) struct CudaEvent {
    event: Event,
    shared: Arc<Shared>,
}

impl CudaEvent {
    pub fn synchronize(&self) -> Result<(), DeviceError> {
        self.event
            .synchronize()
            .map_err(|error| self.shared.error("waiting for an event", error))
    }

    pub fn since(&self, earlier: &CudaEvent) -> Result<Duration, DeviceError> {
        self.synchronize()?;
        self.event
            .elapsed(&earlier.event)
            .map_err(|error| self.shared.error("timing events", error))
    }
}
