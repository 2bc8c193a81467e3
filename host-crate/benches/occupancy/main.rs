//! Sweeps block sizes, registers and shared memory of kernels, and sets what they take beside what
//! the occupancy calculator says.
//!
//! `cargo xtask bench occupancy -- --kernel emit_vertices_f32,sum_words_u32 --over blocks,registers,shared`;
//! `--help` names the options.
//!
//! A kernel is measured where a pipeline launches it, with that pipeline's data: the time is that
//! of its launches alone, by the device's clock, added up over one run of the pipeline; the median
//! of several runs counts. A GPU's occupancy is that of its driver's figures for the kernel; on the
//! CPU executor only time is measured, and the occupancy beside it is that of a GPU by name.

mod arguments;
mod jobs;
mod outside;
mod page;
mod plot;
mod ptx;
mod question;
#[allow(dead_code, reason = "other benches compare with a copy")]
#[path = "../support/mod.rs"]
mod support;
mod sweep;
mod table;
mod workloads;

use arguments::Arguments;
use clap::Parser;
use ferrovox::device::{Device, LaunchOverride};
use measure::Report;
use std::{process::ExitCode, time::SystemTime};
use support::Outcome;
use sweep::Sweep;

fn main() -> ExitCode {
    let mut arguments = Arguments::parse();
    let label = measure::utc_label(SystemTime::now());
    arguments.common.label.get_or_insert(label);
    if arguments.list {
        for workload in &workloads::ALL {
            println!("{:<22} {}", workload.name, workload.about);
        }
        return ExitCode::SUCCESS;
    }
    let mut report = Report::new("occupancy", &arguments.common);
    let outcome = measure(&mut report, &arguments);
    support::end(&report, outcome)
}

fn measure(report: &mut Report, arguments: &Arguments) -> Outcome<()> {
    let mut sweeps = Vec::new();
    if let Some(path) = &arguments.measured {
        sweeps = outside::read(path, arguments)?;
        for sweep in &sweeps {
            sweep.report(report);
        }
    } else {
        for device in support::devices(&arguments.common.device)? {
            let measured = of_device(report, &device, arguments);
            // whatever a launch override was, it ends with the sweep
            device.set_launch_override(LaunchOverride::default())?;
            sweeps.extend(measured?);
        }
    }
    for sweep in &sweeps {
        report.print(&sweep.conclusion());
    }
    let Some(folder) = &arguments.common.out_dir else {
        return Ok(());
    };
    let label = arguments.common.label.as_deref().unwrap_or("run");
    for path in table::write(folder, label, &sweeps)? {
        report.print(&format!("{}", path.display()));
    }
    for path in page::write(folder, label, &sweeps)? {
        report.print(&format!("{}", path.display()));
    }
    Ok(())
}

fn of_device(report: &mut Report, device: &Device, arguments: &Arguments) -> Outcome<Vec<Sweep>> {
    let mut sweeps = Vec::new();
    for job in jobs::jobs(device, arguments)? {
        for &over in &arguments.over {
            let sweep = job.measure(device, over, arguments)?;
            sweep.report(report);
            sweeps.push(sweep);
        }
    }
    Ok(sweeps)
}
