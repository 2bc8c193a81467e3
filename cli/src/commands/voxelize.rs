//! `ferrovox voxelize`.

use crate::{
    args::VoxelizeArgs,
    input::by,
    numbers::{counted, short},
    report::{Devices, Grid, JsonTimings, Lines, paths, timings},
    terminal::Terminal,
    watch::watched,
};
use ferrovox::{
    pipeline::voxelize::{self, VoxelizeJob, VoxelizeOutcome},
    voxelize::VoxelizeParams,
};
use serde::Serialize;

/// The JSON object. Times are in milliseconds.
#[derive(Serialize)]
struct Report {
    input: String,
    outputs: Vec<String>,
    vertices: usize,
    triangles: usize,
    #[serde(flatten)]
    grid: Grid,
    /// Voxels inside the mesh.
    voxels: u64,
    /// What they take up in the world.
    volume: f64,
    #[serde(flatten)]
    devices: Devices,
    timings: JsonTimings,
}

/// Marks the voxels inside a mesh, and says how many there are.
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
    let made = watched(terminal, |monitor| voxelize::run(&job, monitor))?;
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
        devices: Devices::of(std::slice::from_ref(&job.device)),
        timings: JsonTimings::of(&made.timings),
    }
}

/// The same in a few lines.
fn readable(job: &VoxelizeJob, made: &VoxelizeOutcome) -> String {
    let mut lines = Lines::new(9);
    let (mesh, size) = (job.mesh.display(), short(made.geometry.spacing().x));
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
        format!("{output}{} voxels of {size}", by(made.dims)),
    );
    lines.add(
        "inside",
        format!(
            "{}, a volume of {}",
            counted(made.voxels, "voxel"),
            short(made.volume())
        ),
    );
    lines.add("device", &job.device);
    lines.add("ms", timings(&made.timings));
    lines.text()
}
