//! `cargo xtask test`: everything the project checks, in one command, with a summary at the end.

mod beside;
mod builds;
mod clippy;
#[cfg(test)]
mod features;
mod outcome;
mod program;
mod step;
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
use step::{Counts, Step, Work, cargo, xtask};
use summary::children_cpu;

/// Arguments of `test`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Run only the steps whose names contain one of these words
    #[arg(value_name = "WORD")]
    only: Vec<String>,
    /// Name the steps, and run none
    #[arg(long)]
    list: bool,
    /// Run, in place of the steps, tests in Miri, which finds undefined behaviour; it must be installed
    #[arg(long, conflicts_with_all = ["only", "list"])]
    miri: bool,
    /// Run, in place of the steps, tests with AddressSanitizer
    #[arg(long, conflicts_with_all = ["only", "list"])]
    address_sanitizer: bool,
    /// Run, in place of the steps, tests with ThreadSanitizer; the standard library's sources must be installed
    #[arg(long, conflicts_with_all = ["only", "list"])]
    thread_sanitizer: bool,
    /// Run, in place of the steps, all public crates in kernels, and write what came of it to docs/from-rust-cuda.md
    #[arg(long, conflicts_with_all = ["only", "list"])]
    public_code: bool,
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
    let steps: Vec<Step> = match watched(arguments)? {
        steps if steps.is_empty() => self::steps()?.into_iter().filter(wanted).collect(),
        steps => steps,
    };
    if steps.is_empty() {
        bail!("no step has such a name; `cargo xtask test --list` names them");
    }
    if arguments.list {
        for step in &steps {
            println!("{:<14} {}", step.name, step.what);
        }
        return Ok(());
    }
    let mut session = Session::default();
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

/// The steps that were asked for in place of the others, if any were.
fn watched(arguments: &Arguments) -> Result<Vec<Step>> {
    let mut steps = Vec::new();
    if arguments.miri {
        steps.push(watched::miri()?);
    }
    if arguments.address_sanitizer {
        steps.push(watched::address_sanitizer()?);
    }
    if arguments.thread_sanitizer {
        steps.push(watched::thread_sanitizer()?);
    }
    if arguments.public_code {
        steps.push(Step {
            name: "public code",
            what: "public crates in kernels, as PTX and on the CPU, against vectors that others published",
            work: Work::Checks(vec![xtask(&["from-rust-cuda", "--public-code"])]),
        });
    }
    Ok(steps)
}

/// The steps, cheap ones first.
fn steps() -> Result<Vec<Step>> {
    let public_code = paths::root().join("tests/public-code");
    let mut format = vec![
        cargo(&["fmt", "--all", "--check"]),
        outside(&public_code, &["fmt", "--all", "--check"]),
    ];
    let mut examples = Vec::new();
    for example in folders("examples")? {
        format.push(outside(&example, &["fmt", "--check"]));
        examples.push(outside(
            &example,
            &["clippy", "--quiet", "--", "-D", "warnings"],
        ));
        examples.push(outside(&example, &["run", "--quiet"]));
    }
    // the features of cuda_std and cust that no package here turns on
    let with_vek = [
        "test",
        "-p",
        "ferrovox-cuda-std",
        "--features",
        "vek",
        "--test",
        "with_vek",
    ];
    let others_types = [
        "test",
        "-p",
        "ferrovox-cust",
        "--all-features",
        "--test",
        "others_types",
    ];
    let conformance = vec![
        cargo(&with_vek),
        cargo(&others_types),
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
        // those that compile quickly; `cargo xtask test --public-code` tries all
        outside(&public_code, &["test", "--package", "public-code-quick"]),
    ];
    let mut docs = cargo(&["doc", "--workspace", "--no-deps", "--quiet"]);
    docs.env("RUSTDOCFLAGS", "-D warnings");
    clippy::share(&mut docs);
    let clippy = clippy::command();
    let doctests = cargo(&["test", "--workspace", "--doc", "--no-fail-fast"]);
    let steps = [
        (
            "setup",
            "the device compiler and the assembler are there, or are installed",
            Work::Checks(vec![xtask(&["setup"])]),
        ),
        ("format", "every source is formatted", Work::Checks(format)),
        (
            "ptx",
            "the PTX in the repository is what the sources give, of one architecture by turns (`cargo xtask ptx --check` for both)",
            Work::Beside(vec![xtask(&["ptx", "--check", "--sample"])]),
        ),
        (
            "clippy",
            "no warning in any target",
            Work::Checks(vec![clippy]),
        ),
        (
            "docs",
            "the documentation builds without a warning",
            Work::Checks(vec![docs]),
        ),
        (
            "tests",
            "unit and integration tests on every device that is present, fuzz corpora, the scratch crate",
            Work::Programs,
        ),
        (
            "torture",
            "damaged files, signals, full disks and rivals for 10 seconds (`cargo xtask torture` for longer)",
            Work::Torture,
        ),
        (
            "bundle",
            "the test programs, packed, fit into a bundle",
            Work::Bundle,
        ),
        (
            "doctests",
            "the examples in the documentation",
            Work::Tests(vec![doctests]),
        ),
        (
            "conformance",
            "kernels and host code of the published APIs, and public crates in kernels, compile unchanged and run",
            Work::Tests(conformance),
        ),
        (
            "examples",
            "every example builds without a warning and runs",
            Work::Tests(examples),
        ),
    ];
    let step = |(name, what, work)| Step { name, what, work };
    Ok(steps.into_iter().map(step).collect())
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

/// What one step leaves for another.
#[derive(Default)]
struct Session {
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
        let (single, several): (Vec<_>, Vec<_>) = tests.partition(|it| program::has_one_test(it));
        let run = |programs: Vec<&Program>| -> Vec<_> {
            programs.into_iter().map(program::run).collect()
        };
        let results = thread::scope(|scope| {
            // one test keeps one core busy
            let beside = scope.spawn(|| run(single));
            let mut results = run(several);
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

    /// What the programs of a bundle take, packed. Building them in the release profile takes longer than all other steps together:
    /// so it is those that were built to be run here.
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
