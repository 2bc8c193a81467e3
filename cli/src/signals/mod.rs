//! Signals that end the command: Ctrl-C, `kill`, a closed terminal, used-up processor time.
//!
//! The main thread receives signals while the command runs on another thread. The first signal sets
//! the cancel flag, and work that checks the flag ends in order. Work that does not end within
//! [`ORDERLY_STOP`], because it waits for a pipe, skips through an endless stream or computes for
//! long between two checks, is ended by the main thread: it acquires the [`OutputLock`], removes
//! temporary files and exits. The lock is not available while outputs are renamed, so all outputs
//! of a command are new, or none.

#[cfg(not(unix))]
mod console;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub use console::run_command;
#[cfg(unix)]
pub use unix::run_command;

use crate::terminal::{self, Terminal};
use anyhow::Context;
use ferrovox::{io::OutputLock, monitor::CancelFlag};
use std::{
    process::ExitCode,
    sync::{
        OnceLock,
        atomic::{AtomicI32, AtomicU8, Ordering::SeqCst},
        mpsc,
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// Number of the signal of Ctrl-C.
const INTERRUPT: i32 = 2;

/// Time after the first signal in which the command may end in order.
const ORDERLY_STOP: Duration = Duration::from_millis(500);

/// Time after the first signal in which a command may end that has replaced outputs or is printing
/// its report.
const LAST_STOP: Duration = Duration::from_millis(700);

/// Maximum time for printing that the command was cancelled.
const MAX_PRINTING: Duration = Duration::from_millis(100);

/// Interval between two checks after the first signal.
const POLL: Duration = Duration::from_millis(5);

/// Stack size of the thread that runs a command, in bytes; the main thread may have less.
const COMMAND_STACK: usize = 8 << 20;

/// Stack size of the thread that prints that the command was cancelled, in bytes.
const PRINTING_STACK: usize = 256 << 10;

/// Number of the first signal that arrived, or 0.
static FIRST_SIGNAL: AtomicI32 = AtomicI32::new(0);

/// Stage of the command: [`WORKING`], [`REPORTING`] or [`STOPPED`].
static STAGE: AtomicU8 = AtomicU8::new(WORKING);
const WORKING: u8 = 0;
/// The work has returned, and its report or error is being printed.
const REPORTING: u8 = 1;
/// The main thread ends the process.
const STOPPED: u8 = 2;

/// Terminal on which the end of a stopped command is reported.
static TERMINAL: OnceLock<Terminal> = OnceLock::new();

/// Returns the flag that the first signal sets.
pub fn cancel_flag() -> &'static CancelFlag {
    static FLAG: OnceLock<CancelFlag> = OnceLock::new();
    FLAG.get_or_init(CancelFlag::new)
}

/// Returns the exit status of a command that a signal stopped, by the convention of shells: 128
/// plus the number of the signal.
pub fn exit_status() -> u8 {
    exit_status_for(match FIRST_SIGNAL.load(SeqCst) {
        0 => INTERRUPT,
        signal => signal,
    })
}

fn exit_status_for(signal: i32) -> u8 {
    u8::try_from(128 + signal).unwrap_or(u8::MAX)
}

/// Sets the terminal on which a stopped command is reported. Only the first call has an effect.
pub fn set_terminal(terminal: Terminal) {
    TERMINAL.get_or_init(|| terminal);
}

/// Records that work follows a report: the next run of a batch.
pub fn begin_work() {
    // nothing changes once the main thread is ending the process
    let _ = STAGE.compare_exchange(REPORTING, WORKING, SeqCst, SeqCst);
}

/// Records that the work of the command has returned, so that only the command reports the result.
/// Does not return if the main thread is ending the process.
pub fn begin_report() {
    if STAGE.compare_exchange(WORKING, REPORTING, SeqCst, SeqCst) == Err(STOPPED) {
        loop {
            thread::park();
        }
    }
}

/// Starts the thread that runs the command.
fn spawn_command(
    command: impl FnOnce() -> ExitCode + Send + 'static,
) -> anyhow::Result<JoinHandle<ExitCode>> {
    thread::Builder::new()
        .stack_size(COMMAND_STACK)
        .name("main".to_owned())
        .spawn(command)
        .with_context(|| {
            format!("cannot start a thread: its stack needs {COMMAND_STACK} bytes of memory")
        })
}

/// Cancels the command after its first signal and waits until it ends. Ends the process if that
/// takes too long or if `next_signal` returns another signal.
fn cancel_command(
    signal: i32,
    has_ended: impl Fn() -> bool,
    mut next_signal: impl FnMut() -> Option<i32>,
) {
    FIRST_SIGNAL.store(signal, SeqCst);
    cancel_flag().cancel();
    let start = Instant::now();
    while !has_ended() {
        let elapsed = start.elapsed();
        if let Some(signal) = next_signal() {
            stop_process(signal, OutputLock::acquire());
        }
        if elapsed >= LAST_STOP {
            stop_process(signal, OutputLock::acquire());
        }
        if elapsed >= ORDERLY_STOP
            && STAGE.load(SeqCst) == WORKING
            && let Some(outputs) = OutputLock::try_acquire()
            && !outputs.has_replaced_files()
        {
            stop_process(signal, outputs);
        }
        thread::sleep(POLL);
    }
}

/// Removes temporary files, prints that the command was cancelled unless it reports its end itself,
/// and ends the process with the status of `signal`.
fn stop_process(signal: i32, mut outputs: OutputLock) -> ! {
    outputs.remove_temporary_files();
    if STAGE.swap(STOPPED, SeqCst) == WORKING {
        print_cancelled(outputs.has_replaced_files());
    }
    // the lock is held to the end
    exit_process(exit_status_for(signal).into())
}

/// Prints that the command was cancelled. Another thread prints, because the outputs may be full
/// pipes that are not being read.
fn print_cancelled(has_replaced_files: bool) {
    let (sender, receiver) = mpsc::channel();
    let print = move || {
        match TERMINAL.get() {
            Some(terminal) => terminal.cancelled(has_replaced_files),
            None => terminal::line("ferrovox: cancelled"),
        }
        // the main thread may have stopped waiting
        let _ = sender.send(());
    };
    let printing = thread::Builder::new().stack_size(PRINTING_STACK);
    if printing.spawn(print).is_ok() {
        let _ = receiver.recv_timeout(MAX_PRINTING);
    }
}

/// Ends the process without waiting for other threads.
fn exit_process(status: i32) -> ! {
    #[cfg(unix)]
    signal_hook::low_level::exit(status);
    #[cfg(not(unix))]
    std::process::exit(status);
}
