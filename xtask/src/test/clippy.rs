//! Clippy, and what it compiles for others to use.
//!
//! `cargo clippy` is `cargo check` with another compiler for the workspace's packages, which writes
//! the same metadata. rustdoc needs that of every package that another one depends on: it takes
//! Clippy's, if cargo is told of the same compiler.

use std::process::Command;

use super::step::cargo;
use crate::paths;

/// What the lints are told.
const ARGUMENTS: [&str; 2] = ["-D", "warnings"];

/// Clippy for everything.
pub fn command() -> Command {
    let mut command = cargo(&["clippy", "--workspace", "--all-targets", "--quiet", "--"]);
    command.args(ARGUMENTS);
    command
}

/// Has a cargo command use what Clippy compiled, where its compiler is found. Otherwise that is
/// compiled again, and nothing else changes.
pub fn share(command: &mut Command) {
    let Some(sysroot) = paths::sysroot() else {
        return;
    };
    let driver = sysroot
        .join("bin")
        .join(format!("clippy-driver{}", std::env::consts::EXE_SUFFIX));
    if driver.is_file() {
        // as cargo-clippy does it
        let arguments = ARGUMENTS.map(|argument| format!("{argument}__CLIPPY_HACKERY__"));
        command
            .env("RUSTC_WORKSPACE_WRAPPER", driver)
            .env("CLIPPY_ARGS", arguments.concat());
    }
}
