//! Streams: in-order queues of work for a device. Different streams run concurrently.

use std::ffi::c_void;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::Arc;

use bitflags::bitflags;

use crate::context::ContextGuard;
use crate::context::owner::Owner;
use crate::driver;
use crate::error::{CudaError, CudaResult, DropResult};
use crate::sys::CUstream;

mod unowned;

pub use unowned::UnownedStream;

bitflags! {
    /// Synchronization of a stream with the default stream.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct StreamFlags: u32 {
        /// Work in the stream and work in the default stream wait for each other.
        const DEFAULT = 0x00;
        /// Non-blocking stream. [`Stream::new`] ignores this flag, as Rust-CUDA does, because
        /// synchronous copies run in the default stream; use [`Stream::new_non_blocking`] instead.
        const NON_BLOCKING = 0x01;
    }
}

bitflags! {
    /// Flags of [`Stream::wait_event`].
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct StreamWaitEventFlags: u32 {
        /// The only supported behaviour.
        const DEFAULT = 0x0;
    }
}

/// In-order queue of work, in the context that was current when it was created.
#[derive(Debug)]
pub struct Stream {
    inner: Arc<StreamInner>,
}

/// The driver's stream. Shared with stream-ordered buffers, which are freed in it.
#[derive(Debug)]
pub(crate) struct StreamInner {
    raw: CUstream,
    owner: Owner,
}

// SAFETY: the driver allows a stream to be used from any thread.
unsafe impl Send for StreamInner {}
// SAFETY: as above; the driver synchronizes internally.
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

    /// Destroys the stream, if it has not been destroyed.
    fn destroy(&mut self) -> CudaResult<()> {
        if self.raw.is_null() {
            return Ok(());
        }
        let _current = self.owner.enter()?;
        // SAFETY: this crate created the stream and has not destroyed it; the mutable borrow shows
        // that nothing else uses it.
        unsafe { driver()?.stream_destroy(self.raw) }?;
        self.raw = ptr::null_mut();
        Ok(())
    }
}

impl Drop for StreamInner {
    fn drop(&mut self) {
        // Errors cannot be reported here.
        let _ = self.destroy();
    }
}

impl Stream {
    /// Creates a stream in the current context. Smaller numbers are higher priorities; `None` is
    /// the default priority.
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`] if no context is current.
    pub fn new(flags: StreamFlags, priority: Option<i32>) -> CudaResult<Self> {
        Stream::with_flags(flags - StreamFlags::NON_BLOCKING, priority)
    }

    /// Creates a stream that does not synchronize with the default stream. Synchronous copies and
    /// fills ([`CopyDestination`] and others) run in the default stream: call
    /// [`Stream::synchronize`] before using them on memory that this stream uses, or use only the
    /// asynchronous versions. (Not part of Rust-CUDA.)
    ///
    /// # Errors
    /// See [`Stream::new`].
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

    /// Returns the flags with which the stream was created.
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn get_flags(&self) -> CudaResult<StreamFlags> {
        let _current = self.enter()?;
        // SAFETY: a live stream with its context current.
        let bits = unsafe { driver()?.stream_flags(self.as_inner()) }?;
        Ok(StreamFlags::from_bits_truncate(bits))
    }

    /// Returns the stream's priority, after clamping by the driver.
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn get_priority(&self) -> CudaResult<i32> {
        let _current = self.enter()?;
        // SAFETY: a live stream with its context current.
        unsafe { driver()?.stream_priority(self.as_inner()) }
    }

    /// Queues a call of a host function, which a thread of the driver executes. The function must
    /// not call CUDA. A panic in it is caught and discarded. The function is leaked if an earlier
    /// error of the context prevents its call.
    ///
    /// The function may run long after this function returns and must therefore be `'static`. (The
    /// signature in Rust-CUDA does not require this.)
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
    /// Errors of the driver; the function is not called in this case.
    pub fn add_callback<T>(&self, callback: Box<T>) -> CudaResult<()>
    where
        T: FnOnce() + Send + 'static,
    {
        let driver = driver()?;
        let _current = self.enter()?;
        let data = Box::into_raw(callback);
        // SAFETY: a live stream with its context current; `call_back::<T>` consumes the pointer
        // from `Box<T>::into_raw` exactly once and never unwinds.
        let queued = unsafe {
            driver.launch_host_function(self.as_inner(), call_back::<T>, data.cast::<c_void>())
        };
        if queued.is_err() {
            // SAFETY: the driver did not accept the pointer.
            drop(unsafe { Box::from_raw(data) });
        }
        queued
    }

    /// Waits for all work queued so far.
    ///
    /// # Errors
    /// Errors of the work.
    pub fn synchronize(&self) -> CudaResult<()> {
        let _current = self.enter()?;
        // SAFETY: a live stream with its context current.
        unsafe { driver()?.stream_synchronize(self.as_inner()) }
    }

    /// Returns `true` if all queued work is complete. (Not part of Rust-CUDA.)
    ///
    /// # Errors
    /// Errors of the work.
    pub fn query(&self) -> CudaResult<bool> {
        let _current = self.enter()?;
        // SAFETY: a live stream with its context current.
        match unsafe { driver()?.stream_query(self.as_inner()) } {
            Ok(()) => Ok(true),
            Err(CudaError::NotReady) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Returns the driver's handle, valid as long as the stream.
    pub fn as_inner(&self) -> CUstream {
        self.inner.raw
    }

    /// Destroys the stream and returns the result. Queued work still runs. If stream-ordered
    /// buffers of the stream still exist, it is destroyed with the last of them.
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
/// 1. `data` was returned by `Box<T>::into_raw` and is used only by this call.
unsafe extern "system" fn call_back<T: FnOnce() + Send>(data: *mut c_void) {
    // SAFETY: the caller's guarantee (1).
    let callback = unsafe { Box::from_raw(data.cast::<T>()) };
    // A panic must not unwind into the driver, nor may that of the payload's destructor, whose own
    // payload is leaked.
    if let Err(payload) = catch_unwind(AssertUnwindSafe(callback))
        && let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(payload)))
    {
        mem::forget(again);
    }
}
