//! NVIDIA's assembler `ptxas`, from a Python wheel. Proprietary: it is installed as a tool and
//! never copied into the repository.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};
use cuda_builder::Ptxas;

use super::State;
use super::system::{apt_install, execute, has_apt, is_root, runs_successfully};
use crate::paths;

/// Last release of CUDA 12: its assembler supports `sm_70`, which CUDA 13 dropped, and everything
/// newer.
pub const VERSION: &str = "12.9.86";
const PACKAGE: &str = "nvidia-cuda-nvcc-cu12";

/// Returns the assembler of the pinned version if it is installed, otherwise any other.
pub fn find() -> Option<Ptxas> {
    Ptxas::find(&[paths::tools()])
}

/// Returns the shell command that installs the assembler.
pub fn install_command() -> String {
    format!(
        "python3 -m pip install --no-deps --target {} {PACKAGE}=={VERSION}",
        paths::tools().display()
    )
}

pub fn state() -> State {
    match find() {
        Some(found) if found.version == VERSION => State::Present(format!(
            "ptxas {} ({})",
            found.version,
            found.path.display()
        )),
        Some(found) => State::Missing(format!(
            "found ptxas {} ({}), but the recorded resource usage requires {VERSION}; to install it: {}",
            found.version,
            found.path.display(),
            install_command()
        )),
        None => State::Missing(format!("to install it: {}", install_command())),
    }
}

pub fn install() -> Result<()> {
    check_pip()?;
    pip_install(&paths::tools(), &format!("{PACKAGE}=={VERSION}"))
}

/// Checks that Python has pip.
pub fn check_pip() -> Result<()> {
    if runs_successfully("python3", &["-m", "pip", "--version"]) {
        return Ok(());
    }
    if !(has_apt() && is_root()) {
        bail!(
            "python3 has no pip; install it (Debian, Ubuntu: apt-get install python3-pip), then run this command again"
        );
    }
    apt_install(&["python3-pip"])
}

/// Installs one Python package, without dependencies, into a directory.
pub fn pip_install(folder: &Path, package: &str) -> Result<()> {
    let mut command = Command::new("python3");
    command.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        "--upgrade",
        "--target",
    ]);
    command.arg(folder).arg(package);
    execute(command.env("PIP_ROOT_USER_ACTION", "ignore"))
}
