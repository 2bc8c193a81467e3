//! Devices and monitoring of an extraction.

use crate::{
    device::Stream,
    monitor::{Monitor, Progress},
    skeleton::SkeletonError,
};

/// Devices that compute the force field, and the monitor that reports progress and can cancel the
/// work. All other stages, which take little time, run on the first device.
///
/// ```
/// use ferrovox::{device::Device, skeleton::potential_field::Execution};
///
/// // the CPU can act as several devices
/// let streams = [Device::best().stream()?, Device::cpu().stream()?];
/// let execution = Execution::new(&streams)?;
/// assert_eq!(execution.first().device().id(), Device::best().id());
/// assert!(Execution::new(&[]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct Execution<'a> {
    first: &'a Stream,
    streams: &'a [Stream],
    monitor: Monitor<'a>,
}

impl<'a> Execution<'a> {
    /// Uses the given streams, one per device; a device may occur more than once.
    ///
    /// # Errors
    /// [`SkeletonError::NoDevices`] if `streams` is empty.
    pub fn new(streams: &'a [Stream]) -> Result<Self, SkeletonError> {
        let first = streams.first().ok_or(SkeletonError::NoDevices)?;
        Ok(Self {
            first,
            streams,
            monitor: Monitor::new(),
        })
    }

    /// Uses a single stream.
    pub fn single(stream: &'a Stream) -> Self {
        Self {
            first: stream,
            streams: std::slice::from_ref(stream),
            monitor: Monitor::new(),
        }
    }

    /// Calls `hook` with the progress of the stage `field`, in pairs of a surface voxel and an
    /// inside voxel. The work of a device is then launched in portions, each followed by a
    /// synchronisation, instead of one asynchronous launch.
    #[must_use]
    pub fn on_progress(self, hook: &'a (dyn Fn(Progress) + Sync)) -> Self {
        Self {
            monitor: self.monitor.on_progress(hook),
            ..self
        }
    }

    /// Replaces the monitor, which can also cancel the work between two portions.
    #[must_use]
    pub fn with_monitor(self, monitor: Monitor<'a>) -> Self {
        Self { monitor, ..self }
    }

    /// Returns the stream of the inputs and results.
    pub fn first(&self) -> &'a Stream {
        self.first
    }

    /// Returns all streams.
    pub fn streams(&self) -> &'a [Stream] {
        self.streams
    }

    /// Returns the monitor.
    pub fn monitor(&self) -> Monitor<'a> {
        self.monitor
    }
}

impl<'a> From<&'a Stream> for Execution<'a> {
    fn from(stream: &'a Stream) -> Self {
        Self::single(stream)
    }
}
