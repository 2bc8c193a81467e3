//! Signals of Unix systems.

use super::{ORDERLY_STOP, POLL, cancel_command, exit_process, exit_status_for, spawn_command};
use anyhow::Context;
use ferrovox::io::OutputLock;
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGXFSZ},
    flag,
    iterator::{Handle, Signals},
    low_level::emulate_default_handler,
};
use std::{
    panic,
    process::ExitCode,
    sync::{Arc, atomic::AtomicBool},
    thread,
    time::Instant,
};

/// Signals that end the command.
const HANDLED: [i32; 5] = [SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGQUIT];

/// Handle of the signals, which are no longer received once it is dropped.
struct EndOfCommand(Handle);

impl Drop for EndOfCommand {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Runs the command on a new thread, and receives signals on this one.
///
/// # Errors
/// Fails if the handlers or the thread cannot be created.
pub fn run_command(
    command: impl FnOnce() -> ExitCode + Send + 'static,
) -> anyhow::Result<ExitCode> {
    report_size_limits().context("cannot install signal handlers")?;
    let ignored = ignored_signals();
    let is_heeded = |signal: &&i32| ignored & (1 << (*signal - 1)) == 0;
    let mut signals =
        Signals::new(HANDLED.iter().filter(is_heeded)).context("cannot install signal handlers")?;
    let end = EndOfCommand(signals.handle());
    let command = spawn_command(move || {
        let _end = end;
        command()
    })?;
    // waits for a signal or for the end of the command
    if let Some(signal) = signals.forever().next() {
        quit_if_requested(signal);
        let next_signal = || {
            let next = signals.pending().next();
            next.inspect(|&signal| quit_if_requested(signal))
        };
        cancel_command(signal, || command.is_finished(), next_signal);
    }
    Ok(command
        .join()
        .unwrap_or_else(|panic| panic::resume_unwind(panic)))
}

/// Handles the signal of the limit on file sizes (`ulimit -f`), which would end the process without
/// a message: the write that exceeds the limit fails instead.
fn report_size_limits() -> std::io::Result<()> {
    flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
    Ok(())
}

/// On SIGQUIT, removes temporary files and ends the process as the signal does by default, usually
/// with a core dump.
fn quit_if_requested(signal: i32) {
    if signal != SIGQUIT {
        return;
    }
    let start = Instant::now();
    // held to the end
    let mut outputs = OutputLock::try_acquire();
    while outputs.is_none() && start.elapsed() < ORDERLY_STOP {
        thread::sleep(POLL);
        outputs = OutputLock::try_acquire();
    }
    if let Some(outputs) = &mut outputs {
        outputs.remove_temporary_files();
    }
    let _ = emulate_default_handler(SIGQUIT);
    exit_process(exit_status_for(SIGQUIT).into())
}

/// Returns the mask of the signals that were already ignored when the command started, for example
/// by `nohup`: bit n - 1 for signal n. Returns 0 if the mask is not available.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}
