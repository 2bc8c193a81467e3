//! Moments on a stream.

use super::{DeviceError, cuda::CudaEvent};
use std::time::{Duration, Instant};

/// A moment on a stream: when everything enqueued before it was done.
pub struct Event {
    pub(super) inner: EventInner,
}

pub(super) enum EventInner {
    Cpu(Instant),
    Cuda(CudaEvent),
}

impl Event {
    /// Blocks until the event has happened.
    ///
    /// # Errors
    /// [`DeviceError::Cuda`] if the work before it failed.
    pub fn synchronize(&self) -> Result<(), DeviceError> {
        match &self.inner {
            EventInner::Cpu(_) => Ok(()),
            EventInner::Cuda(event) => event.synchronize(),
        }
    }

    /// The time from an earlier event of the same device to this one. Blocks until both have
    /// happened.
    ///
    /// # Errors
    /// [`DeviceError::Cuda`] if the work before either failed, [`DeviceError::WrongDevice`] if they
    /// are of different sorts of device.
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
