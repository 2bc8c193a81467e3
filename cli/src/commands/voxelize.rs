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
    pipeline::voxelize::{self, VoxelizeJob, VoxelizeOutcome},
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
        mesh: args.mesh.clone(),
        params: VoxelizeParams {
            resolution: args.resolution.unwrap_or(1),
            spacing: args.voxel_size,
            margin: args.margin,
        },
        output: args.output.clone(),
        device: args.device.device.open()?,
    };
    let made = run_monitored(terminal, |monitor| voxelize::run(&job, monitor))?;
    terminal.report(&[], || json(&job, &made), || readable(&job, &made))
}

fn json(job: &VoxelizeJob, made: &VoxelizeOutcome) -> Report {
    Report {
        input: job.mesh.display().to_string(),
        outputs: paths(&job.output),
        vertices: made.vertices,
        triangles: made.triangles,
        grid: Grid::new(made.dims, &made.geometry),
        voxels: made.voxels,
        volume: made.volume(),
        devices: Devices::new(std::slice::from_ref(&job.device)),
        timings: JsonTimings::new(&made.timings),
    }
}

/// Formats the results as lines.
fn readable(job: &VoxelizeJob, made: &VoxelizeOutcome) -> String {
    let mut lines = Lines::new(9);
    let (mesh, size) = (job.mesh.display(), format_number(made.geometry.spacing().x));
    lines.add(
        "mesh",
        format!(
            "{mesh}: {} triangles, {} vertices",
            made.triangles, made.vertices
        ),
    );
    let output = match &job.output {
        Some(output) => format!("{}: ", output.display()),
        None => String::new(),
    };
    lines.add(
        "volume",
        format!("{output}{} voxels of {size}", format_dims(made.dims)),
    );
    lines.add(
        "inside",
        format!(
            "{}, a volume of {}",
            format_count(made.voxels, "voxel"),
            format_number(made.volume())
        ),
    );
    lines.add("device", &job.device);
    lines.add("ms", format_timings(&made.timings));
    lines.text()
}
