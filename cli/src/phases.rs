//! The phases of a command: how long each takes, and a progress bar for those who wait.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::{
    io::IsTerminal,
    sync::mpsc::{self, RecvTimeoutError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// Whoever has waited this long wants to see that something happens.
const PATIENCE: Duration = Duration::from_secs(1);

/// Phases that follow each other, timed, with a bar that appears after a second if standard error is a terminal.
pub struct Phases {
    start: Instant,
    times: Vec<(&'static str, Duration)>,
    bar: Option<Bar>,
}

/// How far a phase is that has many steps.
pub struct Progress(Option<ProgressBar>);

impl Progress {
    /// So many steps of so many are done.
    pub fn at(&self, done: u64, all: u64) {
        if let Some(bar) = &self.0 {
            bar.set_length(all);
            bar.set_position(done);
        }
    }
}

struct Bar {
    bar: ProgressBar,
    /// Dropped to tell the thread below that the bar need not appear any more.
    stop: Option<mpsc::Sender<()>>,
    waiting: Option<JoinHandle<()>>,
}

impl Phases {
    /// `count` phases are to come.
    pub fn new(count: u64) -> Self {
        let bar = std::io::stderr()
            .is_terminal()
            .then(|| Bar::appear_later(count));
        Self {
            start: Instant::now(),
            times: Vec::new(),
            bar,
        }
    }

    /// Runs a phase. `name` is a verb: "read", "extract".
    pub fn run<R>(&mut self, name: &'static str, phase: impl FnOnce() -> R) -> R {
        if let Some(bar) = &self.bar {
            bar.bar.set_message(name);
        }
        let start = Instant::now();
        let result = phase();
        self.times.push((name, start.elapsed()));
        if let Some(bar) = &self.bar {
            bar.bar.inc(1);
        }
        result
    }

    /// What shows how far the present phase is.
    pub fn progress(&self) -> Progress {
        Progress(self.bar.as_ref().map(|bar| bar.bar.clone()))
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

impl Bar {
    fn appear_later(count: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(count), ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template("{bar:24} {pos}/{len} {msg} {elapsed}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let (stop, stopped) = mpsc::channel();
        let shown = bar.clone();
        let waiting = thread::spawn(move || {
            if stopped.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                shown.set_draw_target(ProgressDrawTarget::stderr());
                shown.enable_steady_tick(Duration::from_millis(200));
            }
        });
        Self {
            bar,
            stop: Some(stop),
            waiting: Some(waiting),
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(waiting) = self.waiting.take() {
            let _ = waiting.join();
        }
        self.bar.finish_and_clear();
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
        phases.run("write", || thread::sleep(Duration::from_millis(2)));
        let (times, total) = phases.finish();
        assert_eq!(
            times.iter().map(|&(name, _)| name).collect::<Vec<_>>(),
            ["read", "write"]
        );
        assert!(times[1].1 >= 2.0 && total >= times[1].1);
    }
}
