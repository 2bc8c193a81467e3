//! Scans from host memory to host memory, as in table 1 of Yoshikawa and Yoshida.

use crate::{
    arguments::{Arguments, Size},
    copies, elements,
    support::Outcome,
    table1::MEASURE,
};
use ferrovox::{
    device::{Device, DeviceKind},
    scan::{self, MultiDeviceMethod, MultiDeviceParams, MultiDeviceScanner, Sum},
};
use measure::{Record, Report, Spread};
use std::time::Instant;

/// Methods, with their names in the table. The second is the one of Yoshikawa and Yoshida.
const METHODS: [(MultiDeviceMethod, &str); 2] = [
    (MultiDeviceMethod::RescanWithOffset, "folded"),
    (MultiDeviceMethod::AddAfterwards, "added"),
];

/// Name of the rows in which memory is only copied.
const PINNED: &str = "pinned";

/// Measures each device alone, then the first two, four, … CUDA devices together.
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
            // for the CPU, pageable and pinned memory are the same
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
        self.measure_buffers(&input, &mut output, "pageable")
    }

    fn pinned(&mut self) -> Outcome<()> {
        let count = self.size.elements;
        let mut input = self.devices[0].pinned::<u32>(count)?;
        let mut output = self.devices[0].pinned::<u32>(count)?;
        input.copy_from_slice(&elements::values::<u32>(count));
        self.measure_buffers(&input, &mut output, PINNED)
    }

    fn measure_buffers(&mut self, input: &[u32], output: &mut [u32], memory: &str) -> Outcome<()> {
        let several = self.arguments.chunk.len() > 1;
        for (method, name) in METHODS {
            for chunk in self.chunks(method) {
                let params = MultiDeviceParams {
                    method,
                    chunk,
                    ..MultiDeviceParams::default()
                };
                let name = match chunk {
                    Some(chunk) if several => format!("{name} {chunk}"),
                    _ => name.to_owned(),
                };
                let parts = self.parts(&params, input.len());
                let mut scanner = MultiDeviceScanner::new(self.devices)?;
                let spread = self.time(input, output, |input, output| {
                    scanner.scan(Sum, input, output, &params)?;
                    Ok(())
                })?;
                elements::verify(input, output, "sum")?;
                let note = format!("one scanner for all runs, {parts}");
                self.add_record(format!("{name}, {memory}"), note, spread);

                let spread = self.time(input, output, |input, output| {
                    scan::multi_device(self.devices, Sum, input, output, &params)?;
                    Ok(())
                })?;
                elements::verify(input, output, "sum")?;
                let note = format!("a scanner for each run, {parts}");
                self.add_record(format!("{name}, new scanner, {memory}"), note, spread);
            }
        }
        // bus bandwidth, which only copies of pinned memory reach
        if memory == PINNED {
            for chunk in self.chunks(MultiDeviceMethod::RescanWithOffset) {
                let params = MultiDeviceParams::<u32> {
                    chunk,
                    ..MultiDeviceParams::default()
                };
                let name = match chunk {
                    Some(chunk) if several => format!("copies only {chunk}"),
                    _ => "copies only".to_owned(),
                };
                let lengths = params.chunks(input.len(), self.devices.len());
                let mut copies = copies::Copies::new(self.devices, &lengths)?;
                let spread = self.time(input, output, |input, output| copies.run(input, output))?;
                if input != output {
                    return Err("copies to the devices and back differ".into());
                }
                let parts = self.parts(&params, input.len());
                let note = format!("to the devices and back, {parts}");
                self.add_record(format!("{name}, {memory}"), note, spread);
            }
        }
        Ok(())
    }

    /// Returns the chunk lengths to measure a method with; `None` is the library's default.
    fn chunks(&self, method: MultiDeviceMethod) -> Vec<Option<usize>> {
        match (&self.arguments.chunk[..], method) {
            // the method without chunks
            ([], _) | (_, MultiDeviceMethod::AddAfterwards) => vec![None],
            (named, _) => named.iter().map(|&chunk| Some(chunk as usize)).collect(),
        }
    }

    /// Describes the number and the length of the parts.
    fn parts(&self, params: &MultiDeviceParams<u32>, len: usize) -> String {
        let lengths = params.chunks(len, self.devices.len());
        let longest = lengths.iter().max().copied().unwrap_or(0);
        format!("{} parts of at most {longest}", lengths.len())
    }

    fn add_record(&mut self, method: String, note: String, spread: Spread) {
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
        self.report.add(record.with_times(spread));
    }

    /// Measures a scan of existing input and output.
    fn time(
        &self,
        input: &[u32],
        output: &mut [u32],
        mut run: impl FnMut(&[u32], &mut [u32]) -> Outcome<()>,
    ) -> Outcome<Spread> {
        output.fill(u32::MAX);
        run(input, output)?;
        let runs = self.arguments.common.runs;
        let mut times = Vec::with_capacity(runs);
        for _ in 0..runs {
            let start = Instant::now();
            run(input, output)?;
            times.push(start.elapsed());
        }
        Ok(Spread::from_durations(&times))
    }
}
