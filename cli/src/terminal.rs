//! What is said, and where: results on standard output, everything else on standard error.

use anyhow::Context;
use ferrovox::pipeline::Warning;
use serde::Serialize;
use std::io::{self, ErrorKind, Write};

/// What messages of the library say of parameters, and the same with the options of the command.
const OPTIONS: [(&str, &str); 23] = [
    ("a memory limit", "--memory"),
    ("by a largest distance up to", "by --max-distance up to"),
    ("by a spacing of 1", "with --spacing 1"),
    ("give a higher threshold", "give a higher --threshold"),
    ("give a lower threshold", "give a lower --threshold"),
    ("give another label", "give another --label"),
    ("give the level", "give --level"),
    ("give the threshold", "give --threshold"),
    (
        "leave the check out, or allow more memory",
        "leave --check out, or allow more --memory",
    ),
    ("measure to a level", "measure to a --level"),
    ("name one device", "name one --device"),
    (
        "the check needs the whole mesh",
        "--check needs the whole mesh",
    ),
    ("the file of nearest sites needs", "--nearest needs"),
    ("the map of labels needs", "--labels needs"),
    ("the map's grid is", "--grid"),
    ("the memory limit", "--memory"),
    (
        "the sample type u16 or u32 needs",
        "--dtype u16 or u32 needs",
    ),
    (
        "the square of the largest distance",
        "the square of --max-distance",
    ),
    ("there is no plane", "--slice"),
    ("without a comparison", "without --compare"),
    ("without the check", "without --check"),
    ("without the strict check", "without --strict"),
    ("write the map as", "write --dtype"),
];

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

/// A message of the library with options where it names parameters.
fn with_options(message: &str) -> String {
    OPTIONS
        .iter()
        .fold(message.to_owned(), |text, (parameter, option)| {
            text.replace(parameter, option)
        })
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
        let message = with_options(&text.to_string());
        match text {
            Warning::CutCycles { .. } | Warning::Outside { .. } => note(&message),
            _ => warning(&message),
        }
    }
}

/// Says why the command failed.
pub fn error(error: &anyhow::Error) {
    line(&format!(
        "ferrovox: error: {}\n",
        with_options(&chain(error))
    ));
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
    use ferrovox::pipeline::distance::DistanceJobError;

    #[test]
    fn parameters_are_named_as_options() {
        let no_voxels = DistanceJobError::EmptyGrid { dims: [4, 0, 2] };
        assert_eq!(
            with_options(&no_voxels.to_string()),
            "--grid 4 x 0 x 2: a map of no voxels; give three numbers from 1"
        );
        let slabs = DistanceJobError::NeedsWhole {
            what: "the map of labels",
        };
        assert_eq!(
            with_options(&slabs.to_string()),
            "--labels needs the whole map, and with --memory or several devices it is made in slabs; name one --device, and \
             leave --memory out"
        );
    }

    #[test]
    fn a_cause_is_told_once() {
        let io = io::Error::other("disk on fire");
        let error = anyhow::Error::from(io)
            .context("cannot write: disk on fire")
            .context("a.ply");
        assert_eq!(chain(&error), "a.ply: cannot write: disk on fire");
    }
}
