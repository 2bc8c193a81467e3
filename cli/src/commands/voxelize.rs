//! `ferrovox voxelize`.

use super::mesh_report::Ordered;
use crate::{args::VoxelizeArgs, input::by, phases::Phases, terminal};
use anyhow::Context;
use ferrovox::{
    device::Device,
    io::{VolumeWriteOptions, read_mesh, write_volume},
    pipeline::paths::{self, OutputKind},
    voxelize::{self, VoxelizeParams},
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

/// Reads the mesh, marks the voxels inside, writes them.
pub fn run(args: &VoxelizeArgs) -> anyhow::Result<()> {
    let name = args.mesh.display().to_string();
    paths::check(&[&args.mesh], &[(&args.output, OutputKind::Volume)])?;
    let device = args.device.device.open()?;
    let stream = device.stream()?;
    let params = VoxelizeParams {
        resolution: args.resolution.unwrap_or(1),
        spacing: args.spacing,
        margin: args.margin,
    };
    let mut phases = Phases::new(4);
    let mesh = phases.run("read", || read_mesh(&args.mesh))?;
    let mask = phases
        .run("voxelize", || -> anyhow::Result<_> {
            let mask = voxelize::voxelize(&stream, &mesh, &params)?;
            stream.synchronize()?;
            Ok(mask)
        })
        .with_context(|| name.clone())?;
    let volume = phases.run("download", || voxelize::volume_of(&stream, &mask))?;
    let voxels = mask.count(&stream)?;
    phases.run("write", || {
        write_volume(&args.output, &volume.into(), &VolumeWriteOptions::default())
    })?;
    let (mut times, total) = phases.finish();
    times.push(("total", total));
    let geometry = mask.geometry();
    let report = Report {
        input: name,
        output: args.output.display().to_string(),
        vertices: mesh.vertices.len(),
        triangles: mesh.triangles.len(),
        dims: mask.dims(),
        spacing: geometry.spacing().x,
        origin: geometry.origin().into(),
        voxels,
        volume: voxels as f64 * geometry.determinant(),
        device: device.id(),
        device_name: device.name(),
        timings: Ordered(times),
    };
    match args.json {
        true => terminal::print_json(&report),
        false => terminal::print(&readable(&report, &device)),
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
