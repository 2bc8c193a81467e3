//! What is printed, and where: results on standard output, everything else on standard error.

use crate::{
    args::ReportArgs,
    escape::{escape, escape_json, escape_lines},
    option_names::with_options,
    signals::{ABORTED, print_when_aborted},
};
use anyhow::Context;
use ferrovox::pipeline::Warning;
use serde::Serialize;
use std::{
    ffi::OsString,
    io::{self, ErrorKind, Write},
};

/// Prints the results of one command in the form that the user asked for.
#[derive(Clone, Copy, Debug)]
pub struct Terminal {
    /// The command's name.
    pub command: &'static str,
    /// What the user asked for.
    pub report: ReportArgs,
    /// Results go to standard error, because a file is written to standard output.
    pub is_aside: bool,
}

/// A failure that was said, with the results, in [`Terminal::report_failed`].
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Said(String);

/// Something worth knowing of a run that is no failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remark {
    /// It may be that the result is not what was meant.
    Warning(String),
    /// It explains the result.
    Note(String),
    /// The readable report has it.
    InText(String),
}

/// The JSON object of every command: its results, and what there is to say of the run.
#[derive(Serialize)]
struct Object<'a, R> {
    command: &'a str,
    /// None where the command failed.
    #[serde(flatten)]
    results: Option<R>,
    warnings: Vec<&'a str>,
    error: Option<String>,
}

impl Remark {
    fn text(&self) -> &str {
        match self {
            Self::Warning(text) | Self::Note(text) | Self::InText(text) => text,
        }
    }
}

/// The library's warnings.
pub fn remarks(warnings: &[Warning]) -> Vec<Remark> {
    let remark = |warning: &Warning| match warning {
        Warning::CutCycles { .. } | Warning::Outside { .. } => {
            Remark::Note(with_options(&warning.to_string()))
        }
        _ => Remark::Warning(with_options(&warning.to_string())),
    };
    warnings.iter().map(remark).collect()
}

impl Terminal {
    /// Prints the results: as one JSON object, or as text, or with `--quiet` not at all.
    pub fn report<R: Serialize>(
        &self,
        remarks: &[Remark],
        results: impl FnOnce() -> R,
        text: impl FnOnce() -> String,
    ) -> anyhow::Result<()> {
        self.results(remarks, None, results, text)
    }

    /// The same of a run that did its work and fails all the same: its results, and why. Returns
    /// the error that ends the command.
    pub fn report_failed<R: Serialize>(
        &self,
        remarks: &[Remark],
        problem: String,
        results: impl FnOnce() -> R,
        text: impl FnOnce() -> String,
    ) -> anyhow::Result<()> {
        self.results(remarks, Some(problem.clone()), results, text)?;
        line(&format!("ferrovox: error: {problem}"));
        Err(Said(problem).into())
    }

    fn results<R: Serialize>(
        &self,
        remarks: &[Remark],
        error: Option<String>,
        results: impl FnOnce() -> R,
        text: impl FnOnce() -> String,
    ) -> anyhow::Result<()> {
        if !self.report.quiet {
            for remark in remarks {
                match remark {
                    Remark::Warning(text) => line(&format!("ferrovox: warning: {text}")),
                    Remark::Note(text) => line(&format!("ferrovox: note: {text}")),
                    Remark::InText(_) => {}
                }
            }
        }
        match self.report {
            ReportArgs { json: true, .. } => print_json(&Object {
                command: self.command,
                results: Some(results()),
                warnings: remarks.iter().map(Remark::text).collect(),
                error,
            }),
            ReportArgs { quiet: true, .. } => Ok(()),
            _ if self.is_aside => {
                let _ = io::stderr().write_all(escape_lines(&text()).as_bytes());
                Ok(())
            }
            _ => print(&escape_lines(&text())),
        }
    }

    /// Says why the command failed: on standard error, and with `--json` in its object too.
    pub fn error(&self, error: &anyhow::Error) {
        self.failure(with_options(&chain(error)), |text| {
            format!("ferrovox: error: {text}")
        });
    }

    /// Says that the work was stopped.
    pub fn cancelled(&self) {
        self.failure("cancelled".to_owned(), |text| format!("ferrovox: {text}"));
    }

    /// Says that the command line makes no sense.
    pub fn usage(&self, error: &clap::Error) {
        let text = error.render().to_string();
        // coloured where nothing in it is escaped
        if escape_lines(&text) == text {
            let _ = error.print();
        } else {
            let _ = io::stderr().write_all(escape_lines(&text).as_bytes());
        }
        // a help text or a version is no failure
        if error.use_stderr() {
            let first = text.split("\n\n").next().unwrap_or_default();
            let first = first.strip_prefix("error: ").unwrap_or(first);
            self.object_of(first.trim().to_owned());
        }
    }

    fn failure(&self, text: String, shown: impl FnOnce(&str) -> String) {
        line(&shown(&text));
        self.object_of(text);
    }

    /// With `--json`, the object of a command that failed.
    fn object_of(&self, error: String) {
        if self.report.json && !self.is_aside {
            // that standard output is closed is not worth a second error
            let _ = print_json(&failure_of(self.command, error));
        }
    }
}

/// The object of a command that failed.
fn failure_of(command: &str, error: String) -> Object<'_, ()> {
    Object {
        command,
        results: None,
        warnings: Vec::new(),
        error: Some(error),
    }
}

/// With `--json` among the arguments, makes the object of a command that is aborted, while there is
/// memory for it.
pub fn prepare_for_abort(mut arguments: impl Iterator<Item = OsString>) {
    let command = arguments.nth(1).unwrap_or_default();
    let command = command.to_string_lossy();
    let object = failure_of(&command, ABORTED.to_owned());
    if arguments.any(|argument| argument == "--json")
        && let Ok(text) = json_of(&object)
    {
        print_when_aborted(text);
    }
}

/// Prints lines to standard output. That nobody reads them any more (`ferrovox info … | head -1`)
/// is no failure.
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

fn print_json(object: &impl Serialize) -> anyhow::Result<()> {
    print(&json_of(object)?)
}

fn json_of(object: &impl Serialize) -> anyhow::Result<String> {
    let mut text =
        serde_json::to_string_pretty(object).context("cannot encode the result as JSON")?;
    text.push('\n');
    Ok(escape_json(&text))
}

/// Prints a line to standard error. That it is closed is nothing to fail or panic for.
pub fn line(text: &str) {
    let line = format!("{}\n", escape(text));
    let _ = io::stderr().lock().write_all(line.as_bytes());
}

/// The error and its causes, without those that an error above them has already put into its own
/// words.
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
    fn a_cause_is_said_once() {
        let io = io::Error::other("disk on fire");
        let error = anyhow::Error::from(io)
            .context("cannot write: disk on fire")
            .context("a.ply");
        assert_eq!(chain(&error), "a.ply: cannot write: disk on fire");
    }

    #[test]
    fn results_stand_between_the_command_and_the_warnings() {
        #[derive(Serialize)]
        struct Results {
            count: u64,
        }
        let object = |results, error: Option<&str>| {
            let object = Object {
                command: "mesh",
                results,
                warnings: vec!["odd"],
                error: error.map(str::to_owned),
            };
            serde_json::to_string(&object).unwrap()
        };
        assert_eq!(
            object(Some(Results { count: u64::MAX }), None),
            r#"{"command":"mesh","count":18446744073709551615,"warnings":["odd"],"error":null}"#
        );
        assert_eq!(
            object(None, Some("no file")),
            r#"{"command":"mesh","warnings":["odd"],"error":"no file"}"#
        );
    }
}
