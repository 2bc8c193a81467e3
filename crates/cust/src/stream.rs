//! Streams: queues of work for a device. Work in one stream runs in order; streams run beside each
//! other.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::Arc;

use bitflags::bitflags;

use crate::context::ContextGuard;
use crate::context::owner::Owner;
use crate::driver;
use crate::error::{CudaError, CudaResult, DropResult};
use crate::sys::CUstream;

bitflags! {
    /// How a stream relates to the default stream.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct StreamFlags: u32 {
        /// Work in the stream and work in the default stream wait for each other.
        const DEFAULT = 0x00;
        /// They do not. [`Stream::new`] ignores this flag, as the published crate does, because its
        /// synchronous copies run in the default stream; [`Stream::new_non_blocking`] does not
        /// ignore it.
        const NON_BLOCKING = 0x01;
    }
}

bitflags! {
    /// Flags of [`Stream::wait_event`].
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct StreamWaitEventFlags: u32 {
        /// The only way there is.
        const DEFAULT = 0x0;
    }
}

/// A queue of work, in the context that was current when it was made.
#[derive(Debug)]
pub struct Stream {
    inner: Arc<StreamInner>,
}

/// The driver's stream. Buffers that were allocated in its order hold it too, because they free in
/// it.
#[derive(Debug)]
pub(crate) struct StreamInner {
    raw: CUstream,
    owner: Owner,
}

// SAFETY: the driver allows a stream to be used from any thread.
unsafe impl Send for StreamInner {}
// SAFETY: as above; it locks for itself.
unsafe impl Sync for StreamInner {}

impl StreamInner {
    pub(crate) fn raw(&self) -> CUstream {
        self.raw
    }

    pub(crate) fn enter(&self) -> CudaResult<ContextGuard<'_>> {
        self.owner.enter()
    }

    pub(crate) fn owner(&self) -> &Owner {
        &self.owner
    }

    /// Destroys the stream unless it is already.
    fn destroy(&mut self) -> CudaResult<()> {
        if self.raw.is_null() {
            return Ok(());
        }
        let _current = self.owner.enter()?;
        // SAFETY: this crate made the stream, and has not destroyed it; `self` is its only holder
        // here, being borrowed mutably.
        unsafe { driver()?.stream_destroy(self.raw) }?;
        self.raw = ptr::null_mut();
        Ok(())
    }
}

impl Drop for StreamInner {
    fn drop(&mut self) {
        // A failure cannot be reported here.
        let _ = self.destroy();
    }
}

