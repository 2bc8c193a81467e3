//! How long stages take.

use std::time::{Duration, Instant};

/// The time of one stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageTime {
    /// The stage's name.
    pub stage: &'static str,
    /// How long it took.
    pub time: Duration,
}

/// Times stages that follow each other, on the host.
#[derive(Debug)]
pub struct Stopwatch {
    last: Instant,
    times: Vec<StageTime>,
}

impl Default for Stopwatch {
    fn default() -> Self {
        Self::start()
    }
}

impl Stopwatch {
    /// Begins now.
    pub fn start() -> Self {
        Self {
            last: Instant::now(),
            times: Vec::new(),
        }
    }

    /// Everything since the last stage was this one. Stages of one name are added up.
    pub fn lap(&mut self, stage: &'static str) {
        let now = Instant::now();
        let time = now - self.last;
        self.last = now;
        add_times(&mut self.times, vec![StageTime { stage, time }]);
    }

    /// Everything since the last stage is of none.
    pub(crate) fn skip(&mut self) {
        self.last = Instant::now();
    }

    /// The time of each stage, in the order of their first laps.
    pub fn times(self) -> Vec<StageTime> {
        self.times
    }
}

/// Adds the times of one part's stages to those of others.
pub(crate) fn add_times(stages: &mut Vec<StageTime>, times: Vec<StageTime>) {
    for time in times {
        match stages.iter_mut().find(|stage| stage.stage == time.stage) {
            Some(stage) => stage.time += time.time,
            None => stages.push(time),
        }
    }
}
