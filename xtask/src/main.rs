//! What a person working on the project runs: `cargo xtask --help`.
//!
//! One file per command; each has a struct of arguments and a function `run`.

mod bench;
mod bundle;
mod from_rust_cuda;
mod golden;
mod inspect;
mod new_kernel;
mod package;
mod paths;
mod programs;
mod ptx;
mod setup;
mod test;
mod torture;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// What a person working on the project runs.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Install, or explain how to install, what `ptx` needs: the device compiler and NVIDIA's
    /// assembler.
    Setup(setup::Arguments),
    /// Build the kernels to PTX, assemble and lint them, and record what each takes.
    Ptx(ptx::Arguments),
    /// Check everything: format, lints, documentation, PTX, tests, conformance, examples.
    Test(test::Arguments),
    /// Measure: `bench mesh`, `scan`, `distance`, `occupancy`; figures go to target/bench as CSV
    /// and JSON.
    Bench(bench::Arguments),
    /// Compare what commands and library calls give with what they gave before: for changes that
    /// should change nothing.
    Golden(golden::Arguments),
    /// Damage files, send signals, fill disks, at random for a while: nothing may panic, hang, or
    /// be left.
    Torture(torture::Arguments),
    /// Make a small crate with a kernel of one's own, to build, run, test and measure.
    NewKernel(new_kernel::Arguments),
    /// Show a kernel's PTX with source lines, its machine code, what it takes, its occupancy, what
    /// the lint finds.
    Inspect(inspect::Arguments),
    /// Make the packages that a registry would have, build each from its package alone, and say how
    /// large they are.
    Package(package::Arguments),
    /// Write the tables of docs/kernels/from-rust-cuda.md; with `--public-code` first try all public crates
    /// in kernels.
    FromRustCuda(from_rust_cuda::Arguments),
    /// Collect the command, the test programs and the benches in one directory, to run on a GPU
    /// host without Rust.
    Bundle(bundle::Arguments),
}

fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Command::Setup(arguments) => setup::run(&arguments),
        Command::Ptx(arguments) => ptx::run(&arguments),
        Command::Test(arguments) => test::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Golden(arguments) => golden::run(&arguments),
        Command::Torture(arguments) => torture::run(&arguments),
        Command::NewKernel(arguments) => new_kernel::run(&arguments),
        Command::Inspect(arguments) => inspect::run(&arguments),
        Command::Package(arguments) => package::run(&arguments),
        Command::FromRustCuda(arguments) => from_rust_cuda::run(&arguments),
        Command::Bundle(arguments) => bundle::run(&arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
