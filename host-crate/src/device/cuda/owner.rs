//! Ownership of memory by the streams of a CUDA device.

use super::{Shared, pool::Pool};
use crate::device::DeviceError;
use cust::{
    error::CudaResult,
    event::{Event, EventFlags},
    memory::LockedBuffer,
    stream::{Stream, StreamWaitEventFlags},
};
use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

/// Number of streams in the process.
static STREAMS: AtomicUsize = AtomicUsize::new(0);

/// A stream and its device.
pub(super) struct StreamOwner {
    pub stream: Stream,
    pub pool: Arc<Pool>,
    /// Pinned memory for small downloads, allocated on first use.
    pub small: Mutex<Option<LockedBuffer<u8>>>,
    /// Event that orders streams, created on first use. A wait keeps to the recording before it, so
    /// that one event serves all waits.
    order: Mutex<Option<Event>>,
    pub shared: Arc<Shared>,
}

impl StreamOwner {
    pub fn new(stream: Stream, pool: Arc<Pool>, shared: Arc<Shared>) -> Self {
        STREAMS.fetch_add(1, Ordering::Relaxed);
        Self {
            stream,
            pool,
            small: Mutex::default(),
            order: Mutex::default(),
            shared,
        }
    }

    /// Returns `true` if this is the only stream of the process, so that no ordering with others is
    /// needed.
    pub fn is_only_stream() -> bool {
        STREAMS.load(Ordering::Relaxed) == 1
    }

    /// Makes later work wait for all work enqueued on `other` so far.
    pub fn wait_for(&self, other: &StreamOwner) -> Result<(), DeviceError> {
        self.with_event(|event| {
            event.record(&other.stream)?;
            self.stream.wait_event(event, StreamWaitEventFlags::DEFAULT)
        })
    }

    /// Calls `order`, which records an event in one stream and makes another wait for it. No other
    /// thread records the event meanwhile.
    pub fn with_event(
        &self,
        order: impl FnOnce(&Event) -> CudaResult<()>,
    ) -> Result<(), DeviceError> {
        let mut event = self.order.lock().unwrap_or_else(PoisonError::into_inner);
        self.shared.with("ordering two streams", || {
            let event = match &mut *event {
                Some(event) => event,
                none => none.insert(Event::new(EventFlags::DISABLE_TIMING)?),
            };
            order(event)
        })
    }
}

impl Drop for StreamOwner {
    fn drop(&mut self) {
        STREAMS.fetch_sub(1, Ordering::Relaxed);
    }
}
