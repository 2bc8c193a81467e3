//! Events: points in streams that can be waited for, and timed.

use std::borrow::Borrow;
use std::ptr;
use std::time::Duration;

use bitflags::bitflags;

use crate::context::owner::Owner;
use crate::driver;
use crate::error::{CudaError, CudaResult, DropResult};
use crate::stream::{Stream, StreamWaitEventFlags};
use crate::sys::CUevent;

bitflags! {
    /// How an event behaves.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct EventFlags: u32 {
        /// Timed; waiting spins.
        const DEFAULT = 0x0;
        /// A thread that waits sleeps.
        const BLOCKING_SYNC = 0x1;
        /// Not timed, and so cheaper.
        const DISABLE_TIMING = 0x2;
        /// For other processes too; needs `DISABLE_TIMING`.
        const INTERPROCESS = 0x4;
    }
}

/// Whether an event has happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventStatus {
    /// The work before it is done.
    Ready,
    /// The work before it is under way.
    NotReady,
}

/// A point in a stream.
#[derive(Debug)]
pub struct Event {
    raw: CUevent,
    owner: Owner,
}

// SAFETY: the driver allows an event to be used from any thread.
unsafe impl Send for Event {}
// SAFETY: as above; it locks for itself.
unsafe impl Sync for Event {}

impl Event {
    /// An event in the current context, not recorded yet.
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`] where no context is current.
    pub fn new(flags: EventFlags) -> CudaResult<Self> {
        let owner = Owner::current()?;
        let raw = driver()?.event_create(flags.bits())?;
        Ok(Event { raw, owner })
    }

    /// Puts the event behind the work queued in `stream` so far. Recorded again, it forgets the
    /// earlier place.
    ///
    /// # Errors
    /// [`CudaError::InvalidHandle`] where stream and event are of different contexts.
    pub fn record(&self, stream: &Stream) -> CudaResult<()> {
        let _current = stream.enter()?;
        // SAFETY: live handles, the stream's context current.
        unsafe { driver()?.event_record(self.raw, stream.as_inner()) }
    }

    /// Whether the event has happened; one never recorded counts as happened.
    ///
    /// # Errors
    /// Those of the work before it.
    pub fn query(&self) -> CudaResult<EventStatus> {
        let _current = self.owner.enter()?;
        // SAFETY: a live event.
        match unsafe { driver()?.event_query(self.raw) } {
            Ok(()) => Ok(EventStatus::Ready),
            Err(CudaError::NotReady) => Ok(EventStatus::NotReady),
            Err(error) => Err(error),
        }
    }

    /// Waits until the event has happened.
    ///
    /// # Errors
    /// Those of the work before it.
    pub fn synchronize(&self) -> CudaResult<()> {
        let _current = self.owner.enter()?;
        // SAFETY: a live event.
        unsafe { driver()?.event_synchronize(self.raw) }
    }

    /// Milliseconds from `start` to this event, to about half a microsecond.
    ///
    /// # Errors
    /// [`CudaError::NotReady`] where one has not happened, [`CudaError::InvalidHandle`] where one
    /// was never recorded or has no timing.
    pub fn elapsed_time_f32(&self, start: &Self) -> CudaResult<f32> {
        let _current = self.owner.enter()?;
        // SAFETY: live events; the driver refuses events of different contexts.
        unsafe { driver()?.event_elapsed_ms(start.raw, self.raw) }
    }

    /// The time from `start` to this event, to about half a microsecond; zero where `start` came
    /// later.
    ///
    /// # Errors
    /// As [`Event::elapsed_time_f32`].
    pub fn elapsed(&self, start: &Self) -> CudaResult<Duration> {
        let milliseconds = f64::from(self.elapsed_time_f32(start)?);
        Ok(Duration::from_nanos((milliseconds * 1e6) as u64))
    }

    /// The driver's handle, valid as long as the event. (Public as an addition.)
    pub fn as_inner(&self) -> CUevent {
        self.raw
    }

    /// Destroys the event, and returns the result. Work that waits for it still waits.
    ///
    /// # Errors
    /// The driver's error and the event.
    pub fn drop(mut event: Event) -> DropResult<Event> {
        event.destroy().map_err(|error| (error, event))
    }

    /// Destroys the event unless it is already.
    fn destroy(&mut self) -> CudaResult<()> {
        if self.raw.is_null() {
            return Ok(());
        }
        let _current = self.owner.enter()?;
        // SAFETY: this crate made the event and has not destroyed it; it is not used again, because
        // `raw` becomes null and only `drop` functions, which use the event up, call this.
        unsafe { driver()?.event_destroy(self.raw) }?;
        self.raw = ptr::null_mut();
        Ok(())
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // A failure cannot be reported here.
        let _ = self.destroy();
    }
}

impl Stream {
    /// Work queued from here on waits for the event as last recorded; the host does not. The event
    /// may be of another device. (The published signature takes the event itself; a reference is an
    /// addition.)
    ///
    /// # Errors
    /// Those of the driver.
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
