//! `ferrovox mesh`.

use super::{
    mesh_report::{json, readable},
    mesh_stream, mesh_whole,
};
use crate::{
    args::{Cli, MeshArgs, MethodName, SurfaceArgs},
    input::VolumeArgs,
    output, terminal,
};
use clap::{CommandFactory, error::ErrorKind};
use ferrovox::{device::Device, grid::SampleSummary, isosurface::IsosurfaceParams};

/// Reads the volume, makes its isosurface, writes the mesh, and says what it is.
pub fn run(args: &MeshArgs) -> anyhow::Result<()> {
    let name = args.input.name();
    let params = IsosurfaceParams {
        iso: iso(&args.surface, &name)?,
        inside: args.surface.inside.into(),
        close: args.close,
        normals: args.normals,
        method: args.method.into(),
        ..IsosurfaceParams::default()
    };
    refuse_conflicts(args);
    output::check_mesh_path(&args.output)?;
    let devices = args.device.open()?;
    refuse_staged(args, &devices);
    let run = if mesh_stream::is_needed(args, &devices)? {
        mesh_stream::run(args, devices, &params)?
    } else {
        mesh_whole::run(args, devices, &params)?
    };
    tell_left_out(&name, &run.summary, run.non_finite_cells);
    if run.triangles == 0 {
        tell_empty(&name, &args.surface, &run.summary, run.dims);
    }
    if args.json {
        terminal::print_json(&json(&run))
    } else {
        terminal::print(&readable(&run))
    }
}

/// Arguments that exclude each other. Does not return if there are any.
fn refuse_conflicts(args: &MeshArgs) {
    if args.method == MethodName::Staged && args.memory.is_some() {
        usage(
            "--method staged works on the whole volume: leave --memory out, or use --method fused",
        );
    }
}

fn refuse_staged(args: &MeshArgs, devices: &[Device]) {
    if args.method == MethodName::Staged && devices.len() > 1 {
        usage("--method staged works on one device: name one, or use --method fused");
    }
}

/// Ends the command as one that makes no sense.
pub fn usage(problem: &str) -> ! {
    Cli::command()
        .error(ErrorKind::ArgumentConflict, problem)
        .exit()
}

/// The isovalue as kernels take it.
pub fn iso(surface: &SurfaceArgs, name: &str) -> anyhow::Result<f32> {
    let iso = surface.iso as f32;
    anyhow::ensure!(
        iso.is_finite(),
        "{name}: the isovalue is {}; give --iso a finite number within the range of f32",
        surface.iso
    );
    Ok(iso)
}

/// Says that samples were converted, and how many were not exact.
pub fn tell_conversion(input: &VolumeArgs, stored: &str, sample_type: &str, inexact: usize) {
    if matches!(sample_type, "i32" | "f64") {
        terminal::warning(&format!(
            "{}: {stored} samples are converted to f32; {inexact} of them are not exact",
            input.name()
        ));
    }
}

fn tell_left_out(name: &str, summary: &SampleSummary, cells: u64) {
    if summary.non_finite > 0 {
        terminal::warning(&format!(
            "{name}: {} of {} samples are NaN or infinite; the {cells} cells around them emit nothing",
            summary.non_finite, summary.count
        ));
    }
}

fn tell_empty(name: &str, surface: &SurfaceArgs, summary: &SampleSummary, dims: [usize; 3]) {
    let why = match (summary.min, summary.max) {
        _ if dims.iter().any(|&n| n < 2) => {
            "a surface needs two samples at least along each axis".to_owned()
        }
        (Some(min), Some(max)) if surface.iso > max || surface.iso <= min => {
            format!(
                "the samples range from {min} to {max}, and none of them is on the other side of {}",
                surface.iso
            )
        }
        (Some(_), Some(_)) => "every cell with the isovalue in it is left out".to_owned(),
        _ => "no sample is finite".to_owned(),
    };
    terminal::warning(&format!("{name}: the mesh is empty: {why}"));
}
