//! Timing of pipeline stages.

use crate::{
    device::{DeviceError, Event, Stream},
    monitor::StageTime,
};

/// Events around the stages of a pipeline, if timing is enabled. Reading the times synchronises
/// with the last event; recording does not.
pub struct StageTimes {
    start: Option<Event>,
    ends: Vec<(&'static str, Event)>,
}

impl StageTimes {
    pub(crate) fn start(stream: &Stream, timed: bool) -> Result<Self, DeviceError> {
        Ok(Self {
            start: timed.then(|| stream.record()).transpose()?,
            ends: Vec::new(),
        })
    }

    /// Ends the current stage, which began at the end of the previous one.
    pub(crate) fn end(&mut self, stream: &Stream, stage: &'static str) -> Result<(), DeviceError> {
        if self.start.is_some() {
            self.ends.push((stage, stream.record()?));
        }
        Ok(())
    }

    /// Returns the time of each stage in order; empty if timing is disabled. Synchronises with the
    /// last event.
    ///
    /// # Errors
    /// [`DeviceError::Cuda`] if the work failed.
    pub fn read(&self) -> Result<Vec<StageTime>, DeviceError> {
        let Some(mut last) = self.start.as_ref() else {
            return Ok(Vec::new());
        };
        let mut times = Vec::with_capacity(self.ends.len());
        for (stage, end) in &self.ends {
            end.synchronize()?;
            times.push(StageTime {
                stage,
                time: end.since(last)?,
            });
            last = end;
        }
        Ok(times)
    }
}
