//! `ferrovox voxelize`.

use super::mesh_report::{Ordered, in_milliseconds};
use crate::{args::VoxelizeArgs, input::by, phases::milliseconds, terminal, watch::watched};
use ferrovox::{
    device::Device,
    pipeline::voxelize::{self, VoxelizeJob},
    voxelize::VoxelizeParams,
};
use serde::Serialize;

/// The JSON object. Times are in milliseconds.
#[derive(Serialize)]
struct Report {
    input: String,
    output: String,
    vertices: usize,
    triangles: usize,
    dims: [usize; 3],
    spacing: f64,
    origin: [f64; 3],
    voxels: u64,
    volume: f64,
    device: String,
    device_name: String,
    timings: Ordered<Vec<(&'static str, f64)>>,
}

/// Marks the voxels inside a mesh, and says how many there are.
pub fn run(args: &VoxelizeArgs) -> anyhow::Result<()> {
    let job = VoxelizeJob {
        mesh: args.mesh.clone(),
        params: VoxelizeParams {
            resolution: args.resolution.unwrap_or(1),
            spacing: args.spacing,
            margin: args.margin,
        },
        output: args.output.clone(),
        device: args.device.device.open()?,
    };
    let made = watched(|monitor| voxelize::run(&job, monitor))?;
    let mut times = in_milliseconds(&made.timings.stages);
    times.push(("total", milliseconds(made.timings.total)));
    let report = Report {
        input: args.mesh.display().to_string(),
        output: args.output.display().to_string(),
        vertices: made.vertices,
        triangles: made.triangles,
        dims: made.dims,
        spacing: made.geometry.spacing().x,
        origin: made.geometry.origin().into(),
        voxels: made.voxels,
        volume: made.volume(),
        device: job.device.id(),
        device_name: job.device.name(),
        timings: Ordered(times),
    };
    match args.json {
        true => terminal::print_json(&report),
        false => terminal::print(&readable(&report, &job.device)),
    }
}

/// The same in a few lines.
fn readable(report: &Report, device: &Device) -> String {
    let times = &report.timings.0;
    let (total, phases) = times.split_last().unwrap_or((&("total", 0.0), &[]));
    let phases: Vec<String> = phases
        .iter()
        .map(|(phase, time)| format!("{phase} {time:.1}"))
        .collect();
    format!(
        "mesh      {}: {} triangles, {} vertices\n\
         volume    {}: {} voxels of {}\n\
         inside    {} voxels, a volume of {}\n\
         device    {device}\n\
         ms        {:.1}: {}\n",
        report.input,
        report.triangles,
        report.vertices,
        report.output,
        by(report.dims),
        report.spacing,
        report.voxels,
        report.volume,
        total.1,
        phases.join(", ")
    )
}
