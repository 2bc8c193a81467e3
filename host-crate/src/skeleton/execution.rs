//! Where a skeleton is made.

use super::{SkeletonError, field::Progress};
use crate::device::Stream;

/// The devices that make a force field together, and who is told meanwhile how far it is. All else, which takes little time, is done by the first.
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
    hook: Option<Hook<'a>>,
}

/// Who is told.
type Hook<'a> = &'a (dyn Fn(Progress) + Sync);

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
            hook: None,
        })
    }

    /// On one stream.
    pub fn alone(stream: &'a Stream) -> Self {
        Self {
            first: stream,
            streams: std::slice::from_ref(stream),
            hook: None,
        }
    }

    /// And `hook` is called about ten times a second at most, by any thread: then a device's work is launched in portions, and waited for. Otherwise it is one
    /// launch, and nothing waits.
    pub fn telling(self, hook: &'a (dyn Fn(Progress) + Sync)) -> Self {
        Self {
            hook: Some(hook),
            ..self
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

    /// Who is told how far the field is.
    pub(super) fn hook(&self) -> Option<Hook<'a>> {
        self.hook
    }
}
