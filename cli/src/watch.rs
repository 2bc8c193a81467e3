//! Progress bar and cancellation of long work.

use crate::{out_of_memory::set_stage, signals, terminal::Terminal};
use ferrovox::{
    monitor::{Monitor, Progress},
    pipeline::PipelineError,
};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::{
    io::IsTerminal,
    sync::mpsc::{self, RecvTimeoutError},
    thread::{self, JoinHandle},
    time::Duration,
};

/// Delay before the bar appears.
const BAR_AFTER: Duration = Duration::from_secs(1);

/// Runs `work` with a progress bar, unless `--quiet` is given. A signal cancels the work.
pub fn run_monitored<R>(
    terminal: &Terminal,
    work: impl FnOnce(&Monitor<'_>) -> Result<R, PipelineError>,
) -> anyhow::Result<R> {
    let monitor = Monitor::new().cancelled_by(signals::cancel_flag());
    let bar = if terminal.report.quiet {
        None
    } else {
        Bar::on_terminal()
    };
    let on_progress = |progress: Progress| {
        set_stage(progress.stage);
        if let Some(bar) = &bar {
            bar.show(&progress);
        }
    };
    let result = work(&monitor.on_progress(&on_progress));
    drop(bar);
    set_stage("report");
    signals::begin_report();
    Ok(result?)
}

/// Progress bar that appears if the work takes long.
pub struct Bar {
    bar: ProgressBar,
    /// Sender whose drop keeps the bar from appearing if the work ends early.
    stop: Option<mpsc::Sender<()>>,
    waiting: Option<JoinHandle<()>>,
}

impl Bar {
    /// Returns a bar, or `None` if standard error is not a terminal.
    pub fn on_terminal() -> Option<Self> {
        std::io::stderr().is_terminal().then(Self::appear_later)
    }

    /// Shows the progress of a stage.
    pub fn show(&self, progress: &Progress) {
        self.bar.set_length(progress.total.max(1));
        self.bar.set_position(progress.done);
        self.bar.set_message(message(progress));
    }

    fn appear_later() -> Self {
        let bar = ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template("{bar:24} {msg} {elapsed}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let (stop, stopped) = mpsc::channel();
        let shown = bar.clone();
        let wait = move || {
            if stopped.recv_timeout(BAR_AFTER) == Err(RecvTimeoutError::Timeout) {
                shown.set_draw_target(ProgressDrawTarget::stderr());
                shown.enable_steady_tick(Duration::from_millis(200));
            }
        };
        // Without a thread there is no bar.
        let waiting = thread::Builder::new().spawn(wait).ok();
        Self {
            bar,
            stop: Some(stop),
            waiting,
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

/// Formats the stage, its progress if it has steps, and the estimated remaining time.
fn message(progress: &Progress) -> String {
    let Progress {
        stage, done, total, ..
    } = progress;
    let part = match total {
        0 | 1 => return (*stage).to_owned(),
        2..10_000 => format!("{stage} {done}/{total}"),
        _ => format!("{stage} {:.0} %", 100.0 * progress.fraction()),
    };
    match progress.remaining().filter(|left| !left.is_zero()) {
        Some(left) => format!("{part}, {} left", about(left)),
        None => part,
    }
}

/// Formats a remaining time with coarse resolution.
fn about(time: Duration) -> String {
    let seconds = time.as_secs_f64().ceil() as u64;
    match seconds {
        0..100 => format!("{seconds} s"),
        100..6000 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{:.1} h", seconds as f64 / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remaining_times_are_rounded_up() {
        let about = |seconds: f64| about(Duration::from_secs_f64(seconds));
        assert_eq!(about(0.2), "1 s");
        assert_eq!(about(99.0), "99 s");
        assert_eq!(about(99.5), "2 min");
        assert_eq!(about(5401.0), "91 min");
        assert_eq!(about(9000.0), "2.5 h");
    }

    #[test]
    fn messages_show_stage_progress_and_remaining_time() {
        let message = |done, total| {
            message(&Progress {
                stage: "slabs",
                done,
                total,
                elapsed: Duration::from_secs(3),
            })
        };
        assert_eq!(message(0, 1), "slabs");
        assert_eq!(message(0, 8), "slabs 0/8");
        assert_eq!(message(2, 8), "slabs 2/8, 9 s left");
        assert_eq!(message(8, 8), "slabs 8/8");
        assert_eq!(message(25_000, 100_000), "slabs 25 %, 9 s left");
    }
}
