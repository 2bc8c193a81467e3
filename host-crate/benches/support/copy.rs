//! The copy that bandwidth is compared with.

use crate::support::{Outcome, by_events};
use ferrovox::device::{Device, DeviceKind};
use measure::{Record, Report};

/// Elements of the copy on a GPU: 1 GiB of `u32`, far beyond every cache.
const COPY_ON_GPU: usize = 1 << 28;
/// And on the CPU, whose caches are smaller than this too.
const COPY_ON_CPU: usize = 1 << 26;

/// Measures the copy of a large buffer to another on the device: the bandwidth that others are a
/// fraction of.
pub fn measure(report: &mut Report, device: &Device, runs: usize) -> Outcome<()> {
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
    report.add_copy(record.with_times(spread));
    Ok(())
}
