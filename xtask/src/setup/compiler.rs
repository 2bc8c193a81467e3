//! The device compiler: Debian's packages, or components of a rustup toolchain.

use std::process::Command;

use anyhow::{Result, bail};
use cuda_builder::DeviceToolchain;

use super::State;
use super::system::{apt_install, execute, has_apt, is_root, works};

/// Debian's packages: a newer rustc beside the system's own, its sources, its cargo, and the LLVM
/// that it was built with.
const DEBIAN: [&str; 4] = ["rustc-web", "rust-web-src", "cargo-web", "llvm-22"];

/// What rustup calls the sources of `core` and LLVM's tools.
const COMPONENTS: [&str; 2] = ["rust-src", "llvm-tools"];

pub fn state() -> State {
    match DeviceToolchain::find() {
        Ok(found) => State::Present(format!(
            "{} ({}), LLVM tools {} ({})",
            found.version.summary,
            found.rustc.display(),
            found.llvm.version,
            found.llvm.bin.display()
        )),
        Err(error) => State::Missing(error.to_string()),
    }
}

/// Installs what this machine allows: Debian's packages as root, else the components of the
/// toolchain that rustup has active.
pub fn install() -> Result<()> {
    let mut refusal = String::from("neither apt-get (as root) nor rustup can be used here");
    if has_apt() && is_root() {
        match apt_install(&DEBIAN) {
            Ok(()) => return Ok(()),
            Err(error) => refusal = format!("{error:#}"),
        }
    }
    if works("rustup", &["--version"]) {
        println!("  {refusal}; using rustup");
        return execute(
            Command::new("rustup")
                .args(["component", "add"])
                .args(COMPONENTS),
        );
    }
    bail!(refusal)
}
