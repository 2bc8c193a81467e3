//! Scans of what is in the host's memory, back to it: what the document's table 1 times.

use crate::{
    arguments::{Arguments, Size},
    elements,
    support::Outcome,
    table1::MEASURE,
};
use ferrovox::{
    device::{Device, DeviceKind},
    scan::{self, AcrossMethod, AcrossParams, Sum},
};
use measure::{Record, Report, Spread};
use std::time::Instant;

/// The ways to scan, and what the table calls them. The document's own is the second.
const METHODS: [(AcrossMethod, &str); 2] = [
    (AcrossMethod::FoldedOffsets, "folded"),
    (AcrossMethod::AddedOffsets, "added"),
];

/// Measures each device alone, then the first two, four, … of the CUDA devices at once.
pub fn measure(report: &mut Report, devices: &[Device], arguments: &Arguments) -> Outcome<()> {
    let alone = devices.iter().map(|device| vec![device.clone()]);
    let cuda: Vec<Device> = devices
        .iter()
        .filter(|device| device.kind() == DeviceKind::Cuda)
        .cloned()
        .collect();
    let together = (1..usize::BITS)
        .map(|log2| 1usize << log2)
        .take_while(|&count| count <= cuda.len())
        .map(|count| cuda[..count].to_vec());
    for devices in alone.chain(together) {
        for size in arguments.host_sizes()? {
            let mut job = Job {
                devices: &devices,
                size: &size,
                arguments,
                report,
            };
            job.pageable()?;
            // for the CPU all memory is alike
            if devices[0].kind() == DeviceKind::Cuda {
                job.pinned()?;
            }
        }
    }
    Ok(())
}

struct Job<'a> {
    devices: &'a [Device],
    size: &'a Size,
    arguments: &'a Arguments,
    report: &'a mut Report,
}

impl Job<'_> {
    fn pageable(&mut self) -> Outcome<()> {
        let input = elements::values::<u32>(self.size.elements);
        let mut output = vec![0; input.len()];
        self.of(&input, &mut output, "pageable")
    }

    fn pinned(&mut self) -> Outcome<()> {
        let count = self.size.elements;
        let mut input = self.devices[0].pinned::<u32>(count)?;
        let mut output = self.devices[0].pinned::<u32>(count)?;
        input.copy_from_slice(&elements::values::<u32>(count));
        self.of(&input, &mut output, "pinned")
    }

    fn of(&mut self, input: &[u32], output: &mut [u32], memory: &str) -> Outcome<()> {
        for (method, name) in METHODS {
            let default = AcrossParams {
                method,
                ..AcrossParams::default()
            };
            let chunks: Vec<usize> = match (&self.arguments.chunk[..], method) {
                // the method without chunks
                ([], _) | (_, AcrossMethod::AddedOffsets) => vec![default.chunk],
                (named, _) => named.iter().map(|&chunk| chunk as usize).collect(),
            };
            for chunk in chunks {
                let params = AcrossParams { chunk, ..default };
                let spread = self.time(input, output, &params)?;
                let note = match method {
                    AcrossMethod::FoldedOffsets => format!("chunks of {chunk}"),
                    _ => String::new(),
                };
                let several = !self.arguments.chunk.is_empty();
                let method = match (method, several) {
                    (AcrossMethod::FoldedOffsets, true) => format!("{name} {chunk}, {memory}"),
                    _ => format!("{name}, {memory}"),
                };
                let ids: Vec<String> = self.devices.iter().map(Device::id).collect();
                let record = Record {
                    system: "ferrovox".into(),
                    device: ids.join("+"),
                    measure: MEASURE.into(),
                    method,
                    element: "u32".into(),
                    size: self.size.label.clone(),
                    elements: self.size.elements as u64,
                    note,
                    ..Record::default()
                };
                self.report.add(record.timed(spread));
            }
        }
        Ok(())
    }

    /// Input and output are there; device memory is allocated in each run.
    fn time(
        &self,
        input: &[u32],
        output: &mut [u32],
        params: &AcrossParams<u32>,
    ) -> Outcome<Spread> {
        output.fill(u32::MAX);
        scan::across(self.devices, Sum, input, output, params)?;
        elements::verify(input, output, "sum")?;
        let runs = self.arguments.common.runs;
        let mut times = Vec::with_capacity(runs);
        for _ in 0..runs {
            let start = Instant::now();
            scan::across(self.devices, Sum, input, output, params)?;
            times.push(start.elapsed());
        }
        Ok(Spread::of(&times))
    }
}
