//! Times, as reports write them.

use ferrovox::pipeline::Timings;
use std::time::Duration;

/// The times of stages in milliseconds, and of everything.
pub fn in_milliseconds(timings: &Timings) -> (Vec<(&'static str, f64)>, f64) {
    let stages = timings.stages.iter();
    let stages = stages.map(|at| (at.stage, milliseconds(at.time)));
    (stages.collect(), milliseconds(timings.total))
}

/// A time in milliseconds, to the microsecond.
pub fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}
