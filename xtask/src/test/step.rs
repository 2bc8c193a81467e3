//! Steps of the test command.

use std::env;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::paths;

/// A step: a group of checks with a common purpose.
pub struct Step {
    /// Name in the summary and on the command line; a single word for the regular steps.
    pub name: &'static str,
    /// Property that the step verifies.
    pub description: &'static str,
    pub schedule: Schedule,
    pub work: Work,
}

/// Runs of the test command that contain a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// Every run.
    EveryRun,
    /// Runs with `--all` or with the step's name (as in `.ci/run`), because its subject rarely
    /// changes or it takes long.
    OnlyWithAll,
}

/// Work of a step.
pub enum Work {
    /// Commands, run one after another even if one fails; each counts as one check.
    Checks(Vec<Command>),
    /// Commands with test output, whose tests are counted. A command without tests counts as one.
    Tests(Vec<Command>),
    /// Commands that run concurrently with the [`Checks`](Work::Checks) steps that follow; any
    /// other step waits until they have ended.
    Background(Vec<Command>),
    /// Building and running the test programs of the workspace.
    Programs,
    /// The torture program, for a short time.
    Torture,
    /// Packing the test programs like a bundle.
    Bundle,
}

/// Numbers of passed and failed tests or checks, and of skipped parts of tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub passed: u64,
    pub failed: u64,
    /// Notes of skipped tests or parts of tests (`test_cases::report_skip`), which pass.
    pub skipped: u64,
}

impl Counts {
    pub fn add(&mut self, other: Counts) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }

    /// Counts a line of a program's output if it is the note of a skipped test.
    pub fn read_skip(&mut self, line: &str) {
        self.skipped += u64::from(line.starts_with("skipped: "));
    }

    /// Adds the numbers of a line of test output, if it is a result line.
    fn read(&mut self, line: &str) {
        self.read_skip(line);
        let Some(rest) = line.trim_start().strip_prefix("test result: ") else {
            return;
        };
        let number = |label: &str| -> u64 {
            let part = rest
                .split(['.', ';'])
                .find(|part| part.trim_end().ends_with(label));
            part.and_then(|part| part.split_whitespace().next()?.parse().ok())
                .unwrap_or(0)
        };
        self.passed += number("passed");
        self.failed += number("failed");
    }
}

/// Returns a cargo command at the root of the repository. The profile of tests is in
/// `.cargo/config.toml`: debug assertions and overflow checks, but optimized, because the CPU
/// executor processes whole volumes.
pub fn cargo(arguments: &[&str]) -> Command {
    let mut command = paths::cargo(&paths::root());
    command.args(arguments);
    command
}

/// Returns a cargo command for a package outside the workspace, which shares the workspace's target
/// directory.
pub fn cargo_in(package: &Path, arguments: &[&str]) -> Command {
    let mut command = cargo(arguments);
    command
        .current_dir(package)
        .env("CARGO_TARGET_DIR", paths::target());
    command
}

/// Returns a command that runs this program with another subcommand.
pub fn xtask(arguments: &[&str]) -> Command {
    let mut command = Command::new(env::current_exe().unwrap_or_else(|_| "xtask".into()));
    command.args(arguments).current_dir(paths::root());
    command
}

/// Runs a command, prints its output, and counts the results.
pub fn run(command: &mut Command, counts_tests: bool) -> Counts {
    let mut counts = Counts::default();
    let succeeded = match command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn() {
        Err(error) => {
            println!("cannot run the command: {error}");
            false
        }
        Ok(mut child) => {
            if let Some(output) = child.stdout.take() {
                for line in BufReader::new(output).lines().map_while(Result::ok) {
                    println!("{line}");
                    if counts_tests {
                        counts.read(&line);
                    }
                }
            }
            child.wait().is_ok_and(|status| status.success())
        }
    };
    match (succeeded, counts) {
        (
            true,
            Counts {
                passed: 0,
                failed: 0,
                ..
            },
        ) => counts.passed = 1,
        // for example a failed build
        (false, Counts { failed: 0, .. }) => counts.failed = 1,
        _ => {}
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_lines_are_summed() {
        let mut counts = Counts::default();
        counts.read("running 3 tests");
        counts.read("skipped: no shell");
        counts.read("test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.52s");
        counts.read("test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.00s");
        assert_eq!(
            counts,
            Counts {
                passed: 15,
                failed: 2,
                skipped: 1
            }
        );
    }

    #[test]
    fn a_command_without_tests_counts_as_one_check() {
        let shell = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            command
        };
        assert_eq!(
            run(&mut shell("true"), true),
            Counts {
                passed: 1,
                failed: 0,
                ..Counts::default()
            }
        );
        assert_eq!(
            run(&mut shell("exit 3"), true),
            Counts {
                passed: 0,
                failed: 1,
                ..Counts::default()
            }
        );
        let two = "echo 'test result: ok. 2 passed; 0 failed; 0 ignored'";
        assert_eq!(
            run(&mut shell(two), true),
            Counts {
                passed: 2,
                failed: 0,
                ..Counts::default()
            }
        );
        assert_eq!(
            run(&mut shell(&format!("{two}; exit 1")), true),
            Counts {
                passed: 2,
                failed: 1,
                ..Counts::default()
            }
        );
        assert_eq!(
            run(&mut Command::new("/no/such/program"), false),
            Counts {
                passed: 0,
                failed: 1,
                ..Counts::default()
            }
        );
    }
}
