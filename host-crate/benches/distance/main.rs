//! Benchmark of distance maps on all devices: sizes, methods, maximum distances, and distributions
//! of sites.
//!
//! `cargo xtask bench distance 256 512 --fields shell,head --max-distance none,36,10 --peers`;
//! `--help` lists the options.
//!
//! The sites are in device memory, one bit per voxel. `map` is the host time from the call until
//! the stream is idle, including the allocation of the result (freed memory is reused, as in any
//! program that computes several maps). `pack` is the time to pack a mask with one byte per voxel,
//! which is the input of other systems. `bytes` counts one read of the bits (or the mask) and one
//! write of the distances (or the bits).

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

/// Returns `true` if the error is caused by exhausted device memory, which is recorded in the
/// table; other errors end the benchmark.
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
                report.add(absent_record(&device, job, &error.to_string()));
            }
        }
    }
    peers::run(report, arguments)
}

fn absent_record(device: &Device, job: &Job, reason: &str) -> Record {
    Record {
        absent: Some(reason.to_owned()),
        ..job.record(device)
    }
}
