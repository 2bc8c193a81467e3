//! Times distance maps on every device present: sizes, methods, bounds, and what the sites are.
//!
//! `cargo xtask bench distance -- 256 512 592x625x625 --fields shell,head --bounds none,36,10 --peers`;
//! `--help` names the options.
//!
//! The sites are on the device already, a bit for each voxel. `map` is the time by the host's clock
//! from the call until the stream has nothing left to do; allocating the result counts (freed
//! memory is kept and used again, as in any program that makes more than one map). `pack` is the
//! time to make the bits from a mask of a byte per voxel, which is what other systems are given.
//! `bytes` are those of the bits (or the mask) read once and the distances (or the bits) written
//! once.

mod arguments;
#[path = "../support/copy.rs"]
mod copy;
mod field;
mod map;
mod peers;
#[path = "../support/mod.rs"]
mod support;

use arguments::{Arguments, Job};
use clap::Parser;
use ferrovox::device::{Device, DeviceError};
use measure::{Record, Report};
use std::process::ExitCode;
use support::Outcome;

/// Other errors end the run; this one is a fact about a device that belongs in the table.
fn is_out_of_memory(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(DeviceError::OutOfMemory { .. }) = error.downcast_ref() {
            return true;
        }
        cause = error.source();
    }
    false
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut report = Report::new("distance", &arguments.common);
    let outcome = measure(&mut report, &arguments);
    support::end(&report, outcome)
}

fn measure(report: &mut Report, arguments: &Arguments) -> Outcome<()> {
    peers::check(arguments)?;
    let jobs = arguments.jobs()?;
    for device in support::devices(&arguments.common.device)? {
        copy::measure(report, &device, arguments.common.runs)?;
        for job in &jobs {
            if let Err(error) = map::measure(report, &device, job, arguments) {
                if !is_out_of_memory(&*error) {
                    return Err(error);
                }
                report.add(absent(&device, job, &error.to_string()));
            }
        }
    }
    peers::run(report, arguments)
}

fn absent(device: &Device, job: &Job, reason: &str) -> Record {
    Record {
        absent: Some(reason.to_owned()),
        ..job.record(device)
    }
}
