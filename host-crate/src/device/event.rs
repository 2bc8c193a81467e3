//! Events on a stream.

use super::{DeviceError, cuda::CudaEvent};
use std::time::{Duration, Instant};

/// An event on a stream, which occurs when all work enqueued before it has finished.
pub struct Event {
    pub(super) inner: EventInner,
}

pub(super) enum EventInner {
    Cpu(Instant),
    Cuda(CudaEvent),
}

impl Event {
    /// Blocks until the event has occurred.
    ///
    /// # Errors
    /// [`DeviceError::Cuda`] if the work before it failed.
    pub fn synchronize(&self) -> Result<(), DeviceError> {
        match &self.inner {
            EventInner::Cpu(_) => Ok(()),
            EventInner::Cuda(event) => event.synchronize(),
        }
    }

    /// Returns the time from an earlier event of the same device to this one. Blocks until both
    /// have occurred.
    ///
    /// # Errors
    /// [`DeviceError::Cuda`] if the work before either failed, [`DeviceError::WrongDevice`] if the
    /// devices are of different kinds.
    pub fn since(&self, earlier: &Event) -> Result<Duration, DeviceError> {
        match (&self.inner, &earlier.inner) {
            (EventInner::Cpu(now), EventInner::Cpu(then)) => Ok(now.duration_since(*then)),
            (EventInner::Cuda(now), EventInner::Cuda(then)) => now.since(then),
            _ => Err(DeviceError::WrongDevice {
                buffer: "an event's device".into(),
                stream: "another".into(),
            }),
        }
    }
}
