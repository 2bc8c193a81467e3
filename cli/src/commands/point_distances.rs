//! `ferrovox distance --at`: distances of points.

use crate::{
    args::{DistanceArgs, IsoValue, TargetName},
    numbers::{LabelValue, format_count, format_number},
    report::{Grid, JsonTimings, Lines, format_timings, paths},
    terminal::{Terminal, remarks},
    usage::refuse,
    watch::run_monitored,
};
use ferrovox::{
    device::Device,
    io::MeshFormat,
    pipeline::{
        Level,
        point_distances::{
            self, DistanceTarget, PointDistanceJob, PointDistanceOutcome, PointObject, VolumeObject,
        },
    },
};
use serde::Serialize;
use std::path::Path;

/// Maximum number of points that the readable report lists.
const MAX_LISTED: usize = 30;

/// The JSON object. Times are in milliseconds, distances in world units.
#[derive(Serialize)]
struct Json {
    input: String,
    outputs: Vec<String>,
    points_file: String,
    #[serde(flatten)]
    grid: Option<Grid>,
    iso: Option<f64>,
    iso_method: Option<&'static str>,
    label: Option<LabelValue>,
    /// `voxels` or `triangles`.
    to: &'static str,
    /// Number of voxels or triangles that distances are measured to.
    targets: usize,
    points: Vec<Point>,
    timings: JsonTimings,
}

/// The distance of a point.
#[derive(Serialize)]
struct Point {
    point: [f64; 3],
    distance: f64,
    nearest: [f64; 3],
    side: &'static str,
}

/// Computes the distances of the points of a file, and prints the report.
pub fn run(args: &DistanceArgs, points: &Path, terminal: &Terminal) -> anyhow::Result<()> {
    let options = &args.input.object;
    let level = options.level(&args.input.name())?;
    let is_mesh = is_mesh(args.input.file.path());
    refuse(&[(
        is_mesh && has_volume_options(args),
        "a mesh has no samples, and distances are to its triangles: omit the options of volumes and objects",
    )])?;
    let device = args.device.open()?.into_iter().next();
    let device = device.unwrap_or_else(Device::cpu);
    let object = if is_mesh {
        PointObject::Mesh(args.input.file.path().to_owned())
    } else {
        PointObject::Volume(Box::new(VolumeObject {
            input: args.input.source()?.filter_device(Some(&device)),
            level: level.unwrap_or(Level::NonZero),
            inside: options.inside.into(),
            filter: args.input.filter()?,
            target: args.to.unwrap_or(TargetName::Voxels).into(),
        }))
    };
    let job = PointDistanceJob {
        object,
        points: points.to_owned(),
        output: args.output.clone(),
        device,
    };
    let outcome = run_monitored(terminal, |monitor| point_distances::run(&job, monitor))?;
    terminal.report(
        &remarks(&outcome.warnings),
        || json(args, &job, &outcome),
        || readable(args, &job, &outcome),
    )
}

/// Returns `true` if the extension is that of a mesh format.
fn is_mesh(path: &Path) -> bool {
    MeshFormat::from_path(path).is_some_and(MeshFormat::is_readable)
}

/// Returns `true` if an option is given that concerns a volume.
fn has_volume_options(args: &DistanceArgs) -> bool {
    let object = &args.input.object;
    let file = &args.input.file;
    !object.iso.is_empty()
        || object.label.is_some()
        || object.mask.is_some()
        || object.crop.is_some()
        || object.resample.is_some()
        || object.smooth_volume.is_some()
        || object.largest
        || object.fill_cavities
        || file.spacing.is_some()
        || file.origin.is_some()
        || file.raw.dims.is_some()
        || args.nonzero
        || args.to == Some(TargetName::Voxels)
}

fn target_name(object: &PointObject) -> &'static str {
    match object {
        PointObject::Volume(object) if object.target == DistanceTarget::Voxels => "voxels",
        PointObject::Volume(_) | PointObject::Mesh(_) => "triangles",
    }
}

fn side(is_inside: bool) -> &'static str {
    if is_inside { "inside" } else { "outside" }
}

fn json(args: &DistanceArgs, job: &PointDistanceJob, outcome: &PointDistanceOutcome) -> Json {
    let points = outcome.distances.iter().map(|it| Point {
        point: it.point,
        distance: it.distance,
        nearest: it.nearest,
        side: side(it.is_inside),
    });
    Json {
        input: args.input.name(),
        outputs: paths(&job.output),
        points_file: job.points.display().to_string(),
        grid: outcome
            .grid
            .map(|(dims, geometry)| Grid::new(dims, &geometry)),
        iso: outcome.iso,
        iso_method: args.input.object.iso_value().and_then(IsoValue::rule),
        label: args.input.object.label,
        to: target_name(&job.object),
        targets: outcome.targets,
        points: points.collect(),
        timings: JsonTimings::new(&outcome.timings),
    }
}

/// Formats the readable report.
fn readable(args: &DistanceArgs, job: &PointDistanceJob, outcome: &PointDistanceOutcome) -> String {
    let mut lines = Lines::new(9);
    lines.add(
        "object",
        format!(
            "{}: {} {}",
            args.input.name(),
            outcome.targets,
            target_name(&job.object)
        ),
    );
    let output = match &job.output {
        Some(path) => format!("{}: ", path.display()),
        None => String::new(),
    };
    let count = outcome.distances.len();
    lines.add(
        "points",
        format!("{output}{}", format_count(count as u64, "point")),
    );
    for (number, it) in outcome.distances.iter().enumerate().take(MAX_LISTED) {
        lines.add(
            &format!("  {number}"),
            format!(
                "{}: distance {}, nearest {}, {}",
                it.point.map(format_number).join(" "),
                format_number(it.distance),
                it.nearest.map(format_number).join(" "),
                side(it.is_inside)
            ),
        );
    }
    if let Some(more @ 1..) = count.checked_sub(MAX_LISTED) {
        lines.add(
            "",
            format!("and {}", format_count(more as u64, "more point")),
        );
    }
    lines.add("ms", format_timings(&outcome.timings));
    lines.text()
}
