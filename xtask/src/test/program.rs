//! Execution of a test program, with the times of its tests from libtest's JSON output.
//!
//! This output format is unstable and requires `RUSTC_BOOTSTRAP`, which is set only for the
//! program; tests that run cargo remove it, because cargo would rebuild everything otherwise.

use std::collections::BTreeSet;
use std::env;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde::Deserialize;

use super::step::Counts;
use crate::paths::{cargo_path, sysroot};
use crate::programs::Program;

/// Time of a test.
#[derive(Clone, Debug, PartialEq)]
pub struct TestTime {
    /// Names of program and test.
    pub name: String,
    pub seconds: f64,
}

/// One line of libtest's output.
#[derive(Deserialize)]
struct Event {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    event: String,
    #[serde(default)]
    name: String,
    exec_time: Option<f64>,
    stdout: Option<String>,
    message: Option<String>,
}

/// Progress of a program.
#[derive(Default)]
struct Progress {
    counts: Counts,
    ignored: u64,
    timed: Vec<TestTime>,
    running: BTreeSet<String>,
}

impl Progress {
    /// Processes a line of output, and returns the text to print, if any.
    fn read(&mut self, program: &str, line: &str) -> Option<String> {
        let Ok(event) = serde_json::from_str::<Event>(line) else {
            self.counts.read_skip(line);
            return Some(line.to_owned());
        };
        if event.kind != "test" {
            return None;
        }
        if event.event == "started" {
            self.running.insert(event.name);
            return None;
        }
        if event.event == "timeout" {
            return Some(format!(
                "{program} {} has been running for a long time",
                event.name
            ));
        }
        self.running.remove(&event.name);
        if let Some(seconds) = event.exec_time {
            self.timed.push(TestTime {
                name: format!("{program} {}", event.name),
                seconds,
            });
        }
        match event.event.as_str() {
            "ok" => self.counts.passed += 1,
            "ignored" => self.ignored += 1,
            _ => {
                self.counts.failed += 1;
                let texts = [event.message, event.stdout];
                let text = texts.into_iter().flatten().collect::<Vec<_>>().join("\n");
                return Some(format!("FAILED {program} {}\n{text}", event.name));
            }
        }
        None
    }
}

/// Programs that run cargo, whose builds lock the target directory.
const RUN_CARGO: [&str; 3] = [
    "ferrovox-cuda-builder-builds",
    "xtask-bench",
    "xtask-experiments",
];

/// Returns `true` if a program keeps about one core busy: it has a single test, or its tests run
/// cargo.
pub fn uses_one_core(program: &Program) -> bool {
    RUN_CARGO.contains(&program.name.as_str()) || has_one_test(program)
}

/// Returns `true` if a program has exactly one test.
fn has_one_test(program: &Program) -> bool {
    let mut command = Command::new(&program.path);
    command
        .args(["--list", "--format=terse"])
        .current_dir(&program.folder)
        .env("LD_LIBRARY_PATH", library_path());
    command
        .output()
        .is_ok_and(|output| count_tests(&String::from_utf8_lossy(&output.stdout)) == 1)
}

/// Counts the tests in a list.
fn count_tests(text: &str) -> usize {
    text.lines().filter(|line| line.ends_with(": test")).count()
}

/// Runs a test program like `cargo test`: in its package's directory, without ignored tests. With
/// `all`, tests run all of their cases (crate `test_cases`).
pub fn run(program: &Program, all: bool) -> (Counts, Vec<TestTime>) {
    let mut command = Command::new(&program.path);
    if all {
        command.env("FERROVOX_TEST_ALL", "1");
    }
    command
        .args(["-Z", "unstable-options", "--format=json", "--report-time"])
        .current_dir(&program.folder)
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO", cargo_path())
        .env("CARGO_MANIFEST_DIR", &program.folder)
        .env("LD_LIBRARY_PATH", library_path());
    let mut progress = Progress::default();
    let succeeded = match command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn() {
        Err(error) => {
            println!("cannot run {}: {error}", program.path.display());
            false
        }
        Ok(mut child) => {
            if let Some(output) = child.stdout.take() {
                for line in BufReader::new(output).lines().map_while(Result::ok) {
                    if let Some(text) = progress.read(&program.name, &line) {
                        println!("{text}");
                    }
                }
            }
            child.wait().is_ok_and(|status| status.success())
        }
    };
    if !succeeded && progress.counts.failed == 0 {
        progress.counts.failed = 1;
        println!(
            "FAILED {}: the program ended while tests were running: {:?}",
            program.name, progress.running
        );
    }
    println!(
        "{:<40} {:>5} passed {:>3} failed {:>3} ignored {:>3} skipped",
        program.name,
        progress.counts.passed,
        progress.counts.failed,
        progress.ignored,
        progress.counts.skipped
    );
    (progress.counts, progress.timed)
}

/// Returns the library path with the compiler's libraries, for tests of procedural macros, followed
/// by the existing value.
fn library_path() -> std::ffi::OsString {
    let own = sysroot().map(|root| root.join("lib"));
    let inherited = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let all = own.into_iter().chain(env::split_paths(&inherited));
    env::join_paths(all).unwrap_or(inherited)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_in_a_list_are_counted() {
        assert_eq!(count_tests("a::b: test\nc: test\nd: benchmark\n"), 2);
        assert_eq!(count_tests(""), 0);
    }

    #[test]
    fn events_are_counted_with_their_times() {
        let mut progress = Progress::default();
        let mut read = |line: &str| progress.read("p", line);
        assert_eq!(
            read(r#"{ "type": "suite", "event": "started", "test_count": 3 }"#),
            None
        );
        for name in ["a", "b", "c", "d"] {
            assert_eq!(
                read(&format!(
                    r#"{{ "type": "test", "event": "started", "name": "{name}" }}"#
                )),
                None
            );
        }
        assert_eq!(
            read(r#"{ "type": "test", "name": "a", "event": "ok", "exec_time": 0.25 }"#),
            None
        );
        assert_eq!(
            read(r#"{ "type": "test", "name": "b", "event": "ignored" }"#),
            None
        );
        let failed = read(
            r#"{ "type": "test", "name": "c", "event": "failed", "exec_time": 1.5, "stdout": "why\n" }"#,
        );
        assert_eq!(failed.as_deref(), Some("FAILED p c\nwhy\n"));
        assert_eq!(read("a child's words").as_deref(), Some("a child's words"));
        assert_eq!(
            progress.counts,
            Counts {
                passed: 1,
                failed: 1,
                ..Counts::default()
            }
        );
        assert_eq!((progress.ignored, progress.running.len()), (1, 1));
        let slow = TestTime {
            name: "p c".to_owned(),
            seconds: 1.5,
        };
        assert_eq!(progress.timed.last(), Some(&slow));
    }
}
