//! The phases of a command: how long each takes, and a progress bar for those who wait.

use crate::watch::Bar;
use ferrovox::monitor;
use std::time::{Duration, Instant};

/// Phases that follow each other, timed, with a bar that appears after a second if standard error is a terminal.
pub struct Phases {
    start: Instant,
    times: Vec<(&'static str, Duration)>,
    bar: Option<std::sync::Arc<Bar>>,
}

/// How far a phase is that has many steps.
pub struct Progress(Option<std::sync::Arc<Bar>>);

impl Progress {
    /// So many steps of so many are done.
    pub fn at(&self, done: u64, all: u64) {
        self.show("slabs", done, all, Duration::ZERO);
    }

    fn show(&self, stage: &'static str, done: u64, all: u64, elapsed: Duration) {
        if let Some(bar) = &self.0 {
            bar.show(&monitor::Progress {
                stage,
                done,
                all,
                elapsed,
            });
        }
    }
}

impl Phases {
    /// `count` phases are to come.
    pub fn new(_count: u64) -> Self {
        Self {
            start: Instant::now(),
            times: Vec::new(),
            bar: Bar::on_terminal().map(Into::into),
        }
    }

    /// Runs a phase. `name` is a verb: "read", "extract".
    pub fn run<R>(&mut self, name: &'static str, phase: impl FnOnce() -> R) -> R {
        self.progress().show(name, 0, 1, Duration::ZERO);
        let start = Instant::now();
        let result = phase();
        self.times.push((name, start.elapsed()));
        result
    }

    /// What shows how far the present phase is.
    pub fn progress(&self) -> Progress {
        Progress(self.bar.clone())
    }

    /// A phase that was timed by itself.
    pub fn add(&mut self, name: &'static str, time: Duration) {
        self.times.push((name, time));
    }

    /// Takes the bar away; the times of the phases in milliseconds, in order, and of everything.
    pub fn finish(mut self) -> (Vec<(&'static str, f64)>, f64) {
        self.bar = None;
        let times = self
            .times
            .iter()
            .map(|&(name, time)| (name, milliseconds(time)))
            .collect();
        (times, milliseconds(self.start.elapsed()))
    }
}

/// A time in milliseconds, to the microsecond.
pub fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_are_timed_in_order() {
        let mut phases = Phases::new(2);
        assert_eq!(phases.run("read", || 7), 7);
        phases.run("write", || {
            std::thread::sleep(Duration::from_millis(2));
        });
        let (times, total) = phases.finish();
        assert_eq!(
            times.iter().map(|&(name, _)| name).collect::<Vec<_>>(),
            ["read", "write"]
        );
        assert!(times[1].1 >= 2.0 && total >= times[1].1);
    }
}
