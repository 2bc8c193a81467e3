//! Tests of the whole program, with the device of this machine and without a driver.

use std::env;
use std::process::Command;

#[test]
fn every_case_passes_on_the_device_if_there_is_one() {
    assert!(super::succeeded(), "the output names what failed");
}

/// The driver is opened once per process, so this starts a child process that finds no driver.
#[test]
fn without_a_driver_the_cases_are_skipped() {
    let this_program = env::current_exe().expect("the path of the test program is available");
    let output = Command::new(this_program)
        .args(["--exact", "--nocapture"])
        .arg("tests::every_case_passes_on_the_device_if_there_is_one")
        .env("FERROVOX_LIBCUDA", "no-such-library")
        .output()
        .expect("the test program can be started again");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("no CUDA device: skipped\n"), "{text}");
    assert!(
        text.contains("1 passed; 0 failed") && output.status.success(),
        "{text}"
    );
}
