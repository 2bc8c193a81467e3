//! Copy bandwidth, the reference for other measurements.

use crate::support::{Outcome, time_by_events};
use ferrovox::device::{Device, DeviceKind};
use measure::{Record, Report};

/// Number of elements of the copy on a GPU: 1 GiB of `u32`, far larger than every cache.
const COPY_ON_GPU: usize = 1 << 28;
/// Number of elements of the copy on the CPU, also larger than its caches.
const COPY_ON_CPU: usize = 1 << 26;

/// Measures the copy of a large buffer on the device. Other results are reported as fractions of
/// its bandwidth.
pub fn measure(report: &mut Report, device: &Device, runs: usize) -> Outcome<()> {
    let elements = match device.kind() {
        DeviceKind::Cuda => COPY_ON_GPU,
        DeviceKind::Cpu => COPY_ON_CPU,
    };
    let stream = device.stream()?;
    let from = stream.zeros::<u32>(elements)?;
    let mut to = stream.zeros::<u32>(elements)?;
    let spread = time_by_events(&stream, runs, 1, || Ok(stream.copy(&from, &mut to)?))?;
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
    report.add_copy(record.with_times(spread));
    Ok(())
}
