//! Streams of other libraries. (Not part of Rust-CUDA.)

use crate::context::owner::Owner;
use crate::driver;
use crate::error::CudaResult;
use crate::event::Event;
use crate::sys::CUstream;

/// Stream that another library of the process created, or one of the default streams.
#[derive(Debug)]
pub struct UnownedStream {
    raw: CUstream,
    owner: Owner,
}

impl UnownedStream {
    /// References a stream of the current context. The handles 0 and 1 are the legacy default
    /// stream, and 2 is the default stream of the calling thread.
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`](crate::error::CudaError::InvalidContext) if no context is
    /// current.
    ///
    /// # Safety
    /// 1. `raw` is one of the default streams, or a stream of the current context that is not
    ///    destroyed while the reference is used.
    pub unsafe fn from_raw(raw: CUstream) -> CudaResult<Self> {
        Ok(Self {
            raw,
            owner: Owner::current()?,
        })
    }

    /// Records `event` in the stream, as [`Event::record`] does.
    ///
    /// # Errors
    /// See [`Event::record`].
    pub fn record(&self, event: &Event) -> CudaResult<()> {
        let _current = self.owner.enter()?;
        // SAFETY: a live event, and the stream that the creator of this reference guarantees, with
        // its context current.
        unsafe { driver()?.event_record(event.as_inner(), self.raw) }
    }

    /// Makes work queued in the stream from now on wait for `event`, as
    /// [`Stream::wait_event`](super::Stream::wait_event) does.
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn wait_event(&self, event: &Event) -> CudaResult<()> {
        let _current = self.owner.enter()?;
        // SAFETY: a live event, and the stream that the creator of this reference guarantees, with
        // its context current.
        unsafe { driver()?.stream_wait_event(self.raw, event.as_inner(), 0) }
    }
}
