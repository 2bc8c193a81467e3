//! What the benches of this crate share beyond `measure`: devices, and the copy that bandwidth is compared with.

use ferrovox::device::{Device, DeviceError, DeviceKind, Stream};
use measure::{Record, Report, Spread};
use std::{process::ExitCode, time::Duration};

/// What a bench's functions return.
pub type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Elements of the copy on a GPU: 1 GiB of `u32`, far beyond every cache.
const COPY_ON_GPU: usize = 1 << 28;
/// And on the CPU, whose caches are smaller than this too.
const COPY_ON_CPU: usize = 1 << 26;

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
    Ok(Spread::of(&times))
}

/// Measures the copy of a large buffer to another on the device: the bandwidth that others are a fraction of.
pub fn measure_copy(report: &mut Report, device: &Device, runs: usize) -> Outcome<()> {
    let elements = match device.kind() {
        DeviceKind::Cuda => COPY_ON_GPU,
        DeviceKind::Cpu => COPY_ON_CPU,
    };
    let stream = device.stream()?;
    let from = stream.zeros::<u32>(elements)?;
    let mut to = stream.zeros::<u32>(elements)?;
    let spread = by_events(&stream, runs, 1, || Ok(stream.copy(&from, &mut to)?))?;
    let record = Record {
        system: "ferrovox".into(),
        device: device.id(),
        measure: "copy".into(),
        element: "u32".into(),
        size: format!("2^{}", elements.ilog2()),
        elements: elements as u64,
        bytes: Some(2 * from.bytes() as u64),
        note: device.name(),
        ..Record::default()
    };
    report.add_copy(record.timed(spread));
    Ok(())
}
