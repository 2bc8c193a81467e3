//! What memory and streams of a CUDA device have in common.

use super::{Shared, pool::Pool, users::Counted};
use crate::device::DeviceError;
use cust::{
    event::{Event, EventFlags},
    stream::{Stream, StreamWaitEventFlags},
};
use std::sync::Arc;

/// A stream, and the device it belongs to.
pub(super) struct StreamOwner {
    pub stream: Stream,
    pub pool: Arc<Pool>,
    pub shared: Arc<Shared>,
    pub _counted: Counted,
}

impl StreamOwner {
    /// Lets what is enqueued from here on wait for what `other` has to do by now.
    pub(super) fn wait_for(&self, other: &StreamOwner) -> Result<(), DeviceError> {
        self.shared.with("ordering two streams", || {
            let event = Event::new(EventFlags::DISABLE_TIMING)?;
            event.record(&other.stream)?;
            self.stream
                .wait_event(&event, StreamWaitEventFlags::DEFAULT)
        })
    }
}
