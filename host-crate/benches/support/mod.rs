//! Shared code of the benchmarks: devices, and device-side timing.

use ferrovox::device::{Device, DeviceError, Stream};
use measure::{Report, Spread};
use std::{process::ExitCode, time::Duration};

/// Result of the functions of a benchmark.
pub type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Writes the report, even if the run failed, and returns the exit code.
pub fn end(report: &Report, outcome: Outcome<()>) -> ExitCode {
    let written = report.finish().map_err(Into::into);
    let errors = [outcome, written.map(drop)];
    let mut status = ExitCode::SUCCESS;
    for error in errors.into_iter().filter_map(Outcome::err) {
        eprintln!("error: {error}");
        status = ExitCode::FAILURE;
    }
    status
}

/// Returns the devices with the given names, or all devices.
pub fn devices(names: &[String]) -> Outcome<Vec<Device>> {
    if names.is_empty() {
        return Ok(Device::all());
    }
    Ok(names
        .iter()
        .map(|name| name.parse())
        .collect::<Result<_, DeviceError>>()?)
}

/// Measures work on a stream by the device's clock, after a warm-up. Each measurement covers
/// `repeats` executions.
pub fn time_by_events(
    stream: &Stream,
    runs: usize,
    repeats: usize,
    mut work: impl FnMut() -> Outcome<()>,
) -> Outcome<Spread> {
    work()?;
    stream.synchronize()?;
    let mut times = Vec::<Duration>::with_capacity(runs);
    for _ in 0..runs {
        let start = stream.record()?;
        for _ in 0..repeats {
            work()?;
        }
        let end = stream.record()?;
        times.push(end.since(&start)? / repeats as u32);
    }
    Ok(Spread::from_durations(&times))
}
