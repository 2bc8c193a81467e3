//! Runs all conformance cases on the first CUDA device, from the PTX generated for each
//! architecture by the build script.
//!
//! Run `cargo run --release` in this folder. Building needs the device toolchain (`cuda_builder`
//! names it if it is missing), but neither a CUDA toolkit nor a GPU; the program can be copied to a
//! machine with an NVIDIA driver.
//!
//! The last line is `N passed, N failed`, counting each combination of architecture, case and block
//! size. The exit status is 0 if all passed or there is no device, and 1 otherwise. Block sizes
//! that exceed a kernel's register budget on the device are listed and counted separately.
//!
//! `cargo test` in this folder also checks the PTX: address spaces, barriers, and the absence of
//! contraction.

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

/// Runs and prints all cases. Returns `true` if no case failed, or there is no device.
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

/// Runs all cases from every PTX that the device supports.
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

/// Runs all cases with all supported block sizes.
fn run_cases(ptx: &Ptx, tally: &mut Tally) {
    let kernels = match Kernels::load(ptx.text) {
        Ok(kernels) => kernels,
        Err(error) => {
            return tally.count(&format!("{}: loading", ptx.name), Outcome::Failed(error));
        }
    };
    for case in conformance_cases::all_cases() {
        for &block in case.blocks {
            let what = format!("{}: {} with blocks of {block}", ptx.name, case.name);
            let mut gpu = kernels.machine();
            let result = (case.run)(&mut gpu, block);
            let outcome = match (gpu.too_large(), result) {
                (Some(limit), _) => Outcome::Skipped { limit },
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
