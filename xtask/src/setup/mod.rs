//! `cargo xtask setup`: the device compiler, NVIDIA's assembler, and the header that the occupancy
//! calculator is held to.

mod assembler;
mod compiler;
mod headers;
mod system;

use anyhow::{Result, bail};
use cuda_builder::{DeviceToolchain, Ptxas};

/// Arguments of `setup`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Only say what is there and what is missing; exit status 1 when something is.
    #[arg(long)]
    check: bool,
}

/// One thing that the repository needs: what it is, and how it may be had.
enum State {
    /// It is there; what exactly.
    Present(String),
    /// It is missing; why, or what to do.
    Missing(String),
}

/// What a test needs, and nothing else.
const HEADERS: &str = "occupancy header";

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    look(!arguments.check)
}

/// What has to come before anything that builds kernels: all that is missing is installed.
///
/// # Errors
/// What is missing and could not be installed.
pub fn ensure() -> Result<()> {
    look(true)
}

/// Says what is there; installs what is not, if it may.
fn look(install_missing: bool) -> Result<()> {
    let mut missing = Vec::new();
    for (name, state, install) in [
        (
            "device compiler",
            compiler::state as fn() -> State,
            compiler::install as fn() -> Result<()>,
        ),
        ("assembler", assembler::state, assembler::install),
        (HEADERS, headers::state, headers::install),
    ] {
        let mut now = state();
        if install_missing && matches!(now, State::Missing(_)) {
            println!("{name}: installing");
            if let Err(error) = install() {
                println!("{name}: {error:#}");
            }
            now = state();
        }
        match now {
            State::Present(what) => println!("{name}: {what}"),
            State::Missing(why) => {
                println!("{name}: missing. {why}");
                // nothing is built with it
                if name != HEADERS {
                    missing.push(name);
                }
            }
        }
    }
    if missing.is_empty() {
        Ok(())
    } else {
        bail!("missing: {}", missing.join(", "))
    }
}

/// Both tools, or what to do.
pub fn tools() -> Result<(DeviceToolchain, Ptxas)> {
    let toolchain = DeviceToolchain::find()?;
    match assembler::find() {
        Some(ptxas) => Ok((toolchain, ptxas)),
        None => bail!(
            "NVIDIA's assembler is missing. Run `cargo xtask setup`, which does this: {}",
            assembler::command()
        ),
    }
}
