//! Reproduces table 2 of Zhao et al. (2016) on every device present, compared with its figures, and
//! figure 3: occupancy by threads per block.
//!
//! `cargo xtask bench paper`; `--help` lists the options.
//!
//! The timed part is the force field from classified voxels, 98 % of the time in Zhao et al.
//! (2016): all surface voxels are sources, and boundary forces are means of their neighbours. Times
//! are device times.

mod arguments;
mod document;
mod figure3;
mod phantom;
#[path = "../support/mod.rs"]
mod support;
mod table;

use arguments::Arguments;
use clap::Parser;
use document::Row;
use ferrovox::{device::Device, skeleton::potential_field::FieldVariant};
use measure::{Record, Report};
use phantom::{Phantom, Timing};
use std::process::ExitCode;
use support::Outcome;
use table::{COLUMNS, MeasuredRow, Time};

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut report = Report::new("paper", &arguments.common);
    let outcome = measure(&mut report, &arguments);
    support::end(&report, outcome)
}

fn measure(report: &mut Report, arguments: &Arguments) -> Outcome<()> {
    let rows = arguments.rows()?;
    let devices = support::devices(&arguments.common.device)?;
    let serial: Vec<Time> = rows
        .iter()
        .map(|row| serial(report, arguments, row))
        .collect::<Outcome<_>>()?;
    let mut tables = Vec::new();
    for device in &devices {
        let measured = rows.iter().zip(&serial);
        let measured: Vec<MeasuredRow> = measured
            .map(|(row, &serial)| on_device(report, arguments, device, row, serial))
            .collect::<Outcome<_>>()?;
        tables.push(table::table(&device.to_string(), &measured));
    }
    for table in tables {
        report.print(&table);
    }
    report.print(&figure3::occupancy_by_equation()?);
    let width = rows.iter().map(|row| row.width).min().unwrap_or(16);
    for device in &devices {
        let runs = arguments.common.runs;
        report.print(&figure3::measured_times(
            device,
            width,
            arguments.sample,
            runs,
        )?);
    }
    Ok(())
}

/// Times the simple kernel on one thread.
fn serial(report: &mut Report, arguments: &Arguments, row: &Row) -> Outcome<Time> {
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let timed = |width: usize| -> Outcome<(Timing, u64)> {
        let stream = Device::cpu().stream()?;
        let phantom = Phantom::new(&stream, width)?;
        let runs = arguments.common.runs.min(3);
        let timed = phantom.time(FieldVariant::Simple, arguments.sample, runs)?;
        Ok((timed, phantom.pairs()))
    };
    // an error of the closure cannot leave the pool in an inconsistent state
    let (timed, pairs) = one
        .install(|| timed(row.width).map_err(|error| error.to_string()))
        .map_err(Box::<dyn std::error::Error>::from)?;
    let note = format!("Zhao et al. (2016): {} s", row.serial);
    Ok(add(
        report,
        row,
        &timed,
        Record {
            device: "cpu".into(),
            measure: "serial".into(),
            method: FieldVariant::Simple.name().into(),
            elements: pairs,
            note,
            ..Record::default()
        },
    ))
}

/// Times the kernel variant of every column of the table on a device.
fn on_device(
    report: &mut Report,
    arguments: &Arguments,
    device: &Device,
    row: &'static Row,
    serial: Time,
) -> Outcome<MeasuredRow> {
    let stream = device.stream()?;
    let phantom = Phantom::new(&stream, row.width)?;
    let mut times = Vec::new();
    for (column, variant) in COLUMNS.into_iter().enumerate() {
        let timed = phantom.time(variant, arguments.sample, arguments.common.runs)?;
        let speed_up = 1e3 * serial.seconds / timed.spread.median_ms;
        let document = table::published_speed_ups(row, column);
        times.push(add(
            report,
            row,
            &timed,
            Record {
                device: device.id(),
                measure: "table 2".into(),
                method: variant.name().into(),
                elements: phantom.pairs(),
                note: format!("{speed_up:.1}x serial{document}"),
                ..Record::default()
            },
        ));
    }
    Ok(MeasuredRow {
        row,
        points: phantom.classes.counts.surface,
        serial,
        times,
    })
}

/// Adds a record with the common properties, and returns its time.
fn add(report: &mut Report, row: &Row, timed: &Timing, record: Record) -> Time {
    let part = match timed.sample {
        Some([part, all]) => format!(", extrapolated from {part} of {all} targets"),
        None => String::new(),
    };
    let record = Record {
        system: "ferrovox".into(),
        element: "f32".into(),
        field: "human".into(),
        size: format!("{0}x{0}x487", row.width),
        note: format!("{}{part}", record.note),
        ..record
    };
    report.add(record.with_times(timed.spread));
    Time {
        seconds: timed.spread.median_ms * 1e-3,
        is_extrapolated: timed.sample.is_some(),
    }
}
