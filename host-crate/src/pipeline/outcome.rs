//! Timings and devices of a run, as every outcome has them.

use super::PipelineError;
use crate::{
    device::Device,
    monitor::{Monitor, StageTime},
};
use std::time::{Duration, Instant};

/// How long the stages took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timings {
    /// The stages in their order. Some go on at the same time, so that they need not add up to
    /// `total`.
    pub stages: Vec<StageTime>,
    /// Everything.
    pub total: Duration,
}

/// What a device did.
#[derive(Clone, Debug)]
pub struct DeviceRun {
    /// The device.
    pub device: Device,
    /// Parts of the volume that it worked on: none where there was nothing for it.
    pub parts: u64,
    /// Bytes that its buffers held at most.
    pub peak_bytes: u64,
    /// How long each stage took on the device, of all parts together.
    pub stages: Vec<StageTime>,
}

impl DeviceRun {
    /// What a device did of which the peak of memory was reset before.
    pub(crate) fn new(device: &Device, parts: u64, stages: Vec<StageTime>) -> Self {
        Self {
            device: device.clone(),
            parts,
            peak_bytes: device.memory_use().peak,
            stages,
        }
    }
}

/// The time of each stage where it took longest: devices work at the same time.
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

/// Times the stages of a pipeline on the host and reports them to the monitor. Cancels the work
/// between two of them.
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

    /// Runs a stage. `stage` is a verb: "read", "extract".
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

    /// Tells of a stage that begins, or began beside the one before; fails if the work is
    /// cancelled.
    pub fn announce(&self, stage: &'static str) -> Result<(), PipelineError> {
        self.monitor.counter(stage, 1).add(0)?;
        Ok(())
    }

    /// Who is told of them.
    pub fn monitor(&self) -> Monitor<'a> {
        self.monitor
    }

    /// A stage that was timed by itself.
    pub fn add(&mut self, stage: &'static str, time: Duration) {
        self.times.push(StageTime { stage, time });
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
    fn stages_are_told_timed_and_stopped() {
        let flag = CancelFlag::new();
        let told = Mutex::new(Vec::new());
        let tell = |progress: Progress| told.lock().unwrap().push((progress.stage, progress.done));
        let monitor = Monitor::silent().on_progress(&tell).cancelled_by(&flag);
        let mut stages = Stages::begin(&monitor);
        let seven = stages.run("read", || Ok::<_, PipelineError>(7)).unwrap();
        flag.cancel();
        let stopped = stages.run("write", || -> Result<(), PipelineError> { unreachable!() });
        assert!(stopped.unwrap_err().is_cancelled());
        let timings = stages.finish();
        let names: Vec<_> = timings.stages.iter().map(|time| time.stage).collect();
        assert_eq!((seven, names), (7, vec!["read"]));
        assert_eq!(*told.lock().unwrap(), [("read", 0), ("write", 0)]);
    }
}
