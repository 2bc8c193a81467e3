//! Ctrl-C on systems without Unix signals.

use super::{COMMAND_STACK, INTERRUPT, cancel_command};
use anyhow::Context;
use std::{panic, process::ExitCode, thread};

/// Runs the command on a new thread. Ctrl-C cancels it.
///
/// # Errors
/// Fails if the handler or the thread cannot be created.
pub fn run_command(
    command: impl FnOnce() -> ExitCode + Send + 'static,
) -> anyhow::Result<ExitCode> {
    // the process ends while this handler waits
    ctrlc::set_handler(|| cancel_command(INTERRUPT, || false, || None))
        .context("cannot install signal handlers")?;
    let command = thread::Builder::new()
        .stack_size(COMMAND_STACK)
        .name("main".to_owned())
        .spawn(command)
        .with_context(|| {
            format!("cannot start a thread: its stack needs {COMMAND_STACK} bytes of memory")
        })?;
    Ok(command
        .join()
        .unwrap_or_else(|panic| panic::resume_unwind(panic)))
}
