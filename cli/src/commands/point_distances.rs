//! `ferrovox distance --at`: distances of points.

use crate::{
    args::{DistanceArgs, IsoValue},
    numbers::{format_count, format_number},
    report::{Grid, JsonTimings, Lines, format_timings, paths},
    terminal::{Terminal, remarks},
    watch::run_monitored,
};
use ferrovox::{
    device::Device,
    pipeline::{
        Level,
        point_distances::{self, DistanceTarget, PointDistanceJob, PointDistanceOutcome},
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
    grid: Grid,
    iso: Option<f64>,
    iso_method: Option<&'static str>,
    label: Option<f64>,
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
    let object = &args.input.object;
    let level = object.level(&args.input.name())?;
    let job = PointDistanceJob {
        input: args.input.source()?,
        level: level.unwrap_or(Level::NonZero),
        inside: object.inside.into(),
        filter: args.input.filter()?,
        target: args.to.into(),
        points: points.to_owned(),
        output: args.output.clone(),
        device: args
            .device
            .open()?
            .into_iter()
            .next()
            .unwrap_or_else(Device::cpu),
    };
    let outcome = run_monitored(terminal, |monitor| point_distances::run(&job, monitor))?;
    terminal.report(
        &remarks(&outcome.warnings),
        || json(args, &job, &outcome),
        || readable(args, &job, &outcome),
    )
}

fn target_name(target: DistanceTarget) -> &'static str {
    match target {
        DistanceTarget::Voxels => "voxels",
        DistanceTarget::Triangles => "triangles",
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
        grid: Grid::new(outcome.dims, &outcome.geometry),
        iso: outcome.iso,
        iso_method: args.input.object.iso_value().and_then(IsoValue::rule),
        label: args.input.object.label,
        to: target_name(job.target),
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
            target_name(job.target)
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
