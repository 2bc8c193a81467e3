//! Benchmark of exclusive scans on all devices: sizes, element types, operators, methods; and table
//! 1 of Yoshikawa and Yoshida.
//!
//! `cargo xtask bench scan 2^21 2^28 --types u32,u64 --peers`; `--help` lists the options.
//!
//! `scan`: input and output are in device memory; the time is measured by the device's clock, over
//! several consecutive scans, which hides the launch overhead of the host. `host to host`: upload,
//! scan and download by the host's clock, on one device and on the first two, four, … CUDA devices
//! together. Results are verified. `bytes` is one read and one write per element.

mod arguments;
mod copies;
#[path = "../support/copy.rs"]
mod copy;
mod elements;
mod host_to_host;
mod on_device;
mod peers;
#[path = "../support/mod.rs"]
mod support;
mod table1;

use arguments::Arguments;
use clap::Parser;
use ferrovox::device::DeviceKind;
use measure::Report;
use std::process::ExitCode;
use support::Outcome;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut report = Report::new("scan", &arguments.common);
    let outcome = measure(&mut report, &arguments);
    support::end(&report, outcome)
}

fn measure(report: &mut Report, arguments: &Arguments) -> Outcome<()> {
    peers::check(arguments)?;
    let (methods, types) = (arguments.methods()?, arguments.types()?);
    let devices = support::devices(&arguments.common.device)?;
    for device in &devices {
        copy::measure(report, device, arguments.common.runs)?;
        for size in arguments.sizes(device.kind() == DeviceKind::Cuda)? {
            for &method in &methods {
                for element in &types {
                    on_device::measure(report, device, &size, method, element, arguments)?;
                }
            }
        }
    }
    if !arguments.no_table {
        host_to_host::measure(report, &devices, arguments)?;
    }
    peers::run(report, arguments)?;
    if !arguments.no_table {
        report.print(&table1::table(report.records()));
    }
    Ok(())
}
