//! `cargo xtask torture`: builds the command and the program `torture` of the package `tests`, and
//! lets it damage files, send signals and fill disks for a while.

use std::ffi::OsString;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::paths;
use crate::programs::{Program, build, named};

/// Arguments of `torture`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Options of the program: --seconds N, --seed S, --only PART, --python PATH
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    options: Vec<OsString>,
}

/// Runs the command. The programs are those of the tests: optimised, and still with checks of
/// overflow, which a release has not.
pub fn run(arguments: &Arguments) -> Result<()> {
    let mut build_arguments = vec!["build", "--package", "ferrovox-tests", "--bin", "torture"];
    build_arguments.extend(["--package", "ferrovox-cli", "--bin", "ferrovox"]);
    let programs = build(&paths::root(), &build_arguments, &[])?;
    perform(&programs, &arguments.options)
}

/// Lets the program among these go on, with these options.
///
/// # Errors
/// Where it or the command is not there, or something failed.
pub fn perform(programs: &[Program], options: &[OsString]) -> Result<()> {
    let torture = named(programs, "torture")?;
    let keep = paths::target().join("torture");
    // a view of file systems of its own, in which it may make small ones, and which ends with it
    let own_view = ["unshare", "--map-root-user", "--mount"];
    let can_own = Command::new(own_view[0])
        .args(&own_view[1..])
        .arg("true")
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    let mut command = if can_own {
        let mut command = Command::new(own_view[0]);
        command.args(&own_view[1..]).arg(&torture);
        command
    } else {
        Command::new(&torture)
    };
    let status = command
        .arg("--ferrovox")
        .arg(named(programs, "ferrovox")?)
        .arg("--corpus")
        .arg(paths::root().join("fuzz/corpus"))
        .arg("--keep")
        .arg(&keep)
        .args(options)
        .status()
        .with_context(|| format!("cannot run {}", torture.display()))?;
    if !status.success() {
        bail!("something failed; its files are in {}", paths::shown(&keep));
    }
    Ok(())
}
