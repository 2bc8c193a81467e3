//! Report of `ferrovox distance`.

use crate::{
    args::{DistanceArgs, IsoValue},
    numbers::format_number,
    numbers::{LabelValue, format_dims},
    report::{Devices, Grid, JsonTimings, Lines, format_timings, path, paths},
};
use ferrovox::{
    distance::SignConvention,
    pipeline::distance::{DistanceJob, DistanceOutcome, Plane},
};
use serde::Serialize;

/// JSON object of a run. Times are in milliseconds, distances in world units.
#[derive(Serialize)]
pub struct Json {
    input: String,
    /// Paths of all written files.
    outputs: Vec<String>,
    nearest: Option<String>,
    picture: Option<String>,
    #[serde(flatten)]
    grid: Grid,
    sites_from: &'static str,
    iso: Option<f64>,
    iso_method: Option<&'static str>,
    /// Label whose surface voxels are the sites.
    label: Option<LabelValue>,
    inside: Option<&'static str>,
    sub_voxel: bool,
    sites: u64,
    sites_outside: u64,
    method: &'static str,
    /// `true` if the distances are exact up to rounding to f32.
    exact: bool,
    signed: bool,
    /// Convention of signed distances; `null` for unsigned distances and with `--sub-voxel`.
    sign_convention: Option<&'static str>,
    max_distance: Option<f64>,
    dtype: &'static str,
    min: Option<f32>,
    max: Option<f32>,
    isoline_step: Option<f32>,
    #[serde(flatten)]
    devices: Devices,
    peak_device_bytes: u64,
    timings: JsonTimings,
}

/// Returns the kind of sites selected by the options.
pub fn sites_from(args: &DistanceArgs) -> &'static str {
    let object = &args.input.object;
    match (args.nonzero, args.points) {
        (true, _) => "nonzero",
        (_, true) => "points",
        _ if object.labels.is_some() => "labels",
        _ if object.label.is_some() => "label",
        _ => "iso",
    }
}

/// Returns the convention of signed distances to voxels.
fn sign_convention(args: &DistanceArgs, job: &DistanceJob) -> Option<SignConvention> {
    job.sign().filter(|_| !args.sub_voxel)
}

/// Creates the JSON object of a run.
pub fn json(args: &DistanceArgs, job: &DistanceJob, run: &DistanceOutcome) -> Json {
    let outputs = args.output.iter().chain(&args.nearest).chain(&args.png);
    Json {
        input: args.input.name(),
        outputs: paths(outputs),
        nearest: path(args.nearest.as_ref()),
        picture: path(args.png.as_ref()),
        grid: Grid::new(run.dims, &run.geometry),
        sites_from: sites_from(args),
        iso: run.iso,
        iso_method: args.input.object.iso_value().and_then(IsoValue::rule),
        label: args.input.object.label,
        inside: run.iso.map(|_| args.input.object.inside.name()),
        sub_voxel: args.sub_voxel,
        sites: run.sites,
        sites_outside: run.outside,
        method: run.method.name(),
        exact: run.exact,
        signed: job.signed,
        sign_convention: sign_convention(args, job).map(SignConvention::name),
        max_distance: args.max_distance,
        dtype: args.dtype.name(),
        min: run.range.map(|[min, _]| min),
        max: run.range.map(|[_, max]| max),
        isoline_step: run.isoline_step,
        devices: Devices::with_peaks(&job.devices, &run.peak_bytes),
        peak_device_bytes: run.peak_bytes.iter().copied().max().unwrap_or(0),
        timings: JsonTimings::new(&run.timings),
    }
}

/// Formats the report as text.
pub fn text_report(args: &DistanceArgs, job: &DistanceJob, run: &DistanceOutcome) -> String {
    let mut lines = Lines::new(9);
    let object = &args.input.object;
    let sites = match (run.iso, object.label) {
        (Some(iso), _) if args.sub_voxel => format!("crossings of {iso} between voxels"),
        (Some(iso), _) => format!("voxels at the isovalue {iso}"),
        (None, Some(label)) => format!("surface voxels of label {label}"),
        (None, None) if args.points => "points".to_owned(),
        (None, None) if object.labels.is_some() => "voxels next to another label".to_owned(),
        (None, None) => "voxels that are not zero".to_owned(),
    };
    lines.add(
        "sites",
        format!("{}: {} {sites}", args.input.name(), run.sites),
    );
    let range = match run.range {
        Some([min, max]) => format!("{min} to {max}"),
        None => "no finite distance".to_owned(),
    };
    let max_distance = match args.max_distance {
        Some(max_distance) => format!(", truncated at {max_distance}"),
        None => String::new(),
    };
    let volume = format!(
        "{} voxels of {}",
        format_dims(run.dims),
        <[f64; 3]>::from(run.geometry.spacing())
            .map(format_number)
            .join(" x ")
    );
    let output = match &args.output {
        Some(path) => format!("{}: ", path.display()),
        None => String::new(),
    };
    let squared = match args.dtype.name() {
        "f32" => String::new(),
        name => format!(", squared as {name}"),
    };
    lines.add("map", format!("{output}{volume}"));
    let sign = match sign_convention(args, job) {
        Some(convention) => format!(", signed by {}", convention.name()),
        None if job.signed => ", signed".to_owned(),
        None => String::new(),
    };
    lines.add("distances", format!("{range}{max_distance}{squared}{sign}"));
    if let Some(path) = &args.nearest {
        lines.add("nearest", path.display().to_string());
    }
    if let (Some(path), Some(slice), Some(step)) = (&args.png, args.slice, run.isoline_step) {
        lines.add(
            "picture",
            format!(
                "{}: {}, an isoline every {step}",
                path.display(),
                plane(slice)
            ),
        );
    }
    let devices: Vec<String> = job.devices.iter().map(ToString::to_string).collect();
    let peak = run.peak_bytes.iter().copied().max().unwrap_or(0);
    lines.add(
        "device",
        format!(
            "{}, {}{}, {:.1} MiB of device memory",
            devices.join(", "),
            run.method.name(),
            if run.exact { ", exact" } else { "" },
            peak as f64 / f64::from(1 << 20)
        ),
    );
    lines.add("ms", format_timings(&run.timings));
    lines.text()
}

fn plane(slice: Plane) -> String {
    format!("{} = {}", ["x", "y", "z"][slice.axis], slice.index)
}