impl Stream {
    /// A stream in the current context. Smaller numbers are greater priorities; `None` is the usual
    /// one.
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`] where no context is current.
    pub fn new(flags: StreamFlags, priority: Option<i32>) -> CudaResult<Self> {
        Stream::with_flags(flags - StreamFlags::NON_BLOCKING, priority)
    }

    /// A stream that does not wait for the default stream. Synchronous copies and fills
    /// ([`CopyDestination`] and the like) run in the default stream: before one of them touches
    /// what this stream uses, call [`Stream::synchronize`], or use the asynchronous ones only. (An
    /// addition to the published names.)
    ///
    /// # Errors
    /// As [`Stream::new`].
    ///
    /// [`CopyDestination`]: crate::memory::CopyDestination
    pub fn new_non_blocking(priority: Option<i32>) -> CudaResult<Self> {
        Stream::with_flags(StreamFlags::NON_BLOCKING, priority)
    }

    fn with_flags(flags: StreamFlags, priority: Option<i32>) -> CudaResult<Self> {
        let owner = Owner::current()?;
        let raw = driver()?.stream_create(flags.bits(), priority.unwrap_or(0))?;
        Ok(Stream {
            inner: Arc::new(StreamInner { raw, owner }),
        })
    }

    /// The flags the stream was made with.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn get_flags(&self) -> CudaResult<StreamFlags> {
        let _current = self.enter()?;
        // SAFETY: a live stream, its context current.
        let bits = unsafe { driver()?.stream_flags(self.as_inner()) }?;
        Ok(StreamFlags::from_bits_truncate(bits))
    }

    /// The priority the stream has, after the driver clamped it.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn get_priority(&self) -> CudaResult<i32> {
        let _current = self.enter()?;
        // SAFETY: a live stream, its context current.
        unsafe { driver()?.stream_priority(self.as_inner()) }
    }

    /// Queues a call of a host function, which a thread of the driver makes. It must not call CUDA.
    /// A panic in it is caught and lost. Where an earlier error of the context keeps the driver
    /// from calling the function, it is leaked.
    ///
    /// The function may run long after this returns, so it borrows nothing. (The published
    /// signature lacks `'static`.)
    ///
    /// ```compile_fail,E0597
    /// # use cust::prelude::*;
    /// fn borrows(stream: &Stream) -> cust::error::CudaResult<()> {
    ///     let text = String::from("gone when it is called");
    ///     let text = &text;
    ///     stream.add_callback(Box::new(move || println!("{text}")))
    /// }
    /// ```
    ///
    /// # Errors
    /// Those of the driver; the function is then not called.
    pub fn add_callback<T>(&self, callback: Box<T>) -> CudaResult<()>
    where
        T: FnOnce() + Send + 'static,
    {
        let driver = driver()?;
        let _current = self.enter()?;
        let data = Box::into_raw(callback);
        // SAFETY: a live stream, its context current; `call_back::<T>` takes what `Box<T>` was made
        // into, once, and never unwinds.
        let queued = unsafe {
            driver.launch_host_function(self.as_inner(), call_back::<T>, data.cast::<c_void>())
        };
        if queued.is_err() {
            // SAFETY: the driver did not take it.
            drop(unsafe { Box::from_raw(data) });
        }
        queued
    }

    /// Waits for the work queued so far.
    ///
    /// # Errors
    /// Those of the work.
    pub fn synchronize(&self) -> CudaResult<()> {
        let _current = self.enter()?;
        // SAFETY: a live stream, its context current.
        unsafe { driver()?.stream_synchronize(self.as_inner()) }
    }

    /// Whether all queued work is done. (An addition to the published names.)
    ///
    /// # Errors
    /// Those of the work.
    pub fn query(&self) -> CudaResult<bool> {
        let _current = self.enter()?;
        // SAFETY: a live stream, its context current.
        match unsafe { driver()?.stream_query(self.as_inner()) } {
            Ok(()) => Ok(true),
            Err(CudaError::NotReady) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The driver's handle, valid as long as the stream.
    pub fn as_inner(&self) -> CUstream {
        self.inner.raw
    }

    /// Destroys the stream, and returns the result. Queued work still runs. Where buffers that were
    /// allocated in its order still exist, the stream goes with the last of them.
    ///
    /// # Errors
    /// The driver's error and the stream.
    pub fn drop(stream: Stream) -> DropResult<Stream> {
        match Arc::try_unwrap(stream.inner) {
            Ok(mut inner) => inner.destroy().map_err(|error| {
                (
                    error,
                    Stream {
                        inner: Arc::new(inner),
                    },
                )
            }),
            Err(_shared) => Ok(()),
        }
    }

    pub(crate) fn enter(&self) -> CudaResult<ContextGuard<'_>> {
        self.inner.enter()
    }

    pub(crate) fn shared(&self) -> &Arc<StreamInner> {
        &self.inner
    }
}

/// Calls a boxed host function from a thread of the driver.
///
/// # Safety
/// 1. `data` came from `Box<T>::into_raw`, and this is the only use of it since.
unsafe extern "system" fn call_back<T: FnOnce() + Send>(data: *mut c_void) {
    // SAFETY: the caller's promise (1).
    let callback = unsafe { Box::from_raw(data.cast::<T>()) };
    // A panic must not unwind into the driver.
    let _ = catch_unwind(AssertUnwindSafe(callback));
}
