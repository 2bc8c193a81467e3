//! Tests under Miri, which interprets the program and detects undefined behaviour;
//! AddressSanitizer, which detects invalid memory accesses and leaks; or ThreadSanitizer, which
//! detects data races.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Result, bail};

use super::step::{Schedule, Step, Work, cargo};
use crate::paths;

/// Arguments for cargo that select tests without fibers, files or GPU, as Miri requires.
const FOR_MIRI: [&[&str]; 3] = [
    &["-p", "ferrovox-simt", "--lib", "arena"],
    &["-p", "ferrovox-cuda-std", "--test", "safe_code"],
    &["-p", "ferrovox", "--lib", "union_find"],
];

/// Arguments for cargo that select tests for AddressSanitizer.
const FOR_ADDRESS_SANITIZER: [&[&str]; 3] = [
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
    // without the programs that must not compile, and those that leak on purpose
    &[
        "-p",
        "ferrovox-tests",
        "--test",
        "safe_code",
        "--",
        "--skip",
        "rejected",
        "--skip",
        "forgotten",
    ],
];

/// Arguments for cargo that select multithreaded tests, for ThreadSanitizer.
const FOR_THREAD_SANITIZER: [&[&str]; 2] = [
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

/// Returns the step that runs tests in Miri.
///
/// # Errors
/// If no nightly toolchain with Miri is installed.
pub fn miri() -> Result<Step> {
    let has_miri = Command::new("rustup")
        .args(["run", "nightly", "cargo", "miri", "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !has_miri {
        bail!(
            "Miri is missing, and nothing was run; it is a component of nightly toolchains, which \
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
            // shared memory is kept until the process ends, which is not a leak; launches query
            // limits of the system
            .env(
                "MIRIFLAGS",
                "-Zmiri-disable-isolation -Zmiri-ignore-leaks -Zmiri-permissive-provenance",
            );
        command
    });
    Ok(Step {
        name: "miri",
        description: "no undefined behaviour in the tests that Miri can interpret",
        schedule: Schedule::EveryRun,
        work: Work::Tests(tests.collect()),
    })
}

/// Returns the step that runs tests with AddressSanitizer.
///
/// # Errors
/// If the host target of the compiler cannot be determined.
pub fn address_sanitizer() -> Result<Step> {
    let target = host_target()?;
    let tests = FOR_ADDRESS_SANITIZER.iter().map(|which| {
        let mut command = cargo(&["test", "--target", &target]);
        command
            .args(*which)
            .env(
                "CARGO_TARGET_DIR",
                paths::target().join("address-sanitizer"),
            )
            .env("RUSTFLAGS", "-Zsanitizer=address")
            // the option is unstable; the runtime library is part of every toolchain for x86-64
            // Linux
            .env("RUSTC_BOOTSTRAP", "1");
        command
    });
    Ok(Step {
        name: "addresses",
        description: "AddressSanitizer reports no invalid accesses and no leaks",
        schedule: Schedule::EveryRun,
        work: Work::Tests(tests.collect()),
    })
}

/// Returns the step that runs tests with ThreadSanitizer.
///
/// The standard library is instrumented too: with the precompiled one, synchronization by its
/// locks, channels and reference counts is invisible, and every test reports races.
///
/// # Errors
/// If the toolchain has no sources of the standard library.
pub fn thread_sanitizer() -> Result<Step> {
    let target = host_target()?;
    let sources = sysroot()?.join("lib/rustlib/src/rust/library/std/Cargo.toml");
    if !sources.is_file() {
        bail!(
            "the sources of the standard library are missing, and nothing was run; ThreadSanitizer needs them to instrument the library: \
             `rustup component add rust-src` installs them"
        );
    }
    let tests = FOR_THREAD_SANITIZER.iter().map(|which| {
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
        description: "ThreadSanitizer reports no data races",
        schedule: Schedule::EveryRun,
        work: Work::Tests(tests.collect()),
    })
}

/// Returns the sysroot of the toolchain.
fn sysroot() -> Result<PathBuf> {
    let output = Command::new("rustc")
        .args(["--print", "sysroot"])
        .output()?;
    match String::from_utf8_lossy(&output.stdout).trim() {
        "" => bail!("`rustc --print sysroot` printed nothing"),
        root => Ok(root.into()),
    }
}

/// Returns the compiler's host target.
fn host_target() -> Result<String> {
    let output = Command::new("rustc").arg("-vV").output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    match text.lines().find_map(|line| line.strip_prefix("host: ")) {
        Some(host) => Ok(host.to_owned()),
        None => bail!("`rustc -vV` printed no host target"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_target_is_found() {
        assert!(host_target().unwrap().contains('-'));
        assert!(sysroot().unwrap().join("lib").is_dir());
    }

    #[test]
    fn thread_sanitizer_requires_the_sources_of_the_standard_library() {
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
