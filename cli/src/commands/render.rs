//! `ferrovox render`: picture of an isosurface.

use super::mesh::level;
use crate::{
    args::RenderArgs,
    report::{Devices, Grid, JsonTimings, Lines, format_timings, paths},
    terminal::{Terminal, remarks},
    usage::refuse,
    watch::run_monitored,
};
use ferrovox::pipeline::{
    VolumeSource,
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
    refuse(&[(
        args.surface.number().is_none(),
        "--iso otsu applies to ferrovox mesh only, whose report states the isovalue; give --iso a number",
    )])?;
    let source = VolumeSource {
        round_samples: args.surface.round_samples,
        ..args.input.source()
    };
    let device = &args.device.device;
    let job = RenderJob {
        volume: device.read_ahead(source),
        level: level(&args.surface, &args.input.name())?,
        output: args.output.clone(),
        picture: PictureOptions {
            inside: args.surface.inside.into(),
            view: args.view,
            width: args.size.width,
            height: args.size.height,
            ..PictureOptions::default()
        },
        device: device.open()?,
    };
    let outcome = run_monitored(terminal, |monitor| render::run(&job, monitor))?;
    terminal.report(
        &remarks(&outcome.warnings),
        || json(args, &outcome),
        || readable(&job, &outcome),
    )
}

fn json(args: &RenderArgs, outcome: &RenderOutcome) -> Report {
    let [width, height] = outcome.size;
    Report {
        input: args.input.name(),
        outputs: paths([&args.output]),
        grid: Grid::new(outcome.dims, &outcome.geometry),
        sample_type: outcome.sample_type.name(),
        iso: args.surface.number().unwrap_or_default(),
        inside: args.surface.inside.name(),
        azimuth: args.view.azimuth,
        elevation: args.view.elevation,
        width,
        height,
        devices: Devices::from_runs(std::slice::from_ref(&outcome.device)),
        timings: JsonTimings::new(&outcome.timings),
    }
}

fn readable(job: &RenderJob, outcome: &RenderOutcome) -> String {
    let [width, height] = outcome.size;
    let mut lines = Lines::new(9);
    let picture = job.output.display();
    lines.add("picture", format!("{picture}: {width} x {height} pixels"));
    lines.add("device", &job.device);
    lines.add("ms", format_timings(&outcome.timings));
    lines.text()
}
