//! What `ferrovox distance` says when it is done.

use super::mesh_report::Ordered;
use crate::{args::DistanceArgs, input::by, numbers::PlaneChoice};
use ferrovox::device::Device;
use serde::Serialize;
use std::fmt::Write;

/// Everything there is to say.
pub struct DistanceRun<'a> {
    pub args: &'a DistanceArgs,
    pub dims: [usize; 3],
    pub spacing: [f64; 3],
    pub sites: u64,
    /// Points outside the volume.
    pub outside: u64,
    pub range: Option<[f32; 2]>,
    pub isoline_step: Option<f32>,
    pub devices: Vec<Device>,
    pub peaks: Vec<u64>,
    pub phase_times: Vec<(&'static str, f64)>,
    pub total: f64,
}

/// The JSON object. Times are in milliseconds, distances in the world's units.
#[derive(Serialize)]
pub struct Json<'a> {
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
    timings: Timings<'a>,
}

#[derive(Serialize)]
struct JsonDevice {
    device: String,
    device_name: String,
    peak_bytes: u64,
}

#[derive(Serialize)]
struct Timings<'a> {
    #[serde(flatten)]
    phases: Ordered<&'a [(&'static str, f64)]>,
    total: f64,
}

/// What the sites are, as the options say it.
pub fn sites_from(args: &DistanceArgs) -> &'static str {
    match (args.mask, args.points, args.labels) {
        (true, ..) => "mask",
        (_, true, _) => "points",
        (_, _, true) => "labels",
        _ => "level",
    }
}

/// The JSON object of a run.
pub fn json<'a>(run: &'a DistanceRun<'a>) -> Json<'a> {
    let args = run.args;
    let shown =
        |path: &Option<std::path::PathBuf>| path.as_ref().map(|it| it.display().to_string());
    let joined = |name: fn(&Device) -> String| {
        let names: Vec<String> = run.devices.iter().map(name).collect();
        names.join(", ")
    };
    let devices = run.devices.iter().zip(&run.peaks);
    Json {
        input: args.input.name(),
        output: shown(&args.output),
        nearest: shown(&args.nearest),
        picture: shown(&args.png),
        dims: run.dims,
        spacing: run.spacing,
        sites_from: sites_from(args),
        level: args.level,
        sub_voxel: args.sub_voxel,
        sites: run.sites,
        sites_outside: run.outside,
        method: args.method().name(),
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
        peak_device_bytes: run.peaks.iter().copied().max().unwrap_or(0),
        timings: Timings {
            phases: Ordered(&run.phase_times[..]),
            total: run.total,
        },
    }
}

/// The same in a few lines.
pub fn readable(run: &DistanceRun<'_>) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{name:<9} {value}");
    };
    let args = run.args;
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
        run.spacing.map(|it| it.to_string()).join(" x ")
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
    let devices: Vec<String> = run.devices.iter().map(ToString::to_string).collect();
    let peak = run.peaks.iter().copied().max().unwrap_or(0);
    line(
        "device",
        format!(
            "{}, {}, {:.1} MiB of device memory",
            devices.join(", "),
            args.method().name(),
            peak as f64 / f64::from(1 << 20)
        ),
    );
    let phases: Vec<String> = run
        .phase_times
        .iter()
        .map(|(name, time)| format!("{name} {time:.1}"))
        .collect();
    line("ms", format!("{:.1}: {}", run.total, phases.join(", ")));
    text
}

fn plane(slice: PlaneChoice) -> String {
    format!("{} = {}", ["x", "y", "z"][slice.axis], slice.index)
}
