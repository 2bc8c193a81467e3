//! `ferrovox slices`: a montage of planes.

use crate::{
    args::SlicesArgs,
    numbers::format_number,
    report::{Grid, JsonTimings, Lines, format_timings, paths},
    terminal::{Terminal, remarks},
    watch::run_monitored,
};
use ferrovox::{
    io::{LabelTable, read_label_table},
    pipeline::{
        VolumeSource,
        slices::{self, SlicesJob, SlicesOutcome},
    },
};
use serde::Serialize;

/// JSON object. Times are in milliseconds.
#[derive(Serialize)]
struct Report {
    input: String,
    outputs: Vec<String>,
    #[serde(flatten)]
    grid: Grid,
    sample_type: &'static str,
    /// Isovalue of the contour.
    iso: Option<f64>,
    /// Number of planes across each axis.
    planes: u32,
    width: u32,
    height: u32,
    timings: JsonTimings,
}

/// Draws planes of a volume.
pub fn run(args: &SlicesArgs, terminal: &Terminal) -> anyhow::Result<()> {
    let table = match &args.label_table {
        Some(path) => read_label_table(path)?,
        None => LabelTable::default(),
    };
    let job = SlicesJob {
        level: args.input.object.level(&args.input.name())?,
        overlay: args.overlay.as_ref().map(VolumeSource::new),
        table,
        planes: args.planes,
        width: args.width,
        ..SlicesJob::new(args.input.source()?, &args.output)
    };
    let outcome = run_monitored(terminal, |monitor| slices::run(&job, monitor))?;
    terminal.report(
        &remarks(&outcome.warnings),
        || json(args, &outcome),
        || readable(&job, &outcome),
    )
}

fn json(args: &SlicesArgs, outcome: &SlicesOutcome) -> Report {
    let [width, height] = outcome.size;
    Report {
        input: args.input.name(),
        outputs: paths([&args.output]),
        grid: Grid::new(outcome.dims, &outcome.geometry),
        sample_type: outcome.sample_type.name(),
        iso: outcome.iso,
        planes: args.planes,
        width,
        height,
        timings: JsonTimings::new(&outcome.timings),
    }
}

fn readable(job: &SlicesJob, outcome: &SlicesOutcome) -> String {
    let [width, height] = outcome.size;
    let mut lines = Lines::new(9);
    let picture = job.output.display();
    lines.add("picture", format!("{picture}: {width} x {height} pixels"));
    if let Some(iso) = outcome.iso {
        lines.add("isovalue", format_number(iso));
    }
    lines.add("ms", format_timings(&outcome.timings));
    lines.text()
}
