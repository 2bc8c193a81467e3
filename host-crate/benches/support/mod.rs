//! What the benches of this crate share beyond `measure`: devices, and times on them.

use ferrovox::device::{Device, DeviceError, Stream};
use measure::{Report, Spread};
use std::{process::ExitCode, time::Duration};

/// What a bench's functions return.
pub type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Writes what was measured, also of a run that failed on the way, and tells how it went.
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

/// The devices that were named, or all.
pub fn devices(names: &[String]) -> Outcome<Vec<Device>> {
    if names.is_empty() {
        return Ok(Device::all());
    }
    Ok(names
        .iter()
        .map(|name| name.parse())
        .collect::<Result<_, DeviceError>>()?)
}

/// The times of work on a stream by the device's clock, `repeats` at a time, after one to warm up.
pub fn by_events(
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
