//! `cargo xtask torture`: builds the command and the program `torture` of the package `tests`,
//! which damages files, sends signals and fills disks at random.

mod peers;

use std::ffi::OsString;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::paths;
use crate::programs::{Program, build, command_path};

/// Arguments of `torture`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Compare random valid files with nibabel, pynrrd, SimpleITK and NumPy instead: --count N,
    /// --seed S, --only KIND
    #[arg(long)]
    peers: bool,
    /// Options of the program: --seconds N, --seed S, --only PART, --python PATH
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    options: Vec<OsString>,
}

/// Runs the command, with the profile of the tests: optimized, but with overflow checks.
pub fn run(arguments: &Arguments) -> Result<()> {
    if arguments.peers {
        return peers::run(&arguments.options);
    }
    let mut build_arguments = vec!["build", "--package", "ferrovox-tests", "--bin", "torture"];
    build_arguments.extend(["--package", "ferrovox-cli", "--bin", "ferrovox"]);
    let programs = build(&paths::root(), &build_arguments, &[])?;
    run_program(&programs, &arguments.options)
}

/// Runs the torture program among `programs` with these options.
///
/// # Errors
/// If the program or the command is missing, or a check failed.
pub fn run_program(programs: &[Program], options: &[OsString]) -> Result<()> {
    let torture = command_path(programs, "torture")?;
    let keep = paths::target().join("torture");
    // a separate mount namespace, in which the program may create small file systems, and which
    // ends with it
    let namespace = ["unshare", "--map-root-user", "--mount"];
    let can_unshare = Command::new(namespace[0])
        .args(&namespace[1..])
        .arg("true")
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    let mut command = if can_unshare {
        let mut command = Command::new(namespace[0]);
        command.args(&namespace[1..]).arg(&torture);
        command
    } else {
        Command::new(&torture)
    };
    let status = command
        .arg("--ferrovox")
        .arg(command_path(programs, "ferrovox")?)
        .arg("--corpus")
        .arg(paths::root().join("fuzz/corpus"))
        .arg("--keep")
        .arg(&keep)
        .args(options)
        .status()
        .with_context(|| format!("cannot run {}", torture.display()))?;
    if !status.success() {
        bail!(
            "some checks failed; see the files in {}",
            paths::display_relative(&keep)
        );
    }
    Ok(())
}
