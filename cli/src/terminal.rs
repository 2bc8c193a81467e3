//! Output: results to standard output, everything else to standard error.

use crate::{
    args::ReportArgs,
    escape::{escape, escape_json, escape_lines},
    option_names::with_options,
    out_of_memory::set_json_object,
};
use anyhow::Context;
use ferrovox::pipeline::Warning;
use serde::Serialize;
use std::{
    ffi::OsString,
    io::{self, ErrorKind, Write},
    sync::{Arc, Mutex},
};

/// Prints the results of a command in the requested form.
#[derive(Clone, Debug)]
pub struct Terminal {
    /// Name of the command.
    pub command: &'static str,
    /// Requested form of the results.
    pub report: ReportArgs,
    /// `true` if results go to standard error because a file is written to standard output.
    pub uses_stderr: bool,
    /// JSON objects of the runs of a batch, in order; `None` prints each object.
    pub collected: Option<Arc<Mutex<Vec<String>>>>,
}

/// Failure that has been printed already, together with the results, by
/// [`Terminal::report_failed`].
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ReportedFailure(String);

/// Remark on a run that did not fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remark {
    /// The result may not be the intended one.
    Warning(String),
    /// Explanation of the result.
    Note(String),
    /// Remark that the readable report contains.
    InText(String),
}

/// JSON object of a command: its results, warnings and error.
#[derive(Serialize)]
struct Object<'a, R> {
    command: &'a str,
    /// `None` if the command failed.
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

/// Converts the warnings of the library.
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
    /// Prints the results: as one JSON object, as text, or with `--quiet` not at all.
    pub fn report<R: Serialize>(
        &self,
        remarks: &[Remark],
        results: impl FnOnce() -> R,
        text: impl FnOnce() -> String,
    ) -> anyhow::Result<()> {
        self.results(remarks, None, results, text)
    }

    /// Prints the results of a run that completed its work but counts as failed, with the reason.
    /// Returns the error that ends the command.
    pub fn report_failed<R: Serialize>(
        &self,
        remarks: &[Remark],
        problem: String,
        results: impl FnOnce() -> R,
        text: impl FnOnce() -> String,
    ) -> anyhow::Result<()> {
        self.results(remarks, Some(problem.clone()), results, text)?;
        line(&format!("ferrovox: error: {problem}"));
        Err(ReportedFailure(problem).into())
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
            ReportArgs { json: true, .. } => self.output_json(&Object {
                command: self.command,
                results: Some(results()),
                warnings: remarks.iter().map(Remark::text).collect(),
                error,
            }),
            ReportArgs { quiet: true, .. } => Ok(()),
            _ if self.uses_stderr => {
                let _ = io::stderr().write_all(escape_lines(&text()).as_bytes());
                Ok(())
            }
            _ => print(&escape_lines(&text())),
        }
    }

    /// Prints the error of a command to standard error and, with `--json`, as an object.
    pub fn error(&self, error: &anyhow::Error) {
        self.failure(with_options(&chain(error)), |text| {
            format!("ferrovox: error: {text}")
        });
    }

    /// Prints that the work was cancelled, and whether files of the command have been replaced.
    pub fn cancelled(&self, has_replaced_files: bool) {
        let text = if has_replaced_files {
            "cancelled after output files had been replaced"
        } else {
            "cancelled"
        };
        self.failure(text.to_owned(), |text| format!("ferrovox: {text}"));
    }

    /// Prints an error of the command line.
    pub fn usage(&self, error: &clap::Error) {
        let text = error.render().to_string();
        // clap's own output is coloured; it is used if nothing needs to be escaped.
        if escape_lines(&text) == text {
            let _ = error.print();
        } else {
            let _ = io::stderr().write_all(escape_lines(&text).as_bytes());
        }
        // A help text or a version is not a failure.
        if error.use_stderr() {
            let first = text.split("\n\n").next().unwrap_or_default();
            let first = first.strip_prefix("error: ").unwrap_or(first);
            self.print_failure_object(first.trim().to_owned());
        }
    }

    /// Returns a terminal for the runs of a batch, which collects their JSON objects.
    pub fn collecting(&self) -> Self {
        Self {
            collected: Some(Arc::default()),
            ..self.clone()
        }
    }

    /// Prints one JSON object with those that the terminal of the runs collected, with `--json`,
    /// and fails with `problem`, if there is one.
    pub fn print_collected(&self, runs: &Self, problem: Option<String>) -> anyhow::Result<()> {
        if self.report.json {
            let objects = runs.collected.as_ref().and_then(|it| it.lock().ok());
            let objects = objects.map_or_else(Vec::new, |objects| objects.clone());
            let indented: Vec<String> = objects
                .iter()
                .map(|object| format!("    {}", object.trim_end().replace('\n', "\n    ")))
                .collect();
            let text = |value: &Option<String>| {
                serde_json::to_string(value).context("cannot encode the result as JSON")
            };
            print(&escape_json(&format!(
                "{{\n  \"command\": {},\n  \"runs\": [\n{}\n  ],\n  \"warnings\": [],\n  \"error\": {}\n}}\n",
                text(&Some(self.command.to_owned()))?,
                indented.join(",\n"),
                text(&problem)?
            )))?;
        }
        match problem {
            Some(problem) => {
                line(&format!("ferrovox: error: {problem}"));
                Err(ReportedFailure(problem).into())
            }
            None => Ok(()),
        }
    }

    /// Prints a JSON object, or collects it.
    fn output_json(&self, object: &impl Serialize) -> anyhow::Result<()> {
        let text = to_json(object)?;
        match self.collected.as_ref().map(|collected| collected.lock()) {
            Some(Ok(mut collected)) => {
                collected.push(text);
                Ok(())
            }
            _ => print(&text),
        }
    }

    fn failure(&self, text: String, shown: impl FnOnce(&str) -> String) {
        line(&shown(&text));
        self.print_failure_object(text);
    }

    /// Prints the JSON object of a failed command, with `--json`.
    fn print_failure_object(&self, error: String) {
        if self.report.json && !self.uses_stderr {
            // A closed standard output does not cause a second error.
            let _ = self.output_json(&failure_object(self.command, error));
        }
    }
}

