//! The device compiler: Debian packages, or components of a rustup toolchain.

use std::process::Command;

use anyhow::{Result, bail};
use cuda_builder::DeviceToolchain;

use super::State;
use super::system::{apt_install, execute, has_apt, is_root, runs_successfully};

/// Debian packages: a newer rustc next to the system's own, its sources, its cargo, and the LLVM
/// that it was built with.
const DEBIAN: [&str; 4] = ["rustc-web", "rust-web-src", "cargo-web", "llvm-22"];

/// Rustup components: the sources of `core`, and LLVM's tools.
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

/// Installs the device compiler: Debian packages if running as root, otherwise components of the
/// active rustup toolchain.
pub fn install() -> Result<()> {
    let mut refusal = String::from("neither apt-get (as root) nor rustup is available");
    if has_apt() && is_root() {
        match apt_install(&DEBIAN) {
            Ok(()) => return Ok(()),
            Err(error) => refusal = format!("{error:#}"),
        }
    }
    if runs_successfully("rustup", &["--version"]) {
        println!("  {refusal}; using rustup");
        return execute(
            Command::new("rustup")
                .args(["component", "add"])
                .args(COMPONENTS),
        );
    }
    bail!(refusal)
}
