//! The stages of a pipeline: told, timed, and stopped between.

use super::PipelineError;
use crate::monitor::{Monitor, StageTime, Stopwatch};
use std::time::{Duration, Instant};

/// Runs stages that follow each other.
pub(super) struct Stages<'a> {
    monitor: &'a Monitor<'a>,
    start: Instant,
    watch: Stopwatch,
}

impl<'a> Stages<'a> {
    pub fn start(monitor: &'a Monitor<'a>) -> Self {
        Self {
            monitor,
            start: Instant::now(),
            watch: Stopwatch::start(),
        }
    }

    /// Runs a stage, unless the work is to stop.
    pub fn run<R, E>(
        &mut self,
        stage: &'static str,
        work: impl FnOnce() -> Result<R, E>,
    ) -> Result<R, PipelineError>
    where
        PipelineError: From<E>,
    {
        self.monitor.counter(stage, 1).add(0)?;
        let result = work()?;
        self.watch.lap(stage);
        Ok(result)
    }

    /// The time of each stage, and of everything.
    pub fn finish(self) -> (Vec<StageTime>, Duration) {
        (self.watch.times(), self.start.elapsed())
    }
}
