//! `cargo xtask golden`: builds the command and the program `golden` of the package `tests`, and
//! compares their outputs with the hashes in `tests/golden/hashes.txt`, or records the hashes with
//! `--record`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::paths;
use crate::programs::{build, command_path};

/// Arguments of `golden`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Write the hashes to tests/golden/hashes.txt instead of comparing with them
    #[arg(long, alias = "keep")]
    record: bool,
    /// Binary of an earlier version of the command, used instead of building it
    #[arg(long, value_name = "PATH")]
    ferrovox: Option<PathBuf>,
    /// Options of the program: --only WORD, --device DEVICE, --folder DIR, --list
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    options: Vec<OsString>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    // built together, so that both share one build of the library
    let mut build_arguments = vec!["build", "--release", "--package", "ferrovox-tests"];
    build_arguments.extend(["--example", "golden"]);
    if arguments.ferrovox.is_none() {
        build_arguments.extend(["--package", "ferrovox-cli", "--bin", "ferrovox"]);
    }
    let programs = build(&paths::root(), &build_arguments, &[])?;
    let golden = command_path(&programs, "golden")?;
    let ferrovox = match &arguments.ferrovox {
        Some(path) => path.clone(),
        None => command_path(&programs, "ferrovox")?,
    };
    let action = if arguments.record {
        "--record"
    } else {
        "--check"
    };
    let status = Command::new(&golden)
        .arg("--ferrovox")
        .arg(&ferrovox)
        .arg("--data")
        .arg(paths::root().join("cli/data"))
        .arg(action)
        .arg(paths::root().join("tests/golden/hashes.txt"))
        .args(&arguments.options)
        .status()
        .with_context(|| format!("cannot run {}", golden.display()))?;
    if !status.success() {
        bail!(
            "some outputs differ from the recorded ones, or a case failed; add `--folder DIR` to keep the files"
        );
    }
    Ok(())
}
