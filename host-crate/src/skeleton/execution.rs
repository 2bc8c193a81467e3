//! Where a skeleton is made.

use super::SkeletonError;
use crate::device::Stream;

/// The devices that make a force field together. All else, which takes little time, is done by the first.
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
}

impl<'a> Execution<'a> {
    /// On these streams, each of a device of its own; a device may come more than once.
    ///
    /// # Errors
    /// [`SkeletonError::NoDevices`] without any.
    pub fn on(streams: &'a [Stream]) -> Result<Self, SkeletonError> {
        let first = streams.first().ok_or(SkeletonError::NoDevices)?;
        Ok(Self { first, streams })
    }

    /// On one stream.
    pub fn alone(stream: &'a Stream) -> Self {
        Self {
            first: stream,
            streams: std::slice::from_ref(stream),
        }
    }

    /// The stream that what is given and what is made belong to.
    pub fn first(&self) -> &'a Stream {
        self.first
    }

    /// All of them.
    pub fn streams(&self) -> &'a [Stream] {
        self.streams
    }
}
