//! Summary of the steps and the slowest tests.

use std::time::Duration;

use anyhow::{Result, bail};

use super::background;
use super::outcome::{Outcome, cpu_seconds_in_stat};
use super::program::TestTime;
use super::step::Counts;

/// Number of slowest tests to print.
const SLOWEST: usize = 10;

/// Returns the processor time of terminated child processes in seconds, excluding background steps.
/// Linux only.
pub fn children_cpu() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    Some(cpu_seconds_in_stat(&text, &[13, 14])? - background::cpu_seconds())
}

/// Prints the table of steps and the slowest tests.
///
/// # Errors
/// The names of the failed steps.
pub fn print(outcomes: &[Outcome], timed: Vec<TestTime>) -> Result<()> {
    let slow = slowest(timed);
    if !slow.is_empty() {
        println!("\nthe {} slowest tests", slow.len());
        for TestTime { name, seconds } in slow {
            println!("{seconds:>8.1}s  {name}");
        }
    }
    let row = |name: &str, counts: Counts, time: Duration, cpu: Option<f64>| {
        let cpu = cpu.map_or_else(|| "-".to_owned(), |cpu| format!("{cpu:.1}s"));
        println!(
            "{name:<14} {:>8} {:>8} {:>8} {:>8.1}s {cpu:>9}",
            counts.passed,
            counts.failed,
            counts.skipped,
            time.as_secs_f64()
        );
    };
    println!(
        "\n{:<14} {:>8} {:>8} {:>8} {:>9} {:>9}",
        "step", "passed", "failed", "skipped", "time", "CPU time"
    );
    let mut all = Counts::default();
    for outcome in outcomes {
        row(outcome.name, outcome.counts, outcome.time, outcome.cpu);
        all.add(outcome.counts);
    }
    let time = outcomes.iter().map(|outcome| outcome.time).sum();
    let cpu = outcomes.iter().map(|outcome| outcome.cpu).sum();
    row("all", all, time, cpu);
    println!("\n{} passed, {} failed", all.passed, all.failed);
    if all.failed == 0 {
        return Ok(());
    }
    let failed = outcomes
        .iter()
        .filter(|outcome| outcome.counts.failed > 0)
        .map(|outcome| outcome.name)
        .collect::<Vec<_>>();
    bail!("failed: {}", failed.join(", "))
}

/// Returns the slowest tests, slowest first.
fn slowest(mut timed: Vec<TestTime>) -> Vec<TestTime> {
    timed.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    timed.truncate(SLOWEST);
    timed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slowest_tests_come_first() {
        let timed = (0..20).map(|i| TestTime {
            name: i.to_string(),
            seconds: f64::from(i * 7 % 20),
        });
        let slow = slowest(timed.collect());
        assert_eq!(slow.len(), SLOWEST);
        assert_eq!((slow[0].seconds, slow[9].seconds), (19.0, 10.0));
    }

    #[test]
    fn children_are_accounted_for() {
        let Some(before) = children_cpu() else { return };
        let script = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done";
        let status = std::process::Command::new("sh")
            .args(["-c", script])
            .status();
        assert!(status.unwrap().success());
        assert!(children_cpu().unwrap() > before);
    }
}
