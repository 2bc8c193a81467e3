//! `ptxas`, from NVIDIA's Python wheel: proprietary, so it is installed as a tool and never copied
//! into the repository.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};
use cuda_builder::Ptxas;

use super::State;
use super::system::{apt_install, execute, has_apt, is_root, works};
use crate::paths;

/// The last line of CUDA 12: its assembler knows `sm_70`, which CUDA 13 dropped, and everything
/// newer.
pub const VERSION: &str = "12.9.86";
const PACKAGE: &str = "nvidia-cuda-nvcc-cu12";

/// The assembler of the pinned version where there is one, else whichever there is.
pub fn find() -> Option<Ptxas> {
    Ptxas::find(&[paths::tools()])
}

/// What installs it.
pub fn command() -> String {
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
            "There is ptxas {} ({}), but the recorded figures are those of {VERSION}. To install it: {}",
            found.version,
            found.path.display(),
            command()
        )),
        None => State::Missing(format!("To install it: {}", command())),
    }
}

pub fn install() -> Result<()> {
    has_pip()?;
    pip_install(&paths::tools(), &format!("{PACKAGE}=={VERSION}"))
}

/// Makes sure that Python has pip.
pub fn has_pip() -> Result<()> {
    if works("python3", &["-m", "pip", "--version"]) {
        return Ok(());
    }
    if !(has_apt() && is_root()) {
        bail!(
            "python3 has no pip. Install it (Debian, Ubuntu: apt-get install python3-pip), then run this again"
        );
    }
    apt_install(&["python3-pip"])
}

/// Installs one Python package, without those that it names, into a folder.
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
