//! Where a skeleton is made.

use crate::{
    device::Stream,
    monitor::{Monitor, Progress},
    skeleton::SkeletonError,
};

/// The devices that compute a force field together, and the monitor that reports its progress and
/// can cancel it. All else, which takes little time, is done by the first device.
///
/// ```
/// use ferrovox::{device::Device, skeleton::potential_field::Execution};
///
/// // the CPU can pose as several devices
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
    /// On these streams, each of a device of its own; a device may come more than once.
    ///
    /// # Errors
    /// [`SkeletonError::NoDevices`] without any.
    pub fn new(streams: &'a [Stream]) -> Result<Self, SkeletonError> {
        let first = streams.first().ok_or(SkeletonError::NoDevices)?;
        Ok(Self {
            first,
            streams,
            monitor: Monitor::silent(),
        })
    }

    /// On one stream.
    pub fn single(stream: &'a Stream) -> Self {
        Self {
            first: stream,
            streams: std::slice::from_ref(stream),
            monitor: Monitor::silent(),
        }
    }

    /// Calls `hook` with the progress of the stage `field`, in pairs of a surface voxel and one
    /// inside. A device's work is then launched in portions, each of which is synchronised.
    /// Otherwise it is one asynchronous launch.
    #[must_use]
    pub fn on_progress(self, hook: &'a (dyn Fn(Progress) + Sync)) -> Self {
        Self {
            monitor: self.monitor.on_progress(hook),
            ..self
        }
    }

    /// Replaces the monitor; it can also cancel the work between two portions.
    #[must_use]
    pub fn with_monitor(self, monitor: Monitor<'a>) -> Self {
        Self { monitor, ..self }
    }

    /// The stream of inputs and results.
    pub fn first(&self) -> &'a Stream {
        self.first
    }

    /// All of them.
    pub fn streams(&self) -> &'a [Stream] {
        self.streams
    }

    /// The monitor: where progress is reported, and what cancels the work.
    pub fn monitor(&self) -> Monitor<'a> {
        self.monitor
    }
}

impl<'a> From<&'a Stream> for Execution<'a> {
    fn from(stream: &'a Stream) -> Self {
        Self::single(stream)
    }
}
