//! `ferrovox render`: picture of an isosurface.

use crate::{
    args::{IsoValue, RenderArgs},
    numbers::{LabelValue, format_number},
    report::{Devices, Grid, JsonTimings, Lines, format_timings, paths},
    terminal::{Terminal, remarks},
    watch::run_monitored,
};
use ferrovox::pipeline::{
    Level, VolumeSource,
    render::{self, PictureOptions, RenderJob, RenderOutcome},
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
    iso: f64,
    iso_method: Option<&'static str>,
    /// Label whose surface is drawn, instead of an isovalue.
    label: Option<LabelValue>,
    inside: &'static str,
    /// Azimuth of the view direction, in degrees.
    azimuth: f32,
    elevation: f32,
    /// Width of the picture, in pixels.
    width: u32,
    height: u32,
    #[serde(flatten)]
    devices: Devices,
    timings: JsonTimings,
}

/// Reads a volume, draws its isosurface and writes the picture.
pub fn run(args: &RenderArgs, terminal: &Terminal) -> anyhow::Result<()> {
    let source = VolumeSource {
        round_samples: args.surface.round_samples,
        ..args.input.source()?
    };
    let source = args.device.device.read_ahead(source);
    let device = args.device.device.open()?;
    let level = args.input.object.level(&args.input.name())?;
    let job = RenderJob {
        volume: source.filter_device(Some(&device)),
        // the parser requires a level
        level: level.unwrap_or(Level::NonZero),
        filter: args.input.filter()?,
        output: args.output.clone(),
        picture: PictureOptions {
            inside: args.input.object.inside.into(),
            view: args.view,
            width: args.size.width,
            height: args.size.height,
            transparent: args.transparent,
            occlusion: args.occlusion,
            ..PictureOptions::default()
        },
        device,
    };
    let outcome = run_monitored(terminal, |monitor| render::run(&job, monitor))?;
    terminal.report(
        &remarks(&outcome.warnings),
        || json(args, &outcome),
        || readable(args, &job, &outcome),
    )
}

fn json(args: &RenderArgs, outcome: &RenderOutcome) -> Report {
    let [width, height] = outcome.size;
    Report {
        input: args.input.name(),
        outputs: paths([&args.output]),
        grid: Grid::new(outcome.dims, &outcome.geometry),
        sample_type: outcome.sample_type.name(),
        iso: outcome.iso,
        iso_method: args.input.object.iso_value().and_then(IsoValue::rule),
        label: args.input.object.label,
        inside: args.input.object.inside.name(),
        azimuth: args.view.azimuth,
        elevation: args.view.elevation,
        width,
        height,
        devices: Devices::from_runs(std::slice::from_ref(&outcome.device)),
        timings: JsonTimings::new(&outcome.timings),
    }
}

fn readable(args: &RenderArgs, job: &RenderJob, outcome: &RenderOutcome) -> String {
    let [width, height] = outcome.size;
    let mut lines = Lines::new(9);
    let picture = job.output.display();
    lines.add("picture", format!("{picture}: {width} x {height} pixels"));
    let rule = args.input.object.iso_value();
    if let Some(rule) = rule.filter(|it| it.rule().is_some()) {
        lines.add(
            "isovalue",
            format!("{}, by {rule}", format_number(outcome.iso)),
        );
    }
    lines.add("device", &job.device);
    lines.add("ms", format_timings(&outcome.timings));
    lines.text()
}
