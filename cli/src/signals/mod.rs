//! Signals that end the command: Ctrl-C, `kill`, a closed terminal.

use anyhow::Context;
use ferrovox::{io::remove_temporary_files, monitor::CancelFlag};
use std::sync::{
    OnceLock,
    atomic::{AtomicI32, Ordering},
};

/// Number of the signal of Ctrl-C.
const INTERRUPT: i32 = 2;

/// Number of the first signal that arrived, or 0.
static FIRST_SIGNAL: AtomicI32 = AtomicI32::new(0);

/// Returns the exit status of a command that a signal stopped, by the convention of shells: 128
/// plus the number of the signal.
pub fn exit_status() -> u8 {
    exit_status_for(match FIRST_SIGNAL.load(Ordering::Relaxed) {
        0 => INTERRUPT,
        signal => signal,
    })
}

/// Returns a flag that a signal sets, so that the work ends and removes unfinished files. A second
/// signal ends the command immediately.
pub fn cancel_flag() -> anyhow::Result<&'static CancelFlag> {
    static FLAG: OnceLock<CancelFlag> = OnceLock::new();
    if let Some(flag) = FLAG.get() {
        return Ok(flag);
    }
    let flag = FLAG.get_or_init(CancelFlag::new);
    listen(|signal| {
        if flag.is_cancelled() {
            remove_temporary_files();
            std::process::exit(exit_status_for(signal).into());
        }
        FIRST_SIGNAL.store(signal, Ordering::Relaxed);
        flag.cancel();
    })
    .context("cannot install signal handlers")?;
    Ok(flag)
}

/// Error message of a command that aborts.
pub const ABORTED: &str = "aborted: there is not enough memory, or this is a defect of ferrovox; output files are unchanged";

/// Text that is printed to standard output on abort.
static OBJECT: OnceLock<String> = OnceLock::new();

/// Sets the text that is printed to standard output if the command aborts. Only the first call has
/// an effect.
pub fn print_when_aborted(text: String) {
    // Initialize standard output now: an abort during its initialization would deadlock.
    let _ = std::io::stdout();
    OBJECT.get_or_init(|| text);
}

/// Installs a handler of aborts, which Rust causes when an infallible allocation fails. It removes
/// temporary files and ends the command with status 1. The message goes to standard error, and the
/// text of [`print_when_aborted`] to standard output.
#[cfg(unix)]
pub fn exit_cleanly_on_abort() {
    use ferrovox::io::try_remove_temporary_files;
    use signal_hook::{consts::SIGABRT, low_level};
    let end = || {
        try_remove_temporary_files();
        // Locks of standard error and standard output may be held, so both are written directly.
        for text in ["ferrovox: error: ", ABORTED, "\n"] {
            let _ = rustix::io::write(std::io::stderr(), text.as_bytes());
        }
        if let Some(text) = OBJECT.get() {
            let _ = rustix::io::write(std::io::stdout(), text.as_bytes());
        }
        low_level::exit(1);
    };
    // SAFETY: the handler runs on the aborting thread, which holds no lock of the allocator. It
    // waits for no lock, removes files whose names exist already, writes text, and does not return.
    let registered = unsafe { low_level::register(SIGABRT, end) };
    // Without the handler an abort has its default effect.
    drop(registered);
}

#[cfg(not(unix))]
pub fn exit_cleanly_on_abort() {}

fn exit_status_for(signal: i32) -> u8 {
    u8::try_from(128 + signal).unwrap_or(u8::MAX)
}

/// Calls `handle` for each signal, on a separate thread.
#[cfg(unix)]
fn listen(handle: impl Fn(i32) + Send + 'static) -> anyhow::Result<()> {
    use signal_hook::{
        consts::{SIGHUP, SIGINT, SIGTERM},
        iterator::Signals,
    };
    let ignored = ignored_signals();
    let is_handled = |signal: &i32| ignored & (1 << (signal - 1)) == 0;
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP].iter().filter(|it| is_handled(it)))?;
    let name = "signals".to_owned();
    let listener = std::thread::Builder::new().name(name);
    listener.spawn(move || signals.forever().for_each(handle))?;
    Ok(())
}

/// Returns the mask of the signals that were already ignored when the command started, for example
/// by `nohup`: bit n - 1 for signal n. Returns 0 if the mask is not available.
#[cfg(unix)]
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}

#[cfg(not(unix))]
fn listen(handle: impl Fn(i32) + Send + 'static) -> anyhow::Result<()> {
    Ok(ctrlc::set_handler(move || handle(INTERRUPT))?)
}
