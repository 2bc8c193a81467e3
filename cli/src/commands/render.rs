//! `ferrovox render`: picture of surfaces and skeletons.

use crate::{
    args::{IsoValue, RenderArgs},
    commands::scene_contents::{SceneOptions, is_geometry},
    numbers::{LabelValue, format_number},
    report::{Devices, Grid, JsonTimings, Lines, ObjectReport, add_objects, format_timings, paths},
    terminal::{Terminal, remarks},
    usage::refuse,
    watch::run_monitored,
};
use ferrovox::pipeline::{
    SceneContent, VolumeSource,
    render::{self, PictureOptions, RenderJob, RenderOutcome},
};
use serde::Serialize;

/// JSON object. Times are in milliseconds.
#[derive(Serialize)]
struct Report {
    input: String,
    /// All inputs, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    inputs: Option<Vec<String>>,
    outputs: Vec<String>,
    /// Grid and samples of the volume, if one is drawn.
    #[serde(flatten)]
    volume: Option<VolumeReport>,
    /// Label whose surface is drawn, instead of an isovalue.
    label: Option<LabelValue>,
    inside: &'static str,
    objects: Vec<ObjectReport>,
    /// Range of the values that colours show.
    value_range: Option<[f64; 2]>,
    /// Azimuth of the view direction, in degrees.
    azimuth: f32,
    elevation: f32,
    /// Width of the picture, in pixels.
    width: u32,
    height: u32,
    /// Number of pictures of an animation.
    turntable: Option<u32>,
    #[serde(flatten)]
    devices: Devices,
    timings: JsonTimings,
}

/// Volume whose surface is drawn.
#[derive(Serialize)]
struct VolumeReport {
    #[serde(flatten)]
    grid: Grid,
    sample_type: &'static str,
    iso: Option<f64>,
    iso_method: Option<&'static str>,
}

/// Reads objects, draws them and writes the picture.
pub fn run(args: &RenderArgs, terminal: &Terminal) -> anyhow::Result<()> {
    let object = &args.input.object;
    let has_level = !object.iso.is_empty() || object.label.is_some();
    let has_volume = args.input.file.volumes.iter().any(|it| !is_geometry(it));
    let shows_labels = object.labels.is_some() && args.overlay.is_none();
    refuse(&[
        (
            has_volume && !has_level && object.labels.is_none() && args.overlay.is_none(),
            "give --iso, --label or --labels, which select the surface of the volume",
        ),
        (
            has_level && shows_labels,
            "--labels draws the volumes as segmentations, without an isovalue; give the segmentation to --overlay",
        ),
        (
            args.label_table.is_some() && args.overlay.is_none() && object.labels.is_none(),
            "--label-table has the colours of --labels or --overlay; add one of them",
        ),
    ])?;
    let device = args.device.device.open()?;
    let options = SceneOptions {
        input: &args.input,
        round_samples: args.surface.round_samples,
        overlay: args.overlay.as_ref(),
        label_table: args.label_table.as_ref(),
        device: &device,
    };
    let contents = options.contents(|source| args.device.device.read_ahead(source))?;
    check_counts(args, &contents)?;
    let job = RenderJob {
        contents,
        output: args.output.clone(),
        picture: PictureOptions {
            view: args.view,
            width: args.size.width,
            height: args.size.height,
            colours: args.colours.iter().map(|it| it.to_linear()).collect(),
            opacities: args.opacity.clone(),
            values: args.values.as_ref().map(VolumeSource::new),
            value_range: args.value_range,
            transparent: args.transparent,
            occlusion: args.occlusion,
            tubes: args.tubes,
            scale_bar: args.scale_bar,
            axes: args.orientation,
            unit: args.unit.clone(),
            turntable: args.turntable,
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

/// Fails if there are more colours or opacities than surfaces.
fn check_counts(args: &RenderArgs, contents: &[SceneContent]) -> anyhow::Result<()> {
    let is_surface = |content: &&SceneContent| !matches!(content, SceneContent::Skeleton(_));
    let surfaces = contents.iter().filter(is_surface).count();
    for (option, count) in [
        ("--surface-colours", args.colours.len()),
        ("--opacity", args.opacity.len()),
    ] {
        let message = format!("{option} has {count} values, and there are {surfaces} surfaces");
        refuse(&[(count > surfaces, &message)])?;
    }
    Ok(())
}

fn json(args: &RenderArgs, outcome: &RenderOutcome) -> Report {
    let [width, height] = outcome.size;
    let files = &args.input.file.volumes;
    let volume = match &outcome.volumes[..] {
        [volume] => Some(VolumeReport {
            grid: Grid::new(volume.dims, &volume.geometry),
            sample_type: volume.sample_type.name(),
            iso: volume.iso,
            iso_method: args.input.object.iso_value().and_then(IsoValue::rule),
        }),
        _ => None,
    };
    Report {
        input: args.input.name(),
        inputs: (files.len() > 1).then(|| paths(files)),
        outputs: paths([&args.output]),
        volume,
        label: args.input.object.label,
        inside: args.input.object.inside.name(),
        objects: outcome.objects.iter().map(ObjectReport::new).collect(),
        value_range: outcome.value_range,
        azimuth: args.view.azimuth,
        elevation: args.view.elevation,
        width,
        height,
        turntable: args.turntable,
        devices: Devices::from_runs(std::slice::from_ref(&outcome.device)),
        timings: JsonTimings::new(&outcome.timings),
    }
}

fn readable(args: &RenderArgs, job: &RenderJob, outcome: &RenderOutcome) -> String {
    let [width, height] = outcome.size;
    let mut lines = Lines::new(9);
    let picture = job.output.display();
    let frames = match args.turntable {
        Some(count) => format!("{count} pictures of "),
        None => String::new(),
    };
    lines.add(
        "picture",
        format!("{picture}: {frames}{width} x {height} pixels"),
    );
    add_objects(&mut lines, &outcome.objects);
    let rule = args.input.object.iso_value();
    let iso = outcome.volumes.first().and_then(|volume| volume.iso);
    if let Some((rule, iso)) = rule.filter(|it| it.rule().is_some()).zip(iso) {
        lines.add("isovalue", format!("{}, by {rule}", format_number(iso)));
    }
    if let Some([min, max]) = outcome.value_range {
        let [min, max] = [min, max].map(format_number);
        lines.add("values", format!("{min} to {max}"));
    }
    lines.add("device", &job.device);
    lines.add("ms", format_timings(&outcome.timings));
    lines.text()
}
