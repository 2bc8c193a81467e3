//! One test program: run with the times of its tests, which libtest tells in JSON.
//!
//! That form of output is unstable, so libtest wants `RUSTC_BOOTSTRAP` to be set. It is set for the
//! program alone, which was built without it; tests that run cargo take it away again, or cargo
//! would build everything anew.

use std::collections::BTreeSet;
use std::env;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde::Deserialize;

use super::step::Counts;
use crate::paths::{cargo_path, sysroot};
use crate::programs::Program;

/// How long a test took.
#[derive(Clone, Debug, PartialEq)]
pub struct Timed {
    /// Program and test.
    pub name: String,
    pub seconds: f64,
}

/// One line of libtest's output, as far as it is of use.
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

/// What a program has said so far.
#[derive(Default)]
struct Progress {
    counts: Counts,
    ignored: u64,
    timed: Vec<Timed>,
    running: BTreeSet<String>,
}

impl Progress {
    /// Reads a line; what a person has to see of it.
    fn read(&mut self, program: &str, line: &str) -> Option<String> {
        let Ok(event) = serde_json::from_str::<Event>(line) else {
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
            return Some(format!("{program} {} runs for a long time", event.name));
        }
        self.running.remove(&event.name);
        if let Some(seconds) = event.exec_time {
            self.timed.push(Timed {
                name: format!("{program} {}", event.name),
                seconds,
            });
        }
        match event.event.as_str() {
            "ok" => self.counts.passed += 1,
            "ignored" => self.ignored += 1,
            _ => {
                self.counts.failed += 1;
                let said = [event.message, event.stdout];
                let said = said.into_iter().flatten().collect::<Vec<_>>().join("\n");
                return Some(format!("FAILED {program} {}\n{said}", event.name));
            }
        }
        None
    }
}

/// Programs that run cargo, whose builds keep one another from the target folder.
const RUN_CARGO: [&str; 3] = [
    "ferrovox-cuda-builder-builds",
    "xtask-bench",
    "xtask-experiments",
];

/// Whether a program keeps about one core busy: it has a single test, or its tests run cargo.
pub fn leaves_a_core(program: &Program) -> bool {
    RUN_CARGO.contains(&program.name.as_str()) || has_one_test(program)
}

/// Whether a program has one test, and no more.
fn has_one_test(program: &Program) -> bool {
    let mut command = Command::new(&program.path);
    command
        .args(["--list", "--format=terse"])
        .current_dir(&program.folder)
        .env("LD_LIBRARY_PATH", library_path());
    command
        .output()
        .is_ok_and(|output| listed(&String::from_utf8_lossy(&output.stdout)) == 1)
}

/// How many tests a list has.
fn listed(text: &str) -> usize {
    text.lines().filter(|line| line.ends_with(": test")).count()
}

/// Runs a test program as `cargo test` would: in its package's folder, with all tests that are not
/// ignored. With `all` tests take all of their cases (the crate `test_cases`).
pub fn run(program: &Program, all: bool) -> (Counts, Vec<Timed>) {
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
            "FAILED {}: it ended before its tests did; these were running: {:?}",
            program.name, progress.running
        );
    }
    println!(
        "{:<40} {:>5} passed {:>3} failed {:>3} ignored",
        program.name, progress.counts.passed, progress.counts.failed, progress.ignored
    );
    (progress.counts, progress.timed)
}

/// Where the compiler's own libraries are, for tests of procedural macros; and what the variable
/// had.
fn library_path() -> std::ffi::OsString {
    let own = sysroot().map(|root| root.join("lib"));
    let given = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let all = own.into_iter().chain(env::split_paths(&given));
    env::join_paths(all).unwrap_or(given)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_counted_in_a_list() {
        assert_eq!(listed("a::b: test\nc: test\nd: benchmark\n"), 2);
        assert_eq!(listed(""), 0);
    }

    #[test]
    fn events_are_counted_and_timed() {
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
                failed: 1
            }
        );
        assert_eq!((progress.ignored, progress.running.len()), (1, 1));
        let slow = Timed {
            name: "p c".to_owned(),
            seconds: 1.5,
        };
        assert_eq!(progress.timed.last(), Some(&slow));
    }
}
