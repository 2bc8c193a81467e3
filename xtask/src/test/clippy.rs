//! Clippy, and reuse of its output by rustdoc.
//!
//! `cargo clippy` is `cargo check` with another compiler for the packages of the workspace, which
//! writes the same metadata. rustdoc needs this metadata of all dependencies, and uses Clippy's if
//! cargo is configured with the same compiler wrapper.

use std::process::Command;

use super::step::cargo;
use crate::paths;

/// Arguments of the lints.
const ARGUMENTS: [&str; 2] = ["-D", "warnings"];

/// Returns the command that runs Clippy on everything.
pub fn command() -> Command {
    let mut command = cargo(&["clippy", "--workspace", "--all-targets", "--quiet", "--"]);
    command.args(ARGUMENTS);
    command
}

/// Configures a cargo command to reuse the metadata compiled by Clippy, if Clippy's driver is
/// found. Without it the metadata is compiled again.
pub fn share(command: &mut Command) {
    let Some(sysroot) = paths::sysroot() else {
        return;
    };
    let driver = sysroot
        .join("bin")
        .join(format!("clippy-driver{}", std::env::consts::EXE_SUFFIX));
    if driver.is_file() {
        // same encoding as cargo-clippy
        let arguments = ARGUMENTS.map(|argument| format!("{argument}__CLIPPY_HACKERY__"));
        command
            .env("RUSTC_WORKSPACE_WRAPPER", driver)
            .env("CLIPPY_ARGS", arguments.concat());
    }
}
