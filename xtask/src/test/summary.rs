//! What the steps came to, and which tests took longest.

use std::time::Duration;

use anyhow::{Result, bail};

use super::beside;
use super::outcome::{Outcome, cpu_in};
use super::program::Timed;
use super::step::Counts;

/// How many of the slowest tests are named.
const SLOWEST: usize = 10;

/// Seconds that processes started by this one, and ended, have computed, but for those of steps
/// that run beside others. On Linux.
pub fn children_cpu() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    Some(cpu_in(&text, &[13, 14])? - beside::computed())
}

/// Prints the table of steps and that of the slowest tests; fails if something failed.
///
/// # Errors
/// The names of the steps that failed.
pub fn print(outcomes: &[Outcome], timed: Vec<Timed>) -> Result<()> {
    let slow = slowest(timed);
    if !slow.is_empty() {
        println!("\nthe {} slowest tests", slow.len());
        for Timed { name, seconds } in slow {
            println!("{seconds:>8.1}s  {name}");
        }
    }
    let row = |name: &str, counts: Counts, time: Duration, cpu: Option<f64>| {
        let cpu = cpu.map_or_else(|| "-".to_owned(), |cpu| format!("{cpu:.1}s"));
        println!(
            "{name:<14} {:>8} {:>8} {:>8.1}s {cpu:>9}",
            counts.passed,
            counts.failed,
            time.as_secs_f64()
        );
    };
    println!(
        "\n{:<14} {:>8} {:>8} {:>9} {:>9}",
        "step", "passed", "failed", "time", "CPU time"
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

/// The slowest tests, the slowest first.
fn slowest(mut timed: Vec<Timed>) -> Vec<Timed> {
    timed.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    timed.truncate(SLOWEST);
    timed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_come_first() {
        let timed = (0..20).map(|i| Timed {
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
