//! Waits for work of CUDA devices that an interruption ends.

use crate::error::Failure;
use ferrovox::{
    device::{Device, Stream},
    monitor::{CancelFlag, Cancelled},
};
use pyo3::prelude::*;
use std::{
    hint,
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

/// Interval in which signals are handled during a computation.
pub(crate) const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);

/// Time after which a wait pauses between two queries of the driver.
const SPIN_TIME: Duration = Duration::from_micros(200);

/// Pause between two queries of the driver.
const PAUSE: Duration = Duration::from_micros(20);

/// Waits of a computation for the work of other libraries. Each ends early if the computation is
/// cancelled. The calling thread must not hold the global interpreter lock.
pub(crate) struct Waits<'a> {
    cancel: &'a CancelFlag,
    /// `true` if the computation runs on the thread that called it, which then handles signals.
    is_on_caller: bool,
}

impl<'a> Waits<'a> {
    /// Creates the waits of a computation on a thread of the module, which another thread cancels.
    pub fn cancelled_by(cancel: &'a CancelFlag) -> Self {
        Self {
            cancel,
            is_on_caller: false,
        }
    }

    /// Creates the waits of a computation on the thread that called it.
    pub fn on_caller(cancel: &'a CancelFlag) -> Self {
        Self {
            cancel,
            is_on_caller: true,
        }
    }

    /// Waits for the work enqueued on a stream so far, of other streams too for which it waits.
    pub fn for_stream(&self, stream: &Stream) -> Result<(), Failure> {
        let start = Instant::now();
        let mut last_check = start;
        while !stream.is_idle()? {
            if start.elapsed() < SPIN_TIME {
                hint::spin_loop();
                continue;
            }
            thread::sleep(PAUSE);
            if last_check.elapsed() >= SIGNAL_INTERVAL {
                self.check()?;
                last_check = Instant::now();
            }
        }
        Ok(())
    }

    /// Waits for all work on a device. The driver has no query for it, so that a thread waits.
    pub fn for_device(&self, device: &Device) -> Result<(), Failure> {
        let (sender, receiver) = mpsc::channel();
        let waited = device.clone();
        let builder = thread::Builder::new().name("ferrovox-wait".to_owned());
        let spawned = builder.spawn(move || {
            // after an interruption there is no receiver
            let _ = sender.send(waited.synchronize());
        });
        if spawned.is_err() {
            return Ok(device.synchronize()?);
        }
        loop {
            match receiver.recv_timeout(SIGNAL_INTERVAL) {
                Ok(result) => return Ok(result?),
                Err(RecvTimeoutError::Timeout) => self.check()?,
                // the thread panicked
                Err(RecvTimeoutError::Disconnected) => return Ok(device.synchronize()?),
            }
        }
    }

    /// Returns an error if the computation is cancelled or interrupted.
    fn check(&self) -> Result<(), Failure> {
        if self.cancel.is_cancelled() {
            return Err(Cancelled.into());
        }
        if self.is_on_caller {
            Python::attach(|py| py.check_signals()).map_err(Failure::Python)?;
        }
        Ok(())
    }
}
