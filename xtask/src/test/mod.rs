//! `cargo xtask test`: runs the checks of a change and prints a summary; with `--all`, all checks
//! of the project.

mod background;
mod builds;
mod clippy;
#[cfg(test)]
mod features;
mod outcome;
mod program;
mod sanitizers;
mod step;
mod steps;
mod summary;

use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail};

use crate::bundle::{self, pack};
use crate::paths;
use crate::programs::{Program, ProgramKind};
use crate::torture;
use background::BackgroundStep;
use outcome::Outcome;
use program::TestTime;
pub use step::cargo_in;
use step::{Counts, Schedule, Step, Work};
pub use summary::children_cpu;

/// Arguments of `test`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Run only steps whose names contain one of these words
    #[arg(value_name = "WORD")]
    only: Vec<String>,
    /// Run all steps, and all cases of tests that otherwise run a subset
    #[arg(long)]
    all: bool,
    /// List the steps without running them
    #[arg(long)]
    list: bool,
    /// Run tests in Miri, which detects undefined behaviour, instead of the steps; Miri must be
    /// installed
    #[arg(long, conflicts_with_all = ["only", "list"])]
    miri: bool,
    /// Run tests with AddressSanitizer instead of the steps
    #[arg(long, conflicts_with_all = ["only", "list"])]
    address_sanitizer: bool,
    /// Run tests with ThreadSanitizer instead of the steps; the sources of the standard library
    /// must be installed
    #[arg(long, conflicts_with_all = ["only", "list"])]
    thread_sanitizer: bool,
    /// Test all public crates in kernels instead of the steps, and write the results to
    /// docs/kernels/from-rust-cuda.md
    #[arg(long, conflicts_with_all = ["only", "list"])]
    public_code: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    let is_selected = |step: &Step| match &arguments.only[..] {
        [] => arguments.all || arguments.list || step.schedule == Schedule::EveryRun,
        words => words.iter().any(|word| step.name.contains(word.as_str())),
    };
    let steps: Vec<Step> = match steps::replacement_steps(arguments)? {
        steps if steps.is_empty() => steps::regular_steps()?
            .into_iter()
            .filter(is_selected)
            .collect(),
        steps => steps,
    };
    if steps.is_empty() {
        bail!("no step has such a name; see `cargo xtask test --list`");
    }
    if arguments.list {
        for step in &steps {
            let condition = if step.schedule == Schedule::OnlyWithAll {
                " (--all)"
            } else {
                ""
            };
            println!("{:<14} {}{condition}", step.name, step.description);
        }
        return Ok(());
    }
    let mut session = Session {
        all: arguments.all,
        ..Session::default()
    };
    let (mut outcomes, mut background) = (Vec::new(), None::<BackgroundStep>);
    for step in steps {
        match step.work {
            Work::Background(commands) => {
                background = Some(BackgroundStep::start(step.name, step.description, commands))
            }
            Work::Checks(_) => outcomes.push(session.perform(step)),
            // the other steps build kernels in the directory that a background step uses
            _ => {
                outcomes.extend(background.take().map(BackgroundStep::end));
                outcomes.push(session.perform(step));
            }
        }
    }
    outcomes.extend(background.map(BackgroundStep::end));
    summary::print(&outcomes, session.timed)
}

/// State shared by the steps.
#[derive(Default)]
struct Session {
    /// `true` if tests run all of their cases.
    all: bool,
    /// Test programs of the workspace, and the command.
    programs: Vec<Program>,
    /// Times of all tests.
    timed: Vec<TestTime>,
}

impl Session {
    fn perform(&mut self, step: Step) -> Outcome {
        println!("\n==== {}: {}", step.name, step.description);
        let (start, cpu) = (Instant::now(), children_cpu());
        let counts = match step.work {
            Work::Checks(commands) | Work::Background(commands) => run_all(commands, false),
            Work::Tests(commands) => run_all(commands, true),
            Work::Programs => self.run_programs().unwrap_or_else(failure),
            Work::Torture => self.torture().unwrap_or_else(failure),
            Work::Bundle => self.pack_bundle().unwrap_or_else(failure),
        };
        Outcome {
            name: step.name,
            time: start.elapsed(),
            cpu: children_cpu()
                .zip(cpu)
                .map(|(after, before)| after - before),
            counts,
        }
    }

