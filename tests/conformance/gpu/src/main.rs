//! Runs every conformance case on the first CUDA device, from the PTX that the build script made
//! for each architecture.
//!
//! In this folder, `cargo run --release`. It needs the device toolchain that `cuda_builder` names
//! when it is missing, but neither a CUDA toolkit nor a GPU to build; the program that comes out
//! can be copied to a machine with an NVIDIA driver and run there.
//!
//! Its last line is `N passed, N failed`, one for each architecture, case and block size. It ends
//! with 0 when all passed or there is no device, and with 1 otherwise. Blocks of more threads than
//! a kernel's registers allow on the device cannot be launched; they are named and counted apart.
//!
//! `cargo test` here also reads the PTX: memory spaces, barriers, and products that stay apart from
//! sums.

mod gpu;
mod ptx;
mod tally;

use cust::device::Device;
use cust::error::CudaError;
use gpu::Kernels;
use ptx::{EMBEDDED, Ptx};
use std::process::ExitCode;
use tally::{Outcome, Tally};

fn main() -> ExitCode {
    if succeeded() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Runs and prints everything; whether no case failed, or there is no device to run it on.
fn succeeded() -> bool {
    match run() {
        Ok(tally) => tally.failed == 0,
        Err(error) if error.means_no_gpu() => {
            println!("no CUDA device: skipped");
            true
        }
        Err(error) => {
            eprintln!("the CUDA device cannot be used: {error}");
            false
        }
    }
}

/// Every case from every PTX that the device can run.
fn run() -> Result<Tally, CudaError> {
    let _current = cust::quick_init()?;
    let device = Device::get_device(0)?;
    let capability = device.compute_capability()?;
    let (major, minor) = capability;
    println!("{}, compute capability {major}.{minor}", device.name()?);

    let mut tally = Tally::default();
    for ptx in &EMBEDDED {
        if ptx.text.is_empty() {
            println!(
                "{}: skipped, the program was built without a device toolchain",
                ptx.name
            );
        } else if capability < ptx.capability {
            println!("{}: skipped, the device is older", ptx.name);
        } else {
            run_cases(ptx, &mut tally);
        }
    }
    tally.print();
    Ok(tally)
}

/// Every case with every block size it takes.
fn run_cases(ptx: &Ptx, tally: &mut Tally) {
    let kernels = match Kernels::load(ptx.text) {
        Ok(kernels) => kernels,
        Err(error) => {
            return tally.count(&format!("{}: loading", ptx.name), Outcome::Failed(error));
        }
    };
    for case in conformance_cases::all() {
        for &block in case.blocks {
            let what = format!("{}: {} with blocks of {block}", ptx.name, case.name);
            let mut gpu = kernels.machine();
            let result = (case.run)(&mut gpu, block);
            let outcome = match (gpu.too_large(), result) {
                (Some(limit), _) => Outcome::LeftOut { limit },
                (None, Err(error)) => Outcome::Failed(error),
                (None, Ok(())) => Outcome::Passed,
            };
            tally.count(&what, outcome);
        }
    }
}

#[cfg(test)]
#[path = "main_tests.rs"]
mod tests;
