//! Streams of threads, which later calls reuse.

use crate::{
    error::Failure,
    process::{Process, lock},
};
use ferrovox::device::Stream;
use std::{
    cell::RefCell,
    mem,
    sync::{Arc, Mutex, PoisonError},
};

/// Streams of one thread of Python, one for each CUDA device that it has used.
///
/// Creating a stream and its first memory takes longer than a small computation. Results refer to
/// the stream that computed them, so that a later call on the same thread need not wait for them.
pub(crate) struct ThreadStreams {
    process: &'static Process,
    /// Streams with the names of their devices.
    streams: Mutex<Vec<(String, Stream)>>,
}

thread_local! {
    /// Streams of the thread, in this process or a parent.
    static STREAMS: RefCell<Option<Arc<ThreadStreams>>> = const { RefCell::new(None) };
}

impl ThreadStreams {
    /// Returns the streams of the calling thread.
    pub fn current(process: &'static Process) -> Arc<Self> {
        let create = || {
            Arc::new(Self {
                process,
                streams: Mutex::default(),
            })
        };
        let existing = STREAMS.try_with(|streams| {
            let mut streams = streams.borrow_mut();
            match &*streams {
                Some(existing) if existing.process.is_current() => existing.clone(),
                _ => streams.insert(create()).clone(),
            }
        });
        // while the thread ends, a call has streams of its own
        existing.unwrap_or_else(|_| create())
    }

    /// Returns the stream on a device with a name such as `cpu` or `cuda:1`.
    pub fn stream(&self, device: &str) -> Result<Stream, Failure> {
        if device == "cpu" {
            return self.process.unused_stream(device);
        }
        let mut streams = lock(&self.streams);
        if let Some((_, stream)) = streams.iter().find(|(name, _)| name == device) {
            return Ok(stream.clone());
        }
        let stream = self.process.unused_stream(device)?;
        streams.push((device.to_owned(), stream.clone()));
        Ok(stream)
    }
}

impl Drop for ThreadStreams {
    /// Hands the streams on to later threads. It calls no function of the driver, which may have
    /// ended if the interpreter has.
    fn drop(&mut self) {
        let streams = self.streams.get_mut();
        let streams = mem::take(streams.unwrap_or_else(PoisonError::into_inner));
        if self.process.is_current() {
            self.process.keep_streams(streams);
        } else {
            // a child made by `fork` cannot use the driver of its parent
            mem::forget(streams);
        }
    }
}
