//! Benchmark of isosurface extraction on all devices: sizes, sample types, methods, with and
//! without normals.
//!
//! `cargo xtask bench mesh 128 256 512 --types u8,f32 --peers`; `--help` lists the options.
//!
//! The volume is in device memory. `extract` is the host time from the call until the stream has
//! finished, including the allocation of the output (freed memory is cached and reused, as in any
//! program that extracts repeatedly). The download and the stages are reported separately; stages
//! are measured by the device's clock. `bytes` is the size of the volume, read once, and of the
//! mesh, written once.

mod arguments;
#[path = "../support/copy.rs"]
mod copy;
mod extract;
mod field;
mod multi_device;
mod peers;
#[path = "../support/mod.rs"]
mod support;

use arguments::Arguments;
use clap::Parser;
use ferrovox::device::{Device, DeviceError};
use measure::{Record, Report};
use std::process::ExitCode;
use support::Outcome;

/// Returns `true` for out-of-memory errors, which are reported in the table. All other errors end
/// the run.
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
    let mut report = Report::new("mesh", &arguments.common);
    let outcome = measure(&mut report, &arguments);
    support::end(&report, outcome)
}

fn measure(report: &mut Report, arguments: &Arguments) -> Outcome<()> {
    peers::check(arguments)?;
    let jobs = arguments.jobs()?;
    for device in support::devices(&arguments.common.device)? {
        copy::measure(report, &device, arguments.common.runs)?;
        for job in &jobs {
            let started = report.records().len();
            if let Err(error) = extract::measure(report, &device, job, arguments) {
                if !is_out_of_memory(&*error) {
                    return Err(error);
                }
                if report.records().len() == started {
                    report.add(out_of_memory_record(&device, job, &error.to_string()));
                }
            }
        }
    }
    if !arguments.devices.is_empty() {
        for job in &jobs {
            multi_device::measure(report, job, arguments)?;
        }
    }
    peers::run(report, arguments)
}

fn out_of_memory_record(device: &Device, job: &arguments::Job, reason: &str) -> Record {
    Record {
        absent: Some(reason.to_owned()),
        ..job.record(device)
    }
}
