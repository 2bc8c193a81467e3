//! `cargo xtask test`: what a change is held to, in one command, with a summary at the end; with
//! `--all` everything the project checks.

mod beside;
mod builds;
mod clippy;
#[cfg(test)]
mod features;
mod outcome;
mod program;
mod step;
mod steps;
mod summary;
mod watched;

use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail};

use crate::bundle::{self, pack};
use crate::paths;
use crate::programs::{Kind, Program};
use crate::torture;
use beside::Beside;
use outcome::Outcome;
use program::Timed;
pub use step::outside;
use step::{Counts, Step, Work};
use summary::children_cpu;

/// Arguments of `test`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Run only the steps whose names contain one of these words
    #[arg(value_name = "WORD")]
    only: Vec<String>,
    /// Run all steps, and all cases of tests that take a part of theirs otherwise
    #[arg(long)]
    all: bool,
    /// Name the steps, and run none
    #[arg(long)]
    list: bool,
    /// Run, in place of the steps, tests in Miri, which finds undefined behaviour; it must be
    /// installed
    #[arg(long, conflicts_with_all = ["only", "list"])]
    miri: bool,
    /// Run, in place of the steps, tests with AddressSanitizer
    #[arg(long, conflicts_with_all = ["only", "list"])]
    address_sanitizer: bool,
    /// Run, in place of the steps, tests with ThreadSanitizer; the standard library's sources must
    /// be installed
    #[arg(long, conflicts_with_all = ["only", "list"])]
    thread_sanitizer: bool,
    /// Run, in place of the steps, all public crates in kernels, and write what came of it to
    /// docs/kernels/from-rust-cuda.md
    #[arg(long, conflicts_with_all = ["only", "list"])]
    public_code: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    let wanted = |step: &Step| match &arguments.only[..] {
        [] => arguments.all || arguments.list || !step.only_with_all,
        words => words.iter().any(|word| step.name.contains(word.as_str())),
    };
    let steps: Vec<Step> = match steps::in_place_of_all(arguments)? {
        steps if steps.is_empty() => steps::all()?.into_iter().filter(wanted).collect(),
        steps => steps,
    };
    if steps.is_empty() {
        bail!("no step has such a name; `cargo xtask test --list` names them");
    }
    if arguments.list {
        for step in &steps {
            let when = if step.only_with_all { " (--all)" } else { "" };
            println!("{:<14} {}{when}", step.name, step.what);
        }
        return Ok(());
    }
    let mut session = Session {
        all: arguments.all,
        ..Session::default()
    };
    let (mut outcomes, mut beside) = (Vec::new(), None::<Beside>);
    for step in steps {
        match step.work {
            Work::Beside(commands) => beside = Some(Beside::start(step.name, step.what, commands)),
            Work::Checks(_) => outcomes.push(session.perform(step)),
            // tests build kernels where it does
            _ => {
                outcomes.extend(beside.take().map(Beside::end));
                outcomes.push(session.perform(step));
            }
        }
    }
    outcomes.extend(beside.map(Beside::end));
    summary::print(&outcomes, session.timed)
}

/// What one step leaves for another.
#[derive(Default)]
struct Session {
    /// Tests take all of their cases.
    all: bool,
    /// The test programs of the workspace, and the command.
    programs: Vec<Program>,
    /// Every test that told its time.
    timed: Vec<Timed>,
}

impl Session {
    fn perform(&mut self, step: Step) -> Outcome {
        println!("\n==== {}: {}", step.name, step.what);
        let (start, cpu) = (Instant::now(), children_cpu());
        let counts = match step.work {
            Work::Checks(commands) | Work::Beside(commands) => run_all(commands, false),
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

    /// Builds the workspace's test programs and the command, unless that is done.
    fn build_programs(&mut self) -> Result<()> {
        if self.programs.is_empty() {
            self.programs = builds::all()?;
        }
        Ok(())
    }

    fn run_programs(&mut self) -> Result<Counts> {
        self.build_programs()?;
        let tests = self.programs.iter();
        let tests = tests.filter(|program| program.kind == Kind::Test);
        let (narrow, wide): (Vec<_>, Vec<_>) = tests.partition(|it| program::leaves_a_core(it));
        let run = |programs: Vec<&Program>| -> Vec<_> {
            programs
                .into_iter()
                .map(|it| program::run(it, self.all))
                .collect()
        };
        let results = thread::scope(|scope| {
            let beside = scope.spawn(|| run(narrow));
            let mut results = run(wide);
            match beside.join() {
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

    /// A short run of what `cargo xtask torture` does.
    fn torture(&mut self) -> Result<Counts> {
        self.build_programs()?;
        torture::perform(
            &self.programs,
            &["--seconds", "10", "--seed", "1"].map(Into::into),
        )?;
        Ok(Counts {
            passed: 1,
            failed: 0,
        })
    }

    /// What the programs of a bundle take, packed. Building them in the release profile takes
    /// longer than all other steps together: so it is those that were built to be run here.
    fn pack_bundle(&mut self) -> Result<Counts> {
        pack::check_tools()?;
        self.build_programs()?;
        let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
        let archive = folder.path().join("programs.tar.xz");
        let packed: Vec<&Program> = self
            .programs
            .iter()
            .filter(|program| bundle::belongs(program))
            .collect();
        let unpacked = pack::pack(packed.iter().copied(), &archive, pack::Effort::Little)?;
        let size = std::fs::metadata(&archive)?.len();
        println!(
            "{} programs of the test profile, without symbols: {:.1} MB, packed in a hurry {:.1} MB, of {:.1} MB that a bundle may have \
             (`cargo xtask bundle` packs the release profile's and the benches)",
            packed.len(),
            unpacked as f64 / 1e6,
            size as f64 / 1e6,
            bundle::LIMIT as f64 / 1e6
        );
        if size > bundle::LIMIT {
            bail!(
                "a bundle would be too large: leave a program out in xtask/src/bundle/contents.rs"
            );
        }
        Ok(Counts {
            passed: 1,
            failed: 0,
        })
    }
}

/// Says what went wrong, as one failure.
fn failure(error: anyhow::Error) -> Counts {
    println!("{error:#}");
    Counts {
        passed: 0,
        failed: 1,
    }
}

fn run_all(commands: Vec<Command>, counts_tests: bool) -> Counts {
    let mut counts = Counts::default();
    for mut command in commands {
        println!("---- {}", shown(&command));
        counts.add(step::run(&mut command, counts_tests));
    }
    counts
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
