//! A step of the test command: one or more commands, and what is counted of their output.

use std::env;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::paths;

/// What belongs together.
pub struct Step {
    /// One word.
    pub name: &'static str,
    /// What it shows when it succeeds.
    pub what: &'static str,
    /// It is run with `--all`, or where it is named, as `.ci/run` does: what it looks at seldom
    /// changes, or it takes long.
    pub only_with_all: bool,
    pub work: Work,
}

/// What a step does.
pub enum Work {
    /// Commands, one after the other, all of them; each is one check.
    Checks(Vec<Command>),
    /// The same, whose tests are counted. A command without any counts as one.
    Tests(Vec<Command>),
    /// Checks, while the next steps run that are checks too.
    Beside(Vec<Command>),
    /// Builds and runs the test programs of the workspace.
    Programs,
    /// Lets one of these programs damage files for a while.
    Torture,
    /// Packs these programs as a bundle does.
    Bundle,
}

/// Tests or checks that passed, and that failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub passed: u64,
    pub failed: u64,
}

impl Counts {
    pub fn add(&mut self, other: Counts) {
        self.passed += other.passed;
        self.failed += other.failed;
    }

    /// Adds what a line of a test program's output says, if it is the line with the result.
    fn read(&mut self, line: &str) {
        let Some(rest) = line.trim_start().strip_prefix("test result: ") else {
            return;
        };
        let number = |what: &str| -> u64 {
            let part = rest
                .split(['.', ';'])
                .find(|part| part.trim_end().ends_with(what));
            part.and_then(|part| part.split_whitespace().next()?.parse().ok())
                .unwrap_or(0)
        };
        self.passed += number("passed");
        self.failed += number("failed");
    }
}

/// Host cargo at the top of the repository. The profile of tests is in `.cargo/config.toml`: they
/// keep debug assertions and overflow checks, but what computes is optimised, because the CPU
/// executor runs whole volumes in them.
pub fn cargo(arguments: &[&str]) -> Command {
    let mut command = paths::cargo(&paths::root());
    command.args(arguments);
    command
}

/// Host cargo for a package outside the workspace. It shares the workspace's target directory, and
/// so the crates that both use.
pub fn outside(package: &Path, arguments: &[&str]) -> Command {
    let mut command = cargo(arguments);
    command
        .current_dir(package)
        .env("CARGO_TARGET_DIR", paths::target());
    command
}

/// This program with another command.
pub fn xtask(arguments: &[&str]) -> Command {
    let mut command = Command::new(env::current_exe().unwrap_or_else(|_| "xtask".into()));
    command.args(arguments).current_dir(paths::root());
    command
}

/// Runs a command, shows its output, and counts.
pub fn run(command: &mut Command, counts_tests: bool) -> Counts {
    let mut counts = Counts::default();
    let succeeded = match command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn() {
        Err(error) => {
            println!("cannot run it: {error}");
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
            },
        ) => counts.passed = 1,
        // it did not build, say
        (false, Counts { failed: 0, .. }) => counts.failed = 1,
        _ => {}
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_test_programs_are_counted() {
        let mut counts = Counts::default();
        counts.read("running 3 tests");
        counts.read("test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.52s");
        counts.read("test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.00s");
        assert_eq!(
            counts,
            Counts {
                passed: 15,
                failed: 2
            }
        );
    }

    #[test]
    fn a_command_without_tests_counts_as_one() {
        let shell = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            command
        };
        assert_eq!(
            run(&mut shell("true"), true),
            Counts {
                passed: 1,
                failed: 0
            }
        );
        assert_eq!(
            run(&mut shell("exit 3"), true),
            Counts {
                passed: 0,
                failed: 1
            }
        );
        let two = "echo 'test result: ok. 2 passed; 0 failed; 0 ignored'";
        assert_eq!(
            run(&mut shell(two), true),
            Counts {
                passed: 2,
                failed: 0
            }
        );
        assert_eq!(
            run(&mut shell(&format!("{two}; exit 1")), true),
            Counts {
                passed: 2,
                failed: 1
            }
        );
        assert_eq!(
            run(&mut Command::new("/no/such/program"), false),
            Counts {
                passed: 0,
                failed: 1
            }
        );
    }
}
