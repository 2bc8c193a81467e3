//! `ferrovox voxelize`: conversion of a mesh to a volume.

use crate::{
    args::VoxelizeArgs,
    input::format_dims,
    numbers::{format_count, format_number},
    report::{Devices, Grid, JsonTimings, Lines, format_timings, paths},
    terminal::Terminal,
    watch::run_monitored,
};
use ferrovox::{
    pipeline::{
        ObjectFilter,
        voxelize::{self, VoxelizeJob, VoxelizeOutcome},
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
    terminal.report(&[], || json(&job, &outcome), || readable(&job, &outcome))
}

fn json(job: &VoxelizeJob, outcome: &VoxelizeOutcome) -> Report {
    Report {
        input: job.mesh.display().to_string(),
        outputs: paths(&job.output),
        vertices: outcome.vertices,
        triangles: outcome.triangles,
        grid: Grid::new(outcome.dims, &outcome.geometry),
        voxels: outcome.voxels,
        volume: outcome.volume(),
        devices: Devices::new(std::slice::from_ref(&job.device)),
        timings: JsonTimings::new(&outcome.timings),
    }
}

/// Formats the results as lines.
fn readable(job: &VoxelizeJob, outcome: &VoxelizeOutcome) -> String {
    let mut lines = Lines::new(9);
    let (mesh, size) = (
        job.mesh.display(),
        format_number(outcome.geometry.spacing().x),
    );
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
