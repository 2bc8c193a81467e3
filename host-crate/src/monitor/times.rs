//! Timing of stages.

use std::time::{Duration, Instant};

/// Time of one stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageTime {
    /// Name of the stage.
    pub stage: &'static str,
    /// Duration of the stage.
    pub time: Duration,
}

/// Times consecutive stages on the host.
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
    /// Starts the first stage.
    pub fn start() -> Self {
        Self {
            last: Instant::now(),
            times: Vec::new(),
        }
    }

    /// Assigns the time since the last lap to a stage, and starts the next one. Times of stages
    /// with the same name are added up.
    pub fn lap(&mut self, stage: &'static str) {
        let now = Instant::now();
        let time = now - self.last;
        self.last = now;
        add_times(&mut self.times, vec![StageTime { stage, time }]);
    }

    /// Discards the time since the last lap.
    pub(crate) fn skip(&mut self) {
        self.last = Instant::now();
    }

    /// Returns the time of each stage, in the order of their first laps.
    pub fn times(self) -> Vec<StageTime> {
        self.times
    }
}

/// Adds the times of the stages of one part to those of others.
pub(crate) fn add_times(stages: &mut Vec<StageTime>, times: Vec<StageTime>) {
    for time in times {
        match stages.iter_mut().find(|stage| stage.stage == time.stage) {
            Some(stage) => stage.time += time.time,
            None => stages.push(time),
        }
    }
}
