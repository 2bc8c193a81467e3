//! Where a skeleton is made.

use super::SkeletonError;
use crate::{
    device::Stream,
    monitor::{Monitor, Progress},
};

/// The devices that make a force field together, who is told meanwhile how far it is, and what stops it. All else, which takes little time, is done by the first.
///
/// ```
/// use ferrovox::{device::Device, skeleton::Execution};
///
/// // the CPU can pose as several devices
/// let streams = [Device::best().stream()?, Device::cpu().stream()?];
/// let execution = Execution::on(&streams)?;
/// assert_eq!(execution.first().device().id(), Device::best().id());
/// assert!(Execution::on(&[]).is_err());
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
    pub fn on(streams: &'a [Stream]) -> Result<Self, SkeletonError> {
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

    /// And `hook` is told of the stage `field`, in pairs of a surface voxel and one inside. Then a device's work is launched in portions, and waited
    /// for. Otherwise it is one launch, and nothing waits.
    #[must_use]
    pub fn on_progress(self, hook: &'a (dyn Fn(Progress) + Sync)) -> Self {
        Self {
            monitor: self.monitor.on_progress(hook),
            ..self
        }
    }

    /// And `monitor` is told in the place of any other; it can also stop the work between two portions.
    #[must_use]
    pub fn monitored_by(self, monitor: Monitor<'a>) -> Self {
        Self { monitor, ..self }
    }

    /// The stream that what is given and what is made belong to.
    pub fn first(&self) -> &'a Stream {
        self.first
    }

    /// All of them.
    pub fn streams(&self) -> &'a [Stream] {
        self.streams
    }

    /// Who is told how far the work is, and what stops it.
    pub fn monitor(&self) -> Monitor<'a> {
        self.monitor
    }
}