    /// Builds the workspace's test programs and the command, unless this has been done.
    fn build_programs(&mut self) -> Result<()> {
        if self.programs.is_empty() {
            self.programs = builds::build_test_programs()?;
        }
        Ok(())
    }

    fn run_programs(&mut self) -> Result<Counts> {
        self.build_programs()?;
        let tests = self.programs.iter();
        let tests = tests.filter(|program| program.kind == ProgramKind::Test);
        let (single_threaded, parallel): (Vec<_>, Vec<_>) =
            tests.partition(|it| program::uses_one_core(it));
        let run = |programs: Vec<&Program>| -> Vec<_> {
            programs
                .into_iter()
                .map(|it| program::run(it, self.all))
                .collect()
        };
        let results = thread::scope(|scope| {
            let background = scope.spawn(|| run(single_threaded));
            let mut results = run(parallel);
            match background.join() {
                Ok(others) => results.extend(others),
                Err(_) => results.push((failure(anyhow!("a thread panicked")), Vec::new())),
            }
            results
        });
        let mut counts = Counts::default();
        for (these, timed) in results {
            counts.add(these);
            self.timed.extend(timed);
        }
        Ok(counts)
    }

    /// Runs `cargo xtask torture` for a short time.
    fn torture(&mut self) -> Result<Counts> {
        self.build_programs()?;
        torture::run_program(
            &self.programs,
            &["--seconds", "10", "--seed", "1"].map(Into::into),
        )?;
        Ok(Counts {
            passed: 1,
            failed: 0,
            ..Counts::default()
        })
    }

    /// Checks the size of a bundle, with the programs built for testing: a release build would take
    /// longer than all other steps together.
    fn pack_bundle(&mut self) -> Result<Counts> {
        pack::check_tools()?;
        self.build_programs()?;
        let folder = tempfile::tempdir().context("cannot create a temporary directory")?;
        let archive = folder.path().join("programs.tar.xz");
        let packed: Vec<&Program> = self
            .programs
            .iter()
            .filter(|program| bundle::is_bundled(program))
            .collect();
        let unpacked = pack::pack(packed.iter().copied(), &archive, pack::Effort::Low)?;
        let size = std::fs::metadata(&archive)?.len();
        println!(
            "{} programs of the test profile, without symbols: {:.1} MB, packed {:.1} MB; the limit of a bundle is {:.1} MB \
             (`cargo xtask bundle` packs the release profile's and the benches)",
            packed.len(),
            unpacked as f64 / 1e6,
            size as f64 / 1e6,
            bundle::MAX_BYTES as f64 / 1e6
        );
        if size > bundle::MAX_BYTES {
            bail!("a bundle would be too large; remove a program in xtask/src/bundle/contents.rs");
        }
        Ok(Counts {
            passed: 1,
            failed: 0,
            ..Counts::default()
        })
    }
}

/// Prints an error and counts it as one failure.
fn failure(error: anyhow::Error) -> Counts {
    println!("{error:#}");
    Counts {
        passed: 0,
        failed: 1,
        ..Counts::default()
    }
}

fn run_all(commands: Vec<Command>, counts_tests: bool) -> Counts {
    let mut counts = Counts::default();
    for mut command in commands {
        println!("---- {}", display_command(&command));
        counts.add(step::run(&mut command, counts_tests));
    }
    counts
}

fn display_command(command: &Command) -> String {
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
    let location = match command.get_current_dir() {
        Some(folder) if folder != paths::root() => {
            format!(" (in {})", paths::display_relative(folder))
        }
        _ => String::new(),
    };
    format!("{name} {}{location}", arguments.join(" "))
}
