//! Signals that end the command: Ctrl-C, `kill`, a terminal that is closed.

use anyhow::Context;
use ferrovox::{io::remove_temporary_files, monitor::CancelFlag};
use std::sync::{
    OnceLock,
    atomic::{AtomicI32, Ordering},
};

/// The signal of Ctrl-C.
const INTERRUPT: i32 = 2;

/// The signal that came first, or 0.
static CAME: AtomicI32 = AtomicI32::new(0);

/// The exit status of a command that a signal stopped, as shells have it: 128 and the signal's
/// number.
pub fn exit_status() -> u8 {
    status_of(match CAME.load(Ordering::Relaxed) {
        0 => INTERRUPT,
        signal => signal,
    })
}

/// A flag that a signal sets, so that the work ends and removes what it has not finished. A second
/// one ends the command at once.
pub fn cancel_flag() -> anyhow::Result<&'static CancelFlag> {
    static FLAG: OnceLock<CancelFlag> = OnceLock::new();
    if let Some(flag) = FLAG.get() {
        return Ok(flag);
    }
    let flag = FLAG.get_or_init(CancelFlag::new);
    listen(|signal| {
        if flag.is_cancelled() {
            remove_temporary_files();
            std::process::exit(status_of(signal).into());
        }
        CAME.store(signal, Ordering::Relaxed);
        flag.cancel();
    })
    .context("cannot listen to signals")?;
    Ok(flag)
}

/// What is wrong where the command is aborted.
pub const ABORTED: &str = "aborted: there is not enough memory, or this is a defect of ferrovox; outputs are what they were";

/// What goes to standard output then.
static OBJECT: OnceLock<String> = OnceLock::new();

/// Has a text printed to standard output where the command is aborted; the first one stays.
pub fn print_when_aborted(text: String) {
    // what standard output needs is made now: in the middle of that, an abort could not wait for it
    let _ = std::io::stdout();
    OBJECT.get_or_init(|| text);
}

/// Has the command end with status 1, and without temporary files, where it would be aborted: as
/// Rust does where a list cannot grow for want of memory. What was wrong is on standard error then,
/// and on standard output what [`print_when_aborted`] was given.
#[cfg(unix)]
pub fn end_in_order_when_aborted() {
    use ferrovox::io::try_remove_temporary_files;
    use signal_hook::{consts::SIGABRT, low_level};
    let end = || {
        try_remove_temporary_files();
        // locks of standard error and output may be held
        for text in ["ferrovox: error: ", ABORTED, "\n"] {
            let _ = rustix::io::write(std::io::stderr(), text.as_bytes());
        }
        if let Some(text) = OBJECT.get() {
            let _ = rustix::io::write(std::io::stdout(), text.as_bytes());
        }
        low_level::exit(1);
    };
    // SAFETY: it runs on the thread that aborts, which is at no place where it holds a lock of the
    // allocator. It waits for no lock, removes files by names that are there, writes a text, and
    // does not return.
    let registered = unsafe { low_level::register(SIGABRT, end) };
    // without it an abort is an abort
    drop(registered);
}

#[cfg(not(unix))]
pub fn end_in_order_when_aborted() {}

fn status_of(signal: i32) -> u8 {
    u8::try_from(128 + signal).unwrap_or(u8::MAX)
}

/// Calls `came` with each signal, on a thread of its own.
#[cfg(unix)]
fn listen(came: impl Fn(i32) + Send + 'static) -> anyhow::Result<()> {
    use signal_hook::{
        consts::{SIGHUP, SIGINT, SIGTERM},
        iterator::Signals,
    };
    let ignored = ignored();
    let is_heard = |signal: &i32| ignored & (1 << (signal - 1)) == 0;
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP].iter().filter(|it| is_heard(it)))?;
    let name = "signals".to_owned();
    let listener = std::thread::Builder::new().name(name);
    listener.spawn(move || signals.forever().for_each(came))?;
    Ok(())
}

/// The signals that whoever started the command wants ignored, as `nohup` does: bit n - 1 for
/// signal n. None where that cannot be known.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}

#[cfg(not(unix))]
fn listen(came: impl Fn(i32) + Send + 'static) -> anyhow::Result<()> {
    Ok(ctrlc::set_handler(move || came(INTERRUPT))?)
}
