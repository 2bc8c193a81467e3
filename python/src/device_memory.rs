//! Memory of a CUDA device that several libraries share.

use crate::{deferred_release::Release, error::Failure, process::Process, wait::Waits};
use ferrovox::device::{Borrowed, Buffer, Device, Element, Stream};
use std::{
    mem,
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
};

/// Handle of the legacy default stream.
pub(crate) const DEFAULT_STREAM: usize = 1;

/// Maximum number of freed bytes that a stream keeps for later calls of its thread. Others return
/// to the pool of the device, from which an allocation takes longer.
const MAX_CACHED_BYTES: u64 = 1 << 30;

/// Returns the freed memory of a stream to its device, for all streams, if it is large.
pub(crate) fn release_large_cache(stream: &Stream) {
    if stream.cached_bytes() > MAX_CACHED_BYTES {
        stream.release_cached_memory();
    }
}

/// Memory of a CUDA device, owned by a result or by another library.
pub(crate) struct DeviceMemory {
    /// Process that uses the device.
    process: &'static Process,
    /// Owner of the elements; `None` only during drop.
    owner: Option<Box<dyn Send + Sync>>,
    /// Stream for which the elements are ready.
    stream: Arc<Stream>,
    /// Name of the device, such as `cuda:0`.
    device_id: String,
    index: usize,
    /// Streams of other libraries that use the memory, one of the constants below.
    exports: AtomicU8,
}

/// No other library uses the memory.
const NOT_EXPORTED: u8 = 0;
/// Other libraries use the memory in the order of the legacy default stream. This matters for later
/// reads, since they can have written to it, and when the memory is freed.
const BY_DEFAULT_STREAM: u8 = 1;
/// Other libraries use the memory in the order of unknown streams, or of streams that may not exist
/// any more.
const BY_ANY_STREAM: u8 = 2;

impl DeviceMemory {
    /// Creates memory whose elements are ready for later work of `stream`.
    pub fn new(
        owner: Box<dyn Send + Sync>,
        stream: Arc<Stream>,
        index: usize,
    ) -> Result<Self, Failure> {
        Ok(Self {
            process: Process::current()?,
            owner: Some(owner),
            device_id: stream.device().id(),
            stream,
            index,
            exports: AtomicU8::new(NOT_EXPORTED),
        })
    }

    /// Returns the name of the device.
    pub fn device_id(&self) -> &str {
        &self.device_id
    }

    /// Returns the index of the device.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Returns the stream for which the elements are ready.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Returns the device.
    fn device(&self) -> &Device {
        self.stream.device()
    }

    /// Registers that another library gets the memory for work on a stream, given by its handle;
    /// `None` for an unknown stream. Later reads, and the end of the memory, wait for such work.
    pub fn register_export(&self, stream: Option<isize>) {
        let exports = match stream {
            Some(1) => BY_DEFAULT_STREAM,
            // 0 can be the legacy default stream or that of a thread
            _ => BY_ANY_STREAM,
        };
        self.exports.fetch_max(exports, Ordering::Relaxed);
    }

    /// Makes later work of `stream` wait until the elements are ready, and for the work that other
    /// libraries enqueued so far. If their streams are unknown, this waits for the device.
    pub fn order_before(&self, stream: &Stream, waits: &Waits<'_>) -> Result<(), Failure> {
        match self.exports.load(Ordering::Relaxed) {
            NOT_EXPORTED => {}
            BY_DEFAULT_STREAM => {
                // SAFETY: the legacy default stream always exists.
                unsafe { stream.wait_for_raw(DEFAULT_STREAM) }?;
            }
            _ => waits.for_device(self.device())?,
        }
        let Some(ready) = self.stream.raw_handle() else {
            return Ok(());
        };
        if stream.raw_handle() == Some(ready) {
            return Ok(());
        }
        // SAFETY: the handle of a stream that `self` keeps alive.
        Ok(unsafe { stream.wait_for_raw(ready) }?)
    }

    /// Creates a buffer of `len` elements at an address in the memory, for work of `stream`, which
    /// [waits](Self::order_before) for the elements. The work must finish before `self` is dropped.
    pub fn borrow<T: Element>(
        &self,
        stream: &Stream,
        address: usize,
        len: usize,
    ) -> Result<Borrowed<'_, Buffer<T>>, Failure> {
        // SAFETY: the owner keeps the elements allocated, as the array interfaces and DLPack
        // guarantee, and the functions of the module wait for their work before they return. As
        // with arrays of the host, the results are unspecified if other threads write to the
        // elements meanwhile; any bytes are a `T`.
        Ok(unsafe { stream.borrow_device_memory(address as u64, len)? })
    }
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        let Some(owner) = self.owner.take() else {
            return;
        };
        if !self.process.is_current() {
            // a child made by `fork` cannot use the driver of its parent
            mem::forget((owner, self.stream.clone()));
            return;
        }
        match *self.exports.get_mut() {
            NOT_EXPORTED => {}
            BY_DEFAULT_STREAM => {
                // the memory is reused in the order of its stream
                // SAFETY: the legacy default stream always exists.
                if unsafe { self.stream.wait_for_raw(DEFAULT_STREAM) }.is_err() {
                    let _ = self.device().synchronize();
                }
            }
            _ => {
                // Work that uses the memory may wait for the global interpreter lock, which this
                // thread may hold, so that another thread waits for the work.
                let stream = self.stream.clone();
                self.process.releases().push(Release { owner, stream });
                return;
            }
        }
        drop(owner);
        release_large_cache(&self.stream);
    }
}
