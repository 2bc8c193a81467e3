//! What `ferrovox distance` says when it is done.

use super::mesh_report::Ordered;
use crate::{args::DistanceArgs, input::by, phases::milliseconds};
use ferrovox::{
    device::Device,
    pipeline::distance::{ComparisonOutcome, DistanceJob, DistanceOutcome, MethodRow, Plane},
};
use serde::Serialize;
use std::fmt::Write;

/// Where bands end for which errors are told apart: up to there `cubes` is exact, and a good estimate.
pub const BANDS: [f64; 2] = [10.0, 36.0];

/// The JSON object. Times are in milliseconds, distances in the world's units.
#[derive(Serialize)]
pub struct Json {
    input: String,
    output: Option<String>,
    nearest: Option<String>,
    picture: Option<String>,
    dims: [usize; 3],
    spacing: [f64; 3],
    sites_from: &'static str,
    level: Option<f64>,
    sub_voxel: bool,
    sites: u64,
    sites_outside: u64,
    method: &'static str,
    signed: bool,
    max_distance: Option<f64>,
    dtype: &'static str,
    min: Option<f32>,
    max: Option<f32>,
    isoline_step: Option<f32>,
    device: String,
    device_name: String,
    devices: Vec<JsonDevice>,
    peak_device_bytes: u64,
    timings: Timings,
}

#[derive(Serialize)]
struct JsonDevice {
    device: String,
    device_name: String,
    peak_bytes: u64,
}

#[derive(Serialize)]
struct Timings {
    #[serde(flatten)]
    phases: Ordered<Vec<(&'static str, f64)>>,
    total: f64,
}

/// What the sites are, as the options say it.
fn sites_from(args: &DistanceArgs) -> &'static str {
    match (args.mask, args.points, args.labels) {
        (true, ..) => "mask",
        (_, true, _) => "points",
        (_, _, true) => "labels",
        _ => "level",
    }
}

/// The JSON object of a run.
pub fn json(args: &DistanceArgs, job: &DistanceJob, run: &DistanceOutcome) -> Json {
    let shown =
        |path: &Option<std::path::PathBuf>| path.as_ref().map(|it| it.display().to_string());
    let joined = |name: fn(&Device) -> String| {
        let names: Vec<String> = job.devices.iter().map(name).collect();
        names.join(", ")
    };
    let devices = job.devices.iter().zip(&run.peak_bytes);
    Json {
        input: args.input.name(),
        output: shown(&args.output),
        nearest: shown(&args.nearest),
        picture: shown(&args.png),
        dims: run.dims,
        spacing: run.geometry.spacing().into(),
        sites_from: sites_from(args),
        level: args.level,
        sub_voxel: args.sub_voxel,
        sites: run.sites,
        sites_outside: run.outside,
        method: run.method.name(),
        signed: args.signed,
        max_distance: args.max_distance,
        dtype: args.dtype.name(),
        min: run.range.map(|[min, _]| min),
        max: run.range.map(|[_, max]| max),
        isoline_step: run.isoline_step,
        device: joined(Device::id),
        device_name: joined(Device::name),
        devices: devices
            .map(|(device, &peak_bytes)| JsonDevice {
                device: device.id(),
                device_name: device.name(),
                peak_bytes,
            })
            .collect(),
        peak_device_bytes: run.peak_bytes.iter().copied().max().unwrap_or(0),
        timings: Timings {
            phases: Ordered(phases(run)),
            total: milliseconds(run.timings.total),
        },
    }
}

fn phases(run: &DistanceOutcome) -> Vec<(&'static str, f64)> {
    let stages = run.timings.stages.iter();
    stages.map(|it| (it.stage, milliseconds(it.time))).collect()
}

