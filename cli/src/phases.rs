//! The phases of a command: how long each takes, and a progress bar for those who wait.

use ferrovox::{
    monitor::{self, Monitor},
    pipeline::Timings,
};
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
    /// Phases to come in all, and those that were run.
    count: u64,
    done: u64,
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

    /// Whether there is anything to see.
    pub fn is_seen(&self) -> bool {
        self.0.is_some()
    }

    /// A part of the work is done, from 0 to 1, and the rest takes about so long.
    pub fn part(&self, phase: &str, part: f64, left: Option<Duration>) {
        if let Some(bar) = &self.0 {
            bar.set_length(100);
            bar.set_position((100.0 * part) as u64);
            bar.set_message(match left.filter(|left| !left.is_zero()) {
                Some(left) => format!("% {phase}, {} left", about(left)),
                None => format!("% {phase}"),
            });
        }
    }
}

/// A time for those who wait for it.
fn about(time: Duration) -> String {
    let seconds = time.as_secs_f64().ceil() as u64;
    match seconds {
        0..100 => format!("{seconds} s"),
        100..6000 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{:.1} h", seconds as f64 / 3600.0),
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
            count,
            done: 0,
        }
    }

    /// Runs a phase. `name` is a verb: "read", "extract".
    pub fn run<R>(&mut self, name: &'static str, phase: impl FnOnce() -> R) -> R {
        self.show(name);
        let start = Instant::now();
        let result = phase();
        self.times.push((name, start.elapsed()));
        self.done += 1;
        self.show(name);
        result
    }

    fn show(&self, name: &'static str) {
        if let Some(Bar { bar, .. }) = &self.bar {
            bar.set_length(self.count);
            bar.set_position(self.done);
            bar.set_message(name);
        }
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

/// Does work that a bar shows the progress of.
pub fn watched<R>(work: impl FnOnce(&Monitor<'_>) -> R) -> R {
    let phases = Phases::new(100);
    let bar = phases.progress();
    let tell = |at: monitor::Progress| bar.part(at.stage, at.fraction(), at.left());
    let monitor = Monitor::silent();
    work(&match bar.is_seen() {
        true => monitor.on_progress(&tell),
        false => monitor,
    })
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_to_wait_are_about_right() {
        let about = |seconds: f64| about(Duration::from_secs_f64(seconds));
        assert_eq!(about(0.2), "1 s");
        assert_eq!(about(99.0), "99 s");
        assert_eq!(about(99.5), "2 min");
        assert_eq!(about(5401.0), "91 min");
        assert_eq!(about(9000.0), "2.5 h");
    }

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
