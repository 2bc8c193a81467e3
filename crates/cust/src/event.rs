//! Events: markers in streams for synchronization and timing.

use std::borrow::Borrow;
use std::ptr;
use std::time::Duration;

use bitflags::bitflags;

use crate::context::owner::Owner;
use crate::driver;
use crate::error::{CudaError, CudaResult, DropResult};
use crate::stream::{Stream, StreamWaitEventFlags, UnownedStream};
use crate::sys::CUevent;

bitflags! {
    /// Flags of an event.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct EventFlags: u32 {
        /// Records times; waiting threads spin.
        const DEFAULT = 0x0;
        /// Waiting threads block instead of spinning.
        const BLOCKING_SYNC = 0x1;
        /// Does not record times, which is cheaper.
        const DISABLE_TIMING = 0x2;
        /// Can be shared with other processes; requires `DISABLE_TIMING`.
        const INTERPROCESS = 0x4;
    }
}

/// Completion status of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventStatus {
    /// The preceding work is complete.
    Ready,
    /// The preceding work is not complete.
    NotReady,
}

/// Marker in a stream.
#[derive(Debug)]
pub struct Event {
    raw: CUevent,
    owner: Owner,
}

// SAFETY: the driver allows an event to be used from any thread.
unsafe impl Send for Event {}
// SAFETY: as above; the driver synchronizes internally.
unsafe impl Sync for Event {}

impl Event {
    /// Creates an event in the current context. It is not recorded yet.
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`] if no context is current.
    pub fn new(flags: EventFlags) -> CudaResult<Self> {
        let owner = Owner::current()?;
        let raw = driver()?.event_create(flags.bits())?;
        Ok(Event { raw, owner })
    }

    /// Records the event in `stream`: it completes after all work queued so far. Replaces an
    /// earlier recording.
    ///
    /// # Errors
    /// [`CudaError::InvalidHandle`] if stream and event belong to different contexts.
    pub fn record(&self, stream: &Stream) -> CudaResult<()> {
        let _current = stream.enter()?;
        // SAFETY: live handles, the stream's context current.
        unsafe { driver()?.event_record(self.raw, stream.as_inner()) }
    }

    /// Returns the status of the event; an event that was never recorded is ready.
    ///
    /// # Errors
    /// Errors of the preceding work.
    pub fn query(&self) -> CudaResult<EventStatus> {
        let _current = self.owner.enter()?;
        // SAFETY: a live event.
        match unsafe { driver()?.event_query(self.raw) } {
            Ok(()) => Ok(EventStatus::Ready),
            Err(CudaError::NotReady) => Ok(EventStatus::NotReady),
            Err(error) => Err(error),
        }
    }

    /// Waits until the event is complete.
    ///
    /// # Errors
    /// Errors of the preceding work.
    pub fn synchronize(&self) -> CudaResult<()> {
        let _current = self.owner.enter()?;
        // SAFETY: a live event.
        unsafe { driver()?.event_synchronize(self.raw) }
    }

    /// Returns the time from `start` to this event in milliseconds, with a resolution of about half
    /// a microsecond.
    ///
    /// # Errors
    /// [`CudaError::NotReady`] if an event is not complete, [`CudaError::InvalidHandle`] if one was
    /// never recorded or was created without timing.
    pub fn elapsed_time_f32(&self, start: &Self) -> CudaResult<f32> {
        let _current = self.owner.enter()?;
        // SAFETY: live events; the driver rejects events of different contexts.
        unsafe { driver()?.event_elapsed_ms(start.raw, self.raw) }
    }

    /// Returns the time from `start` to this event, with a resolution of about half a microsecond;
    /// zero if `start` is later.
    ///
    /// # Errors
    /// See [`Event::elapsed_time_f32`].
    pub fn elapsed(&self, start: &Self) -> CudaResult<Duration> {
        let milliseconds = f64::from(self.elapsed_time_f32(start)?);
        Ok(Duration::from_nanos((milliseconds * 1e6) as u64))
    }

    /// Returns the driver's handle, valid as long as the event. (Private in Rust-CUDA.)
    pub fn as_inner(&self) -> CUevent {
        self.raw
    }

    /// Destroys the event and returns the result. Work that waits for it is not affected.
    ///
    /// # Errors
    /// The driver's error and the event.
    pub fn drop(mut event: Event) -> DropResult<Event> {
        event.destroy().map_err(|error| (error, event))
    }

    /// Destroys the event, if it has not been destroyed.
    fn destroy(&mut self) -> CudaResult<()> {
        if self.raw.is_null() {
            return Ok(());
        }
        let _current = self.owner.enter()?;
        // SAFETY: this crate created the event and has not destroyed it; it is not used again,
        // because `raw` becomes null and only the `drop` functions, which consume the event, call
        // this.
        unsafe { driver()?.event_destroy(self.raw) }?;
        self.raw = ptr::null_mut();
        Ok(())
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // Errors cannot be reported here.
        let _ = self.destroy();
    }
}

impl Stream {
    /// Makes work queued from now on wait for the last recording of `event`; does not block the
    /// host. The event may belong to another device. (The signature in Rust-CUDA takes the event by
    /// value; references are accepted only here.)
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn wait_event(
        &self,
        event: impl Borrow<Event>,
        flags: StreamWaitEventFlags,
    ) -> CudaResult<()> {
        let _current = self.enter()?;
        // SAFETY: live handles, the stream's context current.
        unsafe {
            driver()?.stream_wait_event(self.as_inner(), event.borrow().as_inner(), flags.bits())
        }
    }
}

impl UnownedStream {
    /// Records `event` in the stream, as [`Event::record`] does.
    ///
    /// # Errors
    /// See [`Event::record`].
    pub fn record(&self, event: &Event) -> CudaResult<()> {
        let _current = self.enter()?;
        // SAFETY: a live event, and the stream that the creator of this reference guarantees, with
        // its context current.
        unsafe { driver()?.event_record(event.as_inner(), self.raw()) }
    }

    /// Makes work queued in the stream from now on wait for `event`, as [`Stream::wait_event`]
    /// does.
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn wait_event(&self, event: &Event) -> CudaResult<()> {
        let _current = self.enter()?;
        // SAFETY: a live event, and the stream that the creator of this reference guarantees, with
        // its context current.
        unsafe { driver()?.stream_wait_event(self.raw(), event.as_inner(), 0) }
    }
}
