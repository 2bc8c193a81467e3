//! Developer commands of the repository: `cargo xtask --help`.
//!
//! One module per command, with a struct of arguments and a function `run`.

mod advisories;
mod bench;
mod bundle;
mod features;
mod from_rust_cuda;
mod golden;
mod inspect;
mod manifests;
mod new_kernel;
mod package;
mod paths;
mod programs;
mod ptx;
mod release;
mod setup;
mod test;
mod torture;
mod wheel;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Developer commands of the repository.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Install the device compiler and NVIDIA's assembler, which `ptx` needs, or explain how to
    /// install them
    Setup(setup::Arguments),
    /// Compile the kernels to PTX, assemble and lint them, and write PTX, machine code and resource
    /// usage to host-crate/ptx (minutes)
    Ptx(ptx::Arguments),
    /// Run the checks of a change: format, lints, tests, conformance, examples; with `--all`, also
    /// documentation, PTX and bundle (tens of minutes; `--list` shows the steps)
    Test(test::Arguments),
    /// Run a benchmark, such as `bench mesh`; writes CSV and JSON to target/bench
    Bench(bench::Arguments),
    /// Compare the outputs of commands and library calls with the hashes in
    /// tests/golden/hashes.txt, to show that a change preserves them
    Golden(golden::Arguments),
    /// Run the command on damaged files, under signals and on full disks at random, and report
    /// panics, hangs and leftover files
    Torture(torture::Arguments),
    /// Compare the dependencies with the advisories of RustSec, of which the repository has a copy,
    /// and check their licences, sources and duplicates
    Advisories(advisories::Arguments),
    /// Compile the library with every combination of features; with `--measure`, compare the builds
    /// of a program for a GPU and one with all features
    Features(features::Arguments),
    /// Check the manifests: unused dependencies, and the declared version of the compiler
    Manifests(manifests::Arguments),
    /// Create a small crate with a kernel of your own, ready to build, run, test and measure
    NewKernel(new_kernel::Arguments),
    /// Show a kernel's PTX with source lines, machine code, resource usage, occupancy and lint
    /// findings
    Inspect(inspect::Arguments),
    /// Create the packages for the registry, build each from its package alone, and print their
    /// sizes
    Package(package::Arguments),
    /// Rehearse a release: build everything from its packages in a fresh folder, pack the command,
    /// and print sizes and notes (tens of minutes)
    Release(release::Arguments),
    /// Write the tables of docs/kernels/from-rust-cuda.md; with `--public-code`, first test all
    /// public crates in kernels
    FromRustCuda(from_rust_cuda::Arguments),
    /// Build the Python package into target/python/wheels and check its size; with `--test`, also
    /// install it in an environment below target and test it
    Wheel(wheel::Arguments),
    /// Collect the command, the test programs and the benchmarks in one directory, to run on a GPU
    /// host without Rust (release builds: tens of minutes)
    Bundle(bundle::Arguments),
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Setup(arguments) => setup::run(&arguments),
        Command::Ptx(arguments) => ptx::run(&arguments),
        Command::Test(arguments) => test::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Golden(arguments) => golden::run(&arguments),
        Command::Torture(arguments) => torture::run(&arguments),
        Command::Advisories(arguments) => advisories::run(&arguments),
        Command::Features(arguments) => features::run(&arguments),
        Command::Manifests(arguments) => manifests::run(&arguments),
        Command::NewKernel(arguments) => new_kernel::run(&arguments),
        Command::Inspect(arguments) => inspect::run(&arguments),
        Command::Package(arguments) => package::run(&arguments),
        Command::Release(arguments) => release::run(&arguments),
        Command::FromRustCuda(arguments) => from_rust_cuda::run(&arguments),
        Command::Wheel(arguments) => wheel::run(&arguments),
        Command::Bundle(arguments) => bundle::run(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
