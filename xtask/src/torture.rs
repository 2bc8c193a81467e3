//! `cargo xtask torture`: builds the command and the program `torture` of the package `tests`, and lets it damage files, send signals
//! and fill disks for a while.

use std::ffi::OsString;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::paths;
use crate::programs::{build, named};

/// Arguments of `torture`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Build without optimisations, as `cargo xtask test` has built it already
    #[arg(long)]
    dev: bool,
    /// Options of the program: --seconds N, --seed S, --only PART, --python PATH
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    options: Vec<OsString>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    let mut build_arguments = vec!["build"];
    if !arguments.dev {
        build_arguments.push("--release");
    }
    build_arguments.extend(["--package", "ferrovox-tests", "--bin", "torture"]);
    build_arguments.extend(["--package", "ferrovox-cli", "--bin", "ferrovox"]);
    let programs = build(&paths::root(), &build_arguments, &[])?;
    let torture = named(&programs, "torture")?;
    let keep = paths::target().join("torture");
    let status = Command::new(&torture)
        .arg("--ferrovox")
        .arg(named(&programs, "ferrovox")?)
        .arg("--corpus")
        .arg(paths::root().join("fuzz/corpus"))
        .arg("--keep")
        .arg(&keep)
        .args(&arguments.options)
        .status()
        .with_context(|| format!("cannot run {}", torture.display()))?;
    if !status.success() {
        bail!("something failed; its files are in {}", paths::shown(&keep));
    }
    Ok(())
}
