//! `ferrovox voxelize`: conversion of a mesh to a volume.

use crate::{
    args::{OpenRuleName, VoxelizeArgs},
    numbers::format_dims,
    numbers::{format_count, format_number},
    report::{Devices, Grid, JsonTimings, Lines, format_timings, paths},
    terminal::{Terminal, remarks},
    watch::run_monitored,
};
use ferrovox::{
    pipeline::{
        ObjectFilter,
        voxelize::{self, InsideRule, VoxelizeJob, VoxelizeOutcome},
    },
    voxelize::VoxelizeParams,
};
use serde::Serialize;

/// JSON object. Times are in milliseconds.
#[derive(Serialize)]
struct Report {
    input: String,
    outputs: Vec<String>,
    vertices: usize,
    triangles: usize,
    #[serde(flatten)]
    grid: Grid,
    /// Number of voxels inside the mesh.
    voxels: u64,
    /// Rule for voxels inside: `parity` or `winding`.
    inside_rule: &'static str,
    /// `true` if distances were written.
    signed_distance: bool,
    /// Total volume of these voxels, in world units.
    volume: f64,
    #[serde(flatten)]
    devices: Devices,
    timings: JsonTimings,
}

/// Marks the voxels inside a mesh and prints their number.
pub fn run(args: &VoxelizeArgs, terminal: &Terminal) -> anyhow::Result<()> {
    let job = VoxelizeJob {
        mesh: args.meshes.first().cloned().unwrap_or_default(),
        like: args.like.clone(),
        rule: args
            .open
            .map_or(InsideRule::Parity, |OpenRuleName::Winding| {
                InsideRule::Winding
            }),
        signed_distance: args.signed_distance,
        filter: ObjectFilter {
            mask: None,
            largest: args.object.largest,
            fill_cavities: args.object.fill_cavities,
        },
        params: VoxelizeParams {
            resolution: args.resolution.unwrap_or(1),
            spacing: args.voxel_size,
            margin: args.margin,
        },
        output: args.output.clone(),
        device: args.device.device.open()?,
    };
    let outcome = run_monitored(terminal, |monitor| voxelize::run(&job, monitor))?;
    terminal.report(
        &remarks(&outcome.warnings),
        || json(&job, &outcome),
        || readable(&job, &outcome),
    )
}

fn json(job: &VoxelizeJob, outcome: &VoxelizeOutcome) -> Report {
    Report {
        input: job.mesh.display().to_string(),
        outputs: paths(&job.output),
        vertices: outcome.vertices,
        triangles: outcome.triangles,
        grid: Grid::new(outcome.dims, &outcome.geometry),
        voxels: outcome.voxels,
        inside_rule: match job.rule {
            InsideRule::Parity => "parity",
            InsideRule::Winding => "winding",
        },
        signed_distance: job.signed_distance,
        volume: outcome.volume(),
        devices: Devices::new(std::slice::from_ref(&job.device)),
        timings: JsonTimings::new(&outcome.timings),
    }
}

/// Formats the results as lines.
fn readable(job: &VoxelizeJob, outcome: &VoxelizeOutcome) -> String {
    let mut lines = Lines::new(9);
    let mesh = job.mesh.display();
    let spacing: [f64; 3] = outcome.geometry.spacing().into();
    let size = if spacing == [spacing[0]; 3] {
        format_number(spacing[0])
    } else {
        spacing.map(format_number).join(" x ")
    };
    lines.add(
        "mesh",
        format!(
            "{mesh}: {} triangles, {} vertices",
            outcome.triangles, outcome.vertices
        ),
    );
    let output = match &job.output {
        Some(output) => format!("{}: ", output.display()),
        None => String::new(),
    };
    lines.add(
        "volume",
        format!("{output}{} voxels of {size}", format_dims(outcome.dims)),
    );
    lines.add(
        "inside",
        format!(
            "{}, a volume of {}",
            format_count(outcome.voxels, "voxel"),
            format_number(outcome.volume())
        ),
    );
    lines.add("device", &job.device);
    lines.add("ms", format_timings(&outcome.timings));
    lines.text()
}
