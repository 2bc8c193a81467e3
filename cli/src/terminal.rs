//! What is said, and where: results on standard output, everything else on standard error.

use anyhow::Context;
use ferrovox::pipeline::Warning;
use serde::Serialize;
use std::io::{self, ErrorKind, Write};

/// Prints lines to standard output. That nobody reads them any more (`ferrovox info … | head -1`) is no failure.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
    {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(error).context("cannot write to standard output")
        }
        _ => Ok(()),
    }
}

/// Prints one JSON object and a line end.
pub fn print_json(object: &impl Serialize) -> anyhow::Result<()> {
    let mut text =
        serde_json::to_string_pretty(object).context("cannot encode the result as JSON")?;
    text.push('\n');
    print(&text)
}

/// Says something that the user should know but that is no failure.
pub fn warning(text: &str) {
    line(&format!("ferrovox: warning: {text}\n"));
}

/// Says that the work was stopped.
pub fn cancelled() {
    line("ferrovox: cancelled\n");
}

/// Says something that explains a result.
pub fn note(text: &str) {
    line(&format!("ferrovox: note: {text}\n"));
}

/// Says what the library found worth knowing of a run.
pub fn warnings(warnings: &[Warning]) {
    for text in warnings {
        match text {
            Warning::CutCycles { .. } => note(&text.to_string()),
            _ => warning(&text.to_string()),
        }
    }
}

/// Says why the command failed.
pub fn error(error: &anyhow::Error) {
    line(&format!("ferrovox: error: {}\n", chain(error)));
}

/// A closed standard error is nothing to fail or panic for.
fn line(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// The error and its causes, without those that an error above them has already put into its own words.
fn chain(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.contains(&cause) {
            continue;
        }
        if !text.is_empty() {
            text.push_str(": ");
        }
        text.push_str(&cause);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_told_once() {
        let io = io::Error::other("disk on fire");
        let error = anyhow::Error::from(io)
            .context("cannot write: disk on fire")
            .context("a.ply");
        assert_eq!(chain(&error), "a.ply: cannot write: disk on fire");
    }
}
