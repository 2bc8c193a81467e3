//! `cargo xtask test`: everything the project checks, in one command, with a summary at the end.

mod step;

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::paths;
pub use step::cargo_path;
use step::{Counts, Step, cargo, outside, xtask};

/// Arguments of `test`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Run only the steps whose names contain one of these words
    #[arg(value_name = "WORD")]
    only: Vec<String>,
    /// Name the steps, and run none
    #[arg(long)]
    list: bool,
}

/// What became of a step.
struct Outcome {
    name: &'static str,
    time: Duration,
    counts: Counts,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    let wanted = |step: &Step| {
        arguments.only.is_empty()
            || arguments
                .only
                .iter()
                .any(|word| step.name.contains(word.as_str()))
    };
    let steps: Vec<Step> = steps()?.into_iter().filter(wanted).collect();
    if steps.is_empty() {
        bail!("no step has such a name; `cargo xtask test --list` names them");
    }
    if arguments.list {
        for step in &steps {
            println!("{:<14} {}", step.name, step.what);
        }
        return Ok(());
    }
    let outcomes: Vec<Outcome> = steps.into_iter().map(perform).collect();
    summarise(&outcomes)
}

/// The steps, cheap ones first.
fn steps() -> Result<Vec<Step>> {
    let mut format = vec![cargo(&["fmt", "--all", "--check"])];
    let mut examples = Vec::new();
    for example in folders("examples")? {
        format.push(outside(&example, &["fmt", "--check"]));
        examples.push(outside(
            &example,
            &["clippy", "--quiet", "--", "-D", "warnings"],
        ));
        examples.push(outside(&example, &["run", "--quiet"]));
    }
    let conformance = vec![
        outside(
            &paths::root().join("tests/conformance/published"),
            &["check", "--quiet"],
        ),
        outside(
            &paths::root().join("tests/conformance/ferrovox"),
            &["test", "--workspace"],
        ),
        outside(
            &paths::root().join("tests/conformance-cust/published"),
            &["check", "--quiet"],
        ),
        outside(
            &paths::root().join("tests/conformance-cust/ours"),
            &["run", "--quiet"],
        ),
    ];
    let mut docs = cargo(&["doc", "--workspace", "--no-deps", "--quiet"]);
    docs.env("RUSTDOCFLAGS", "-D warnings");
    Ok(vec![
        Step::checks(
            "setup",
            "the device compiler and the assembler are there, or are installed",
            vec![xtask(&["setup"])],
        ),
        Step::checks("format", "every source is formatted", format),
        Step::checks(
            "clippy",
            "no warning in any target",
            vec![cargo(&[
                "clippy",
                "--workspace",
                "--all-targets",
                "--quiet",
                "--",
                "-D",
                "warnings",
            ])],
        ),
        Step::checks(
            "docs",
            "the documentation builds without a warning",
            vec![docs],
        ),
        Step::checks(
            "ptx",
            "the PTX in the repository is what the sources give; it is assembled",
            vec![xtask(&["ptx", "--check"])],
        ),
        Step::tests(
            "tests",
            "unit and integration tests on every device that is present, fuzz corpora, the scratch crate",
            vec![cargo(&[
                "test",
                "--workspace",
                "--lib",
                "--bins",
                "--tests",
                "--no-fail-fast",
            ])],
        ),
        Step::tests(
            "doctests",
            "the examples in the documentation",
            vec![cargo(&["test", "--workspace", "--doc", "--no-fail-fast"])],
        ),
        Step::tests(
            "conformance",
            "kernels and host code of the published APIs compile unchanged and run",
            conformance,
        ),
        Step::tests(
            "examples",
            "every example builds without a warning and runs",
            examples,
        ),
    ])
}

/// The packages in a folder of the repository, by name.
fn folders(name: &str) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(paths::root().join(name))?;
    let mut folders: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.join("Cargo.toml").is_file())
        .collect();
    folders.sort();
    Ok(folders)
}

fn perform(step: Step) -> Outcome {
    println!("\n==== {}: {}", step.name, step.what);
    let start = Instant::now();
    let mut counts = Counts::default();
    for mut command in step.commands {
        println!("---- {}", shown(&command));
        counts.add(step::run(&mut command, step.counts_tests));
    }
    Outcome {
        name: step.name,
        time: start.elapsed(),
        counts,
    }
}

fn shown(command: &Command) -> String {
    let program = PathBuf::from(command.get_program());
    let name = program
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let arguments: Vec<_> = command
        .get_args()
        .map(|argument| argument.to_string_lossy())
        .collect();
    let place = match command.get_current_dir() {
        Some(folder) if folder != paths::root() => format!(" (in {})", paths::shown(folder)),
        _ => String::new(),
    };
    format!("{name} {}{place}", arguments.join(" "))
}

fn summarise(outcomes: &[Outcome]) -> Result<()> {
    println!(
        "\n{:<14} {:>8} {:>8} {:>9}",
        "step", "passed", "failed", "time"
    );
    let mut all = Counts::default();
    for Outcome { name, time, counts } in outcomes {
        println!(
            "{name:<14} {:>8} {:>8} {:>8.1}s",
            counts.passed,
            counts.failed,
            time.as_secs_f64()
        );
        all.add(*counts);
    }
    let total: Duration = outcomes.iter().map(|outcome| outcome.time).sum();
    println!(
        "{:<14} {:>8} {:>8} {:>8.1}s",
        "all",
        all.passed,
        all.failed,
        total.as_secs_f64()
    );
    println!("\n{} passed, {} failed", all.passed, all.failed);
    if all.failed == 0 {
        Ok(())
    } else {
        let failed: Vec<_> = outcomes
            .iter()
            .filter(|outcome| outcome.counts.failed > 0)
            .map(|outcome| outcome.name)
            .collect();
        bail!("failed: {}", failed.join(", "))
    }
}