/// Returns the JSON object of a failed command.
fn failure_object(command: &str, error: String) -> Object<'_, ()> {
    Object {
        command,
        results: None,
        warnings: Vec::new(),
        error: Some(error),
    }
}

/// With `--json` among the arguments, prepares the JSON object of a command that runs out of memory
/// while memory is available.
pub fn prepare_json_object(mut arguments: impl Iterator<Item = OsString>) {
    const MESSAGE: &str = "message";
    let command = arguments.nth(1).unwrap_or_default();
    let command = command.to_string_lossy();
    let object = failure_object(&command, MESSAGE.to_owned());
    if arguments.any(|argument| argument == "--json")
        && let Ok(text) = to_json(&object)
        && let Some((before, after)) = text.rsplit_once(MESSAGE)
    {
        set_json_object(before.to_owned(), after.to_owned());
    }
}

/// Prints text to standard output. A closed pipe (`ferrovox info … | head -1`) is not an error.
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

fn to_json(object: &impl Serialize) -> anyhow::Result<String> {
    let mut text =
        serde_json::to_string_pretty(object).context("cannot encode the result as JSON")?;
    text.push('\n');
    Ok(escape_json(&text))
}

/// Prints a line to standard error. A closed standard error is ignored.
pub fn line(text: &str) {
    let line = format!("{}\n", escape(text));
    let _ = io::stderr().lock().write_all(line.as_bytes());
}

/// Joins the messages of an error and its causes, skipping causes that the text already contains.
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
    fn repeated_causes_are_printed_once() {
        let io = io::Error::other("disk on fire");
        let error = anyhow::Error::from(io)
            .context("cannot write: disk on fire")
            .context("a.ply");
        assert_eq!(chain(&error), "a.ply: cannot write: disk on fire");
    }

    #[test]
    fn results_are_between_the_command_and_the_warnings() {
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
