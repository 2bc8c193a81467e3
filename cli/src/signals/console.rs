//! Ctrl-C on systems without Unix signals.

use super::{INTERRUPT, cancel_command, spawn_command};
use anyhow::Context;
use std::{panic, process::ExitCode};

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
    Ok(spawn_command(command)?
        .join()
        .unwrap_or_else(|panic| panic::resume_unwind(panic)))
}
