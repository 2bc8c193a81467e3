//! Scans in device memory.

use crate::{
    arguments::{Arguments, Size},
    elements::{self, Number},
    support::{Outcome, time_by_events},
};
use ferrovox::{
    device::{Device, DeviceError},
    scan::{Max, Operator, ScanError, ScanMethod, ScanParams, ScanValue, Scannable, Scanner, Sum},
};
use measure::{Record, Report};

/// A measurement to perform.
struct Job<'a> {
    device: &'a Device,
    size: &'a Size,
    element: &'a str,
    method: ScanMethod,
    operator: &'a str,
    runs: usize,
}

/// Measures one size of one type with each operator.
pub fn measure(
    report: &mut Report,
    device: &Device,
    size: &Size,
    method: ScanMethod,
    element: &str,
    arguments: &Arguments,
) -> Outcome<()> {
    for operator in &arguments.operators {
        // widened types only support sums, and three passes only sums of integers
        let widened = element.contains(':');
        let only_integer_sums = method == ScanMethod::ThreePass;
        if (operator != "sum" && (widened || only_integer_sums))
            || (only_integer_sums && element.starts_with('f'))
        {
            continue;
        }
        let job = Job {
            device,
            size,
            element,
            method,
            operator,
            runs: arguments.common.runs,
        };
        report.add(job.measure()?);
    }
    Ok(())
}

impl Job<'_> {
    fn measure(&self) -> Outcome<Record> {
        match self.element {
            "u32" => self.same::<u32>(),
            "i32" => self.same::<i32>(),
            "u64" => self.same::<u64>(),
            "i64" => self.same::<i64>(),
            "f32" => self.same::<f32>(),
            "f64" => self.same::<f64>(),
            "u8:u32" => self.time::<u8, u32, _>(Sum),
            "u16:u32" => self.time::<u16, u32, _>(Sum),
            "u8:u64" => self.time::<u8, u64, _>(Sum),
            "u16:u64" => self.time::<u16, u64, _>(Sum),
            "u32:u64" => self.time::<u32, u64, _>(Sum),
            name => Err(format!("no element type is called {name:?}").into()),
        }
    }

    fn same<V>(&self) -> Outcome<Record>
    where
        V: Scannable<V, Sum> + Scannable<V, Max> + ScanValue + Number,
        Sum: Operator<V>,
        Max: Operator<V>,
    {
        match self.operator {
            "max" => self.time::<V, V, _>(Max),
            _ => self.time::<V, V, _>(Sum),
        }
    }

    /// Measures the job. Insufficient device memory is recorded, not an error.
    fn time<I, V, O>(&self, operator: O) -> Outcome<Record>
    where
        I: Scannable<V, O> + Number,
        V: ScanValue + Number,
        O: Operator<V> + Copy,
    {
        self.try_time::<I, V, O>(operator).or_else(|error| {
            let device_error = match error.downcast_ref::<ScanError>() {
                Some(ScanError::Device(error)) => Some(error),
                _ => error.downcast_ref::<DeviceError>(),
            };
            match device_error {
                Some(DeviceError::OutOfMemory { .. }) => Ok(Record {
                    absent: Some(error.to_string()),
                    ..self.record()
                }),
                _ => Err(error),
            }
        })
    }

    fn try_time<I, V, O>(&self, operator: O) -> Outcome<Record>
    where
        I: Scannable<V, O> + Number,
        V: ScanValue + Number,
        O: Operator<V> + Copy,
    {
        let stream = self.device.stream()?;
        let count = self.size.elements;
        let values = elements::values::<I>(count);
        let input = stream.upload(&values)?;
        let mut output = stream.alloc::<V>(count)?;
        let params = ScanParams {
            method: self.method,
            ..ScanParams::default()
        };
        self.device.reset_peak_memory();
        let mut scanner = Scanner::new(&stream)?;
        scanner.scan(operator, &input, &mut output, &params)?;
        elements::verify(&values, &stream.download(&output)?, self.operator)?;
        let bytes = (input.bytes() + output.bytes()) as u64;
        let peak = self.device.memory_use().peak;
        let repeats = ((1usize << 26) / count.max(1)).clamp(1, 20);
        let spread = time_by_events(&stream, self.runs, repeats, || {
            scanner.scan(operator, &input, &mut output, &params)?;
            Ok(())
        })?;
        let record = Record {
            bytes: Some(bytes),
            peak_bytes: Some(peak),
            scratch_bytes: Some(peak.saturating_sub(bytes)),
            ..self.record()
        };
        Ok(record.with_times(spread))
    }

    fn record(&self) -> Record {
        Record {
            system: "ferrovox".into(),
            device: self.device.id(),
            measure: match self.operator {
                "sum" => "scan".into(),
                operator => format!("scan ({operator})"),
            },
            method: self.method.name().into(),
            element: self.element.into(),
            size: self.size.label.clone(),
            elements: self.size.elements as u64,
            ..Record::default()
        }
    }
}
