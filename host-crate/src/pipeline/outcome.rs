//! Timings and device reports of pipelines.

use super::PipelineError;
use crate::{
    device::Device,
    monitor::{Monitor, StageTime},
};
use std::time::{Duration, Instant};

/// Times of the stages of a pipeline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timings {
    /// Stages in order. Some run concurrently, so that their times need not add up to `total`.
    pub stages: Vec<StageTime>,
    /// Total time.
    pub total: Duration,
}

/// Work and memory of a device.
#[derive(Clone, Debug)]
pub struct DeviceRun {
    /// The device.
    pub device: Device,
    /// Number of parts of the volume that the device processed; 0 if there was no work for it.
    pub parts: u64,
    /// Maximum number of bytes of its buffers.
    pub peak_bytes: u64,
    /// Total time of each stage on the device.
    pub stages: Vec<StageTime>,
}

impl DeviceRun {
    /// Creates the report of a device whose memory peak was reset before the run.
    pub(crate) fn new(device: &Device, parts: u64, stages: Vec<StageTime>) -> Self {
        Self {
            device: device.clone(),
            parts,
            peak_bytes: device.memory_use().peak,
            stages,
        }
    }
}

/// Returns the time of each stage on the device where it took longest: devices work concurrently.
pub(crate) fn longest(devices: &[DeviceRun]) -> Vec<StageTime> {
    let mut stages: Vec<StageTime> = Vec::new();
    for time in devices.iter().flat_map(|device| &device.stages) {
        match stages.iter_mut().find(|stage| stage.stage == time.stage) {
            Some(stage) => stage.time = stage.time.max(time.time),
            None => stages.push(time.clone()),
        }
    }
    stages
}

/// Times the stages of a pipeline on the host and reports them to the monitor. A cancellation takes
/// effect between two stages.
pub(crate) struct Stages<'a> {
    monitor: Monitor<'a>,
    start: Instant,
    times: Vec<StageTime>,
}

impl<'a> Stages<'a> {
    pub fn begin(monitor: &Monitor<'a>) -> Self {
        Self {
            monitor: *monitor,
            start: Instant::now(),
            times: Vec::new(),
        }
    }

    /// Runs a stage with the given name, a verb such as "read".
    pub fn run<R, E: Into<PipelineError>>(
        &mut self,
        stage: &'static str,
        work: impl FnOnce() -> Result<R, E>,
    ) -> Result<R, PipelineError> {
        self.announce(stage)?;
        let start = Instant::now();
        let result = work().map_err(Into::into)?;
        self.add(stage, start.elapsed());
        Ok(result)
    }

    /// Reports the start of a stage, possibly concurrent with the previous one; fails if the work
    /// is cancelled.
    pub fn announce(&self, stage: &'static str) -> Result<(), PipelineError> {
        self.monitor.counter(stage, 1).add(0)?;
        Ok(())
    }

    /// Returns the monitor.
    pub fn monitor(&self) -> Monitor<'a> {
        self.monitor
    }

    /// Adds a stage that was timed separately.
    pub fn add(&mut self, stage: &'static str, time: Duration) {
        self.times.push(StageTime { stage, time });
    }

    /// Returns the number of times so far.
    pub fn count(&self) -> usize {
        self.times.len()
    }

    /// Discards all times but the first `count`: those of an attempt that is repeated with a
    /// smaller memory plan.
    pub fn truncate(&mut self, count: usize) {
        self.times.truncate(count);
    }

    /// Returns the times of the stages so far.
    pub fn timings(&self) -> Timings {
        Timings {
            stages: self.times.clone(),
            total: self.start.elapsed(),
        }
    }

    /// Returns the times of all stages.
    pub fn finish(self) -> Timings {
        Timings {
            stages: self.times,
            total: self.start.elapsed(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::monitor::{CancelFlag, Progress};
    use std::sync::Mutex;

    #[test]
    fn stages_are_reported_timed_and_cancelled() {
        let flag = CancelFlag::new();
        let reported = Mutex::new(Vec::new());
        let report = |progress: Progress| {
            reported
                .lock()
                .unwrap()
                .push((progress.stage, progress.done))
        };
        let monitor = Monitor::new().on_progress(&report).cancelled_by(&flag);
        let mut stages = Stages::begin(&monitor);
        let seven = stages.run("read", || Ok::<_, PipelineError>(7)).unwrap();
        flag.cancel();
        let stopped = stages.run("write", || -> Result<(), PipelineError> { unreachable!() });
        assert!(stopped.unwrap_err().is_cancelled());
        let timings = stages.finish();
        let names: Vec<_> = timings.stages.iter().map(|time| time.stage).collect();
        assert_eq!((seven, names), (7, vec!["read"]));
        assert_eq!(*reported.lock().unwrap(), [("read", 0), ("write", 0)]);
    }
}
