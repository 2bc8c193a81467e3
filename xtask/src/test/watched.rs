//! Tests under a watcher: Miri, which interprets the program and finds undefined behaviour, or one
//! that is compiled into it: AddressSanitizer, which finds accesses to memory that is not there,
//! and memory that is lost, or ThreadSanitizer, which finds data races.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Result, bail};

use super::step::{Step, Work, cargo};
use crate::paths;

/// Tests that need no fiber, file or GPU: what Miri can run, as cargo's arguments.
const FOR_MIRI: [&[&str]; 3] = [
    &["-p", "ferrovox-simt", "--lib", "arena"],
    &["-p", "ferrovox-cuda-std", "--test", "safe_code"],
    &["-p", "ferrovox", "--lib", "union_find"],
];

/// Tests for AddressSanitizer, as cargo's arguments.
const FOR_ADDRESSES: [&[&str]; 2] = [
    &[
        "-p",
        "ferrovox-simt",
        "-p",
        "ferrovox-cuda-std",
        "-p",
        "ferrovox-cust",
        "--lib",
        "--tests",
    ],
    &["-p", "ferrovox", "--lib", "device"],
];

/// Tests for ThreadSanitizer: what runs on several threads.
const FOR_RACES: [&[&str]; 2] = [
    &[
        "-p",
        "ferrovox-simt",
        "-p",
        "ferrovox-cuda-std",
        "--lib",
        "--tests",
    ],
    &["-p", "ferrovox", "--lib", "partition"],
];

/// The step that runs tests in Miri.
///
/// # Errors
/// Where no nightly toolchain has Miri.
pub fn miri() -> Result<Step> {
    let has_miri = Command::new("rustup")
        .args(["run", "nightly", "cargo", "miri", "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !has_miri {
        bail!(
            "Miri is missing, and nothing was run: it is a component of nightly toolchains, which \
             `rustup toolchain install nightly --component miri,rust-src` installs"
        );
    }
    let tests = FOR_MIRI.iter().map(|which| {
        let mut command = Command::new("rustup");
        command
            .args(["run", "nightly", "cargo", "miri", "test"])
            .args(*which)
            .current_dir(paths::root())
            .env_remove("RUSTC_BOOTSTRAP")
            .env("CARGO_TARGET_DIR", paths::target().join("miri"))
            // shared memory is kept for ever, which is no leak; a launch asks the system for limits
            .env(
                "MIRIFLAGS",
                "-Zmiri-disable-isolation -Zmiri-ignore-leaks -Zmiri-permissive-provenance",
            );
        command
    });
    Ok(Step {
        name: "miri",
        what: "no undefined behaviour in what can be interpreted",
        only_with_all: false,
        work: Work::Tests(tests.collect()),
    })
}

/// The step that runs tests with AddressSanitizer.
///
/// # Errors
/// Where the compiler cannot say for which target it compiles.
pub fn address_sanitizer() -> Result<Step> {
    let target = host_target()?;
    let tests = FOR_ADDRESSES.iter().map(|which| {
        let mut command = cargo(&["test", "--target", &target]);
        command
            .args(*which)
            .env(
                "CARGO_TARGET_DIR",
                paths::target().join("address-sanitizer"),
            )
            .env("RUSTFLAGS", "-Zsanitizer=address")
            // the option is unstable; the runtime library comes with every toolchain for Linux on
            // x86-64
            .env("RUSTC_BOOTSTRAP", "1");
        command
    });
    Ok(Step {
        name: "addresses",
        what: "no access outside of memory, and no memory lost, with AddressSanitizer",
        only_with_all: false,
        work: Work::Tests(tests.collect()),
    })
}

/// The step that runs tests with ThreadSanitizer.
///
/// The standard library is compiled for it too. The one that comes with a toolchain is not: what
/// its locks, channels and reference counts put in order is a race then, in every test.
///
/// # Errors
/// Where the toolchain has no sources of the standard library.
pub fn thread_sanitizer() -> Result<Step> {
    let target = host_target()?;
    let sources = sysroot()?.join("lib/rustlib/src/rust/library/std/Cargo.toml");
    if !sources.is_file() {
        bail!(
            "the sources of the standard library are missing, and nothing was run: ThreadSanitizer needs one that is compiled for it; \
             `rustup component add rust-src` installs them"
        );
    }
    let tests = FOR_RACES.iter().map(|which| {
        let mut command = cargo(&["test", "-Zbuild-std", "--target", &target]);
        command
            .args(*which)
            .env("CARGO_TARGET_DIR", paths::target().join("thread-sanitizer"))
            .env("RUSTFLAGS", "-Zsanitizer=thread")
            // the options are unstable
            .env("RUSTC_BOOTSTRAP", "1");
        command
    });
    Ok(Step {
        name: "races",
        what: "no data race, with ThreadSanitizer",
        only_with_all: false,
        work: Work::Tests(tests.collect()),
    })
}

/// Where the toolchain is.
fn sysroot() -> Result<PathBuf> {
    let output = Command::new("rustc")
        .args(["--print", "sysroot"])
        .output()?;
    match String::from_utf8_lossy(&output.stdout).trim() {
        "" => bail!("`rustc --print sysroot` names no folder"),
        root => Ok(root.into()),
    }
}

/// What the compiler compiles for if nothing else is said.
fn host_target() -> Result<String> {
    let output = Command::new("rustc").arg("-vV").output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    match text.lines().find_map(|line| line.strip_prefix("host: ")) {
        Some(host) => Ok(host.to_owned()),
        None => bail!("`rustc -vV` names no host"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compiler_says_what_it_compiles_for() {
        assert!(host_target().unwrap().contains('-'));
        assert!(sysroot().unwrap().join("lib").is_dir());
    }

    #[test]
    fn without_the_standard_librarys_sources_nothing_is_said_to_be_without_races() {
        let sources = sysroot().unwrap().join("lib/rustlib/src/rust/library/std");
        match thread_sanitizer() {
            Ok(step) => assert!(sources.is_dir() && step.name == "races"),
            Err(error) => {
                assert!(!sources.is_dir());
                assert!(error.to_string().contains("nothing was run"), "{error}");
            }
        }
    }
}
