//! `cargo xtask torture --peers`: random valid files, read by ferrovox and by other libraries.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::paths;
use crate::programs::{build, command_path};

/// Packages of the other libraries. The versions are those of the counts in `docs/reliability.md`.
const PACKAGES: [&str; 4] = [
    "numpy==2.4.6",
    "nibabel==5.4.2",
    "pynrrd==1.1.3",
    "SimpleITK==2.5.7",
];

/// Runs the comparison `tests/torture/valid_files.py` with these options.
///
/// # Errors
/// If a program or the packages are missing, or a file is read differently.
pub fn run(options: &[OsString]) -> Result<()> {
    let arguments = [
        "build",
        "--package",
        "ferrovox-tests",
        "--bin",
        "read_volumes",
    ];
    let programs = build(&paths::root(), &arguments, &[])?;
    let keep = paths::target().join("torture/peers");
    let status = Command::new(python()?)
        .arg(paths::root().join("tests/torture/valid_files.py"))
        .arg(command_path(&programs, "read_volumes")?)
        .arg("--keep")
        .arg(&keep)
        .args(options)
        .status()
        .context("cannot run the comparison")?;
    if !status.success() {
        bail!(
            "files are read differently; see {}",
            paths::display_relative(&keep)
        );
    }
    Ok(())
}

/// Returns a Python interpreter that has the packages: the system's, or that of a virtual
/// environment in the target folder, which is created at the first use.
fn python() -> Result<PathBuf> {
    let system = PathBuf::from("python3");
    if has_packages(&system) {
        return Ok(system);
    }
    let folder = paths::target().join("peers-python");
    let python = folder.join("bin/python");
    if !has_packages(&python) {
        println!("installing {} with pip", PACKAGES.join(", "));
        run_command(Command::new(&system).args(["-m", "venv"]).arg(&folder))?;
        let pip = ["-m", "pip", "install", "--quiet"];
        run_command(Command::new(&python).args(pip).args(PACKAGES))?;
    }
    Ok(python)
}

/// Returns `true` if an interpreter exists and can import all packages.
fn has_packages(python: &Path) -> bool {
    Command::new(python)
        .args(["-c", "import numpy, nibabel, nrrd, SimpleITK"])
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

fn run_command(command: &mut Command) -> Result<()> {
    let status = command
        .status()
        .with_context(|| format!("cannot run {}", command.get_program().display()))?;
    if !status.success() {
        bail!("{command:?} failed");
    }
    Ok(())
}
