//! `cargo xtask golden`: builds the command and the program `golden` of the package `tests`, and
//! compares what they give with what is recorded in `tests/golden/hashes.txt`; or, with `--keep`,
//! records it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::paths;
use crate::programs::{build, named};

/// Arguments of `golden`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Record what is given, instead of comparing it with what is recorded
    #[arg(long)]
    keep: bool,
    /// Another command's binary, as of an earlier version: it is not built then
    #[arg(long, value_name = "PATH")]
    ferrovox: Option<PathBuf>,
    /// Options of the program: --only WORD, --device DEVICE, --folder DIR, --list
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    options: Vec<OsString>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    // together, so that both have the same build of the library
    let mut build_arguments = vec!["build", "--release", "--package", "ferrovox-tests"];
    build_arguments.extend(["--example", "golden"]);
    if arguments.ferrovox.is_none() {
        build_arguments.extend(["--package", "ferrovox-cli", "--bin", "ferrovox"]);
    }
    let programs = build(&paths::root(), &build_arguments, &[])?;
    let golden = named(&programs, "golden")?;
    let ferrovox = match &arguments.ferrovox {
        Some(path) => path.clone(),
        None => named(&programs, "ferrovox")?,
    };
    let what = if arguments.keep { "--keep" } else { "--check" };
    let status = Command::new(&golden)
        .arg("--ferrovox")
        .arg(&ferrovox)
        .arg("--data")
        .arg(paths::root().join("cli/data"))
        .arg(what)
        .arg(paths::root().join("tests/golden/hashes.txt"))
        .args(&arguments.options)
        .status()
        .with_context(|| format!("cannot run {}", golden.display()))?;
    if !status.success() {
        bail!("some outputs are not as recorded, or a case failed; `--folder DIR` keeps the files");
    }
    Ok(())
}
