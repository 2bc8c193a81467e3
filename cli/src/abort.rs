//! Aborts, which Rust causes when an infallible allocation fails.

use std::sync::OnceLock;

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

/// Installs a handler of aborts. It removes temporary files and ends the command with status 1. The
/// message goes to standard error, and the text of [`print_when_aborted`] to standard output.
#[cfg(unix)]
pub fn exit_cleanly_on_abort() {
    use ferrovox::io::OutputLock;
    use signal_hook::{consts::SIGABRT, low_level};
    let end = || {
        // The aborting thread may hold the lock itself.
        if let Some(mut outputs) = OutputLock::try_acquire() {
            outputs.remove_temporary_files();
        }
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
