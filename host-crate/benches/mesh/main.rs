//! Times isosurfaces on every device present: sizes, sample types, methods, with and without
//! normals.
//!
//! `cargo xtask bench mesh -- 128 256 512 --types u8,f32 --peers`; `--help` names the options.
//!
//! The volume is on the device already. `extract` is the time by the host's clock from the call
//! until the stream has nothing left to do; allocating the output counts (freed memory is kept and
//! used again, as in any program that extracts more than once). The download is told apart, and so
//! are the stages, by the device's clock. `bytes` are those of the volume read once and the mesh
//! written once.

mod arguments;
#[path = "../support/copy.rs"]
mod copy;
mod extract;
mod field;
mod peers;
#[path = "../support/mod.rs"]
mod support;
mod together;

use arguments::Arguments;
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
                    report.add(absent(&device, job, &error.to_string()));
                }
            }
        }
    }
    if !arguments.devices.is_empty() {
        for job in &jobs {
            together::measure(report, job, arguments)?;
        }
    }
    peers::run(report, arguments)
}

fn absent(device: &Device, job: &arguments::Job, reason: &str) -> Record {
    Record {
        absent: Some(reason.to_owned()),
        ..job.record(device)
    }
}
