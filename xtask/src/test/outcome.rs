//! Outcome of a step, and processor time of processes.

use std::time::Duration;

use super::step::Counts;

/// Outcome of a step.
pub struct Outcome {
    pub name: &'static str,
    pub time: Duration,
    /// Processor time over all cores, in seconds, if the system reports it.
    pub cpu: Option<f64>,
    pub counts: Counts,
}

/// Sums fields of a process's `stat` file, in seconds. Fields are counted after the name, which may
/// contain spaces: 11 and 12 are the process's user and system time, 13 and 14 those of its
/// terminated children.
pub fn cpu_seconds_in_stat(stat: &str, fields: &[usize]) -> Option<f64> {
    // USER_HZ, which Linux reports to programs, is 100 on all supported architectures
    const TICKS: f64 = 100.0;
    let all: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = fields
        .iter()
        .map(|&at| all.get(at)?.parse::<f64>().ok())
        .sum::<Option<f64>>()?;
    Some(ticks / TICKS)
}
