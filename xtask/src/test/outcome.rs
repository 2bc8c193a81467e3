//! What became of a step, and what processes compute.

use std::time::Duration;

use super::step::Counts;

/// What became of a step.
pub struct Outcome {
    pub name: &'static str,
    pub time: Duration,
    /// Seconds of all processors together, where the system tells.
    pub cpu: Option<f64>,
    pub counts: Counts,
}

/// Seconds in a process's `stat`: the fields 11 and 12 behind the name, which may hold spaces, are
/// its own user and system time, 13 and 14 those of processes that it started and that ended.
pub fn cpu_in(stat: &str, fields: &[usize]) -> Option<f64> {
    // USER_HZ, which Linux shows to programs, is 100 on every architecture that this runs on
    const TICKS: f64 = 100.0;
    let all: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = fields
        .iter()
        .map(|&at| all.get(at)?.parse::<f64>().ok())
        .sum::<Option<f64>>()?;
    Some(ticks / TICKS)
}
