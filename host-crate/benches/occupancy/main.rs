//! Benchmark of kernels over block size, register limit or shared memory, together with the
//! occupancy that the calculator predicts for each configuration.
//!
//! Example: `cargo xtask bench occupancy --kernel scan_sum_u32 --over blocks,registers,shared`;
//! `--help` lists the options.
//!
//! A kernel is measured inside a pipeline that launches it, with the pipeline's data. The time is
//! the sum of the kernel's launches in one run of the pipeline, by the device's clock; the median
//! of several runs is reported. On a GPU the occupancy follows from the driver's register count. On
//! the CPU executor only the time is measured, and the occupancy is that of the GPU selected by
//! `--occupancy-gpu`.

mod arguments;
mod calculator_input;
mod external_sweeps;
mod jobs;
mod page;
mod plot;
mod ptx;
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
        sweeps = external_sweeps::read_sweeps(path, arguments)?;
        for sweep in &sweeps {
            sweep.report(report);
        }
    } else {
        for device in support::devices(&arguments.common.device)? {
            let measured = measure_device(report, &device, arguments);
            // reset the launch override even if the sweep failed
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

fn measure_device(
    report: &mut Report,
    device: &Device,
    arguments: &Arguments,
) -> Outcome<Vec<Sweep>> {
    let mut sweeps = Vec::new();
    for job in jobs::select_jobs(device, arguments)? {
        for &over in &arguments.over {
            let sweep = job.measure(device, over, arguments)?;
            sweep.report(report);
            sweeps.push(sweep);
        }
    }
    Ok(sweeps)
}
