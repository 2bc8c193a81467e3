//! Scans of what is in the host's memory, back to it: what the document's table 1 times.

use crate::{
    arguments::NamedMethod,
    elements,
    support::Outcome,
    table1::{MEASURE, SIZES},
};
use ferrovox::{
    device::{Device, Stream},
    scan::{ScanParams, Scanner, Sum},
};
use measure::{Record, Report, Spread};
use std::time::Instant;

/// Measures the table's sizes on one device.
pub fn measure(
    report: &mut Report,
    device: &Device,
    method: NamedMethod,
    runs: usize,
) -> Outcome<()> {
    let stream = device.stream()?;
    let mut scanner = Scanner::new(&stream)?;
    for (label, count) in SIZES {
        let values = elements::values::<u32>(count);
        elements::verify(
            &values,
            &scan(&stream, &mut scanner, &values, method)?,
            "sum",
        )?;
        let mut times = Vec::with_capacity(runs);
        for _ in 0..runs {
            let start = Instant::now();
            let result = scan(&stream, &mut scanner, &values, method)?;
            times.push(start.elapsed());
            drop(result);
        }
        let record = Record {
            system: "ferrovox".into(),
            device: device.id(),
            measure: MEASURE.into(),
            method: method.name.into(),
            element: "u32".into(),
            size: label.into(),
            elements: count as u64,
            note: "pageable memory, device memory and result allocated".into(),
            ..Record::default()
        };
        report.add(record.timed(Spread::of(&times)));
    }
    Ok(())
}

fn scan(
    stream: &Stream,
    scanner: &mut Scanner,
    values: &[u32],
    method: NamedMethod,
) -> Outcome<Vec<u32>> {
    let params = ScanParams {
        method: method.method,
        ..ScanParams::default()
    };
    let input = stream.upload(values)?;
    let mut output = stream.alloc::<u32>(values.len())?;
    scanner.scan(Sum, &input, &mut output, &params)?;
    Ok(stream.download(&output)?)
}
