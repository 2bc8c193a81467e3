//! What memory and streams of a CUDA device have in common.

use super::{Shared, pool::Pool};
use crate::device::DeviceError;
use cust::{
    event::{Event, EventFlags},
    memory::LockedBuffer,
    stream::{Stream, StreamWaitEventFlags},
};
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

/// How many owners there are.
static STREAMS: AtomicUsize = AtomicUsize::new(0);

/// A stream, and the device it belongs to.
pub(super) struct StreamOwner {
    pub stream: Stream,
    pub pool: Arc<Pool>,
    /// Pinned memory for what little the host waits for, made when it is first needed.
    pub small: Mutex<Option<LockedBuffer<u8>>>,
    pub shared: Arc<Shared>,
}

impl StreamOwner {
    pub fn new(stream: Stream, pool: Arc<Pool>, shared: Arc<Shared>) -> Self {
        STREAMS.fetch_add(1, Ordering::Relaxed);
        Self {
            stream,
            pool,
            small: Mutex::default(),
            shared,
        }
    }

    /// Whether there is one stream in the process, so that whoever has it needs nobody's order but
    /// its own.
    pub fn is_the_only_one() -> bool {
        STREAMS.load(Ordering::Relaxed) == 1
    }

    /// Lets what is enqueued from here on wait for what `other` has to do by now.
    pub fn wait_for(&self, other: &StreamOwner) -> Result<(), DeviceError> {
        self.shared.with("ordering two streams", || {
            let event = Event::new(EventFlags::DISABLE_TIMING)?;
            event.record(&other.stream)?;
            self.stream
                .wait_event(&event, StreamWaitEventFlags::DEFAULT)
        })
    }
}

impl Drop for StreamOwner {
    fn drop(&mut self) {
        STREAMS.fetch_sub(1, Ordering::Relaxed);
    }
}
