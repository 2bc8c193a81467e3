//! `cargo xtask setup`: installs the device compiler, NVIDIA's assembler, the header with which the
//! occupancy calculator is compared, subcommands of cargo, and the browser of the tests of pages.

mod assembler;
mod browser;
pub mod cargo_tool;
mod compiler;
mod headers;
mod system;

use anyhow::{Result, bail};
use cargo_tool::{DENY, SHEAR};
use cuda_builder::{DeviceToolchain, Ptxas};

/// Name of the browser, which only the tests of pages require.
const BROWSER: &str = "browser";

/// Arguments of `setup`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Only report what is installed and what is missing; exit with status 1 if something is
    /// missing
    #[arg(long)]
    check: bool,
}

/// State of a required tool.
enum State {
    /// Installed, with a description.
    Present(String),
    /// Missing, with the reason or instructions.
    Missing(String),
}

/// Name of the occupancy header, which only one test requires.
const OCCUPANCY_HEADER: &str = "occupancy header";

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    check_tools(!arguments.check)
}

/// Prepares for steps that build kernels: installs everything that is missing.
///
/// # Errors
/// The tools that could not be installed.
pub fn ensure() -> Result<()> {
    check_tools(true)
}

/// Reports the state of all tools; installs missing ones if `install_missing` is set.
fn check_tools(install_missing: bool) -> Result<()> {
    let mut missing = Vec::new();
    for (name, state, install) in [
        (
            "device compiler",
            compiler::state as fn() -> State,
            compiler::install as fn() -> Result<()>,
        ),
        ("assembler", assembler::state, assembler::install),
        (OCCUPANCY_HEADER, headers::state, headers::install),
        (DENY.name, || DENY.state(), || DENY.install()),
        (SHEAR.name, || SHEAR.state(), || SHEAR.install()),
        (BROWSER, browser::state, browser::install),
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
            State::Present(description) => println!("{name}: {description}"),
            State::Missing(instructions) => {
                println!("{name}: missing; {instructions}");
                // not required for building
                if ![OCCUPANCY_HEADER, DENY.name, SHEAR.name, BROWSER].contains(&name) {
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

/// Returns both tools, or an error with instructions.
pub fn tools() -> Result<(DeviceToolchain, Ptxas)> {
    let toolchain = DeviceToolchain::find()?;
    match assembler::find() {
        Some(ptxas) => Ok((toolchain, ptxas)),
        None => bail!(
            "NVIDIA's assembler is missing; run `cargo xtask setup`, which executes: {}",
            assembler::install_command()
        ),
    }
}