/// The same in a few lines.
pub fn readable(args: &DistanceArgs, job: &DistanceJob, run: &DistanceOutcome) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{name:<9} {value}");
    };
    let sites = match args.level {
        Some(level) if args.sub_voxel => format!("crossings of {level} between voxels"),
        Some(level) => format!("voxels at the level {level}"),
        None if args.points => "points".to_owned(),
        None if args.labels => "voxels beside another label".to_owned(),
        None => "voxels that are not zero".to_owned(),
    };
    line(
        "sites",
        format!("{}: {} {sites}", args.input.name(), run.sites),
    );
    let range = match run.range {
        Some([min, max]) => format!("{min} to {max}"),
        None => "none is finite".to_owned(),
    };
    let bound = match args.max_distance {
        Some(bound) => format!(", bounded by {bound}"),
        None => String::new(),
    };
    let volume = format!(
        "{} voxels of {}",
        by(run.dims),
        <[f64; 3]>::from(run.geometry.spacing())
            .map(|it| it.to_string())
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
    line("map", format!("{output}{volume}"));
    line("distances", format!("{range}{bound}{squared}"));
    if let Some(path) = &args.nearest {
        line("nearest", path.display().to_string());
    }
    if let (Some(path), Some(slice), Some(step)) = (&args.png, args.slice, run.isoline_step) {
        line(
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
    line(
        "device",
        format!(
            "{}, {}, {:.1} MiB of device memory",
            devices.join(", "),
            run.method.name(),
            peak as f64 / f64::from(1 << 20)
        ),
    );
    let phases: Vec<String> = phases(run)
        .iter()
        .map(|(name, time)| format!("{name} {time:.1}"))
        .collect();
    let total = milliseconds(run.timings.total);
    line("ms", format!("{total:.1}: {}", phases.join(", ")));
    text
}

fn plane(slice: Plane) -> String {
    format!("{} = {}", ["x", "y", "z"][slice.axis], slice.index)
}

/// The JSON object of a comparison. Times are in milliseconds, errors in the world's units.
#[derive(Serialize)]
pub struct Compared {
    input: String,
    sites_from: &'static str,
    sites: u64,
    dims: [usize; 3],
    spacing: [f64; 3],
    exact: &'static str,
    isoline_step: f32,
    device: String,
    device_name: String,
    methods: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    method: &'static str,
    picture: String,
    milliseconds: f64,
    max_error: f64,
    /// The exact distance where the error is largest.
    max_error_at: f64,
    mean_error: f64,
    voxels_with_errors: u64,
    bands: Vec<BandRow>,
}

#[derive(Serialize)]
struct BandRow {
    from: f64,
    /// None for the last.
    to: Option<f64>,
    max_error: f64,
    mean_error: f64,
}

/// The JSON object of a comparison.
pub fn compared_json(args: &DistanceArgs, outcome: &ComparisonOutcome) -> Compared {
    Compared {
        input: args.input.name(),
        sites_from: sites_from(args),
        sites: outcome.sites,
        dims: outcome.dims,
        spacing: outcome.geometry.spacing().into(),
        exact: outcome.methods[0].method.name(),
        isoline_step: outcome.isoline_step,
        device: outcome.device.id(),
        device_name: outcome.device.name(),
        methods: outcome.methods.iter().map(row).collect(),
    }
}

fn row(made: &MethodRow) -> Row {
    let bands = made.difference.bands.iter().map(|band| BandRow {
        from: band.from,
        to: Some(band.to).filter(|to| to.is_finite()),
        max_error: band.max,
        mean_error: band.mean,
    });
    Row {
        method: made.method.name(),
        picture: made.picture.display().to_string(),
        milliseconds: milliseconds(made.time),
        max_error: made.difference.max,
        max_error_at: made.difference.max_at,
        mean_error: made.difference.mean,
        voxels_with_errors: made.difference.different,
        bands: bands.collect(),
    }
}

/// A table that documents can take as it is.
pub fn compared_table(args: &DistanceArgs, outcome: &ComparisonOutcome) -> String {
    let [near, far] = BANDS;
    let mut text = format!(
        "{}: {} sites; errors beside {}; pictures with an isoline every {}; {}\n\n\
         | method | largest error | at distance | mean error | largest up to {near} | {near} to {far} | beyond | ms |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- |\n",
        args.input.name(),
        outcome.sites,
        outcome.methods[0].method.name(),
        outcome.isoline_step,
        outcome.device.name()
    );
    for row in &outcome.methods {
        let (name, difference) = (row.method.name(), &row.difference);
        let at = match difference.max {
            0.0 => String::new(),
            _ => format!("{:.1}", difference.max_at),
        };
        let (max, mean) = (number(difference.max), number(difference.mean));
        let _ = write!(text, "| `{name}` | {max} | {at} | {mean} |");
        for band in &difference.bands {
            let _ = write!(text, " {} |", number(band.max));
        }
        let _ = writeln!(text, " {:.1} |", milliseconds(row.time));
    }
    text
}

fn number(error: f64) -> String {
    match error {
        0.0 => "0".to_owned(),
        _ if error < 0.001 => format!("{error:.1e}"),
        _ => format!("{error:.3}"),
    }
}
