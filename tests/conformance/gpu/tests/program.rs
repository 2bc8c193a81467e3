//! The program itself: on whatever device this machine has, and as on a machine without one.

use std::process::{Command, Output};

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_conformance-gpu"))
}

/// What it printed, and its status.
fn ran(command: &mut Command) -> (String, Option<i32>) {
    let Output { stdout, status, .. } = command.output().expect("the program can be started");
    (String::from_utf8_lossy(&stdout).into_owned(), status.code())
}

#[test]
fn every_case_passes_on_the_device_if_there_is_one() {
    let (text, code) = ran(&mut program());
    assert_eq!(code, Some(0), "{text}");
    let last = text.lines().last().unwrap_or_default();
    assert!(
        last == "no CUDA device: skipped" || last.ends_with(" passed, 0 failed"),
        "{text}"
    );
}

#[test]
fn without_a_driver_it_says_so_and_succeeds() {
    let (text, code) = ran(program().env("FERROVOX_LIBCUDA", "no-such-library"));
    assert_eq!(
        (text.trim_end(), code),
        ("no CUDA device: skipped", Some(0))
    );
}
