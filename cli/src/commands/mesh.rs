//! `ferrovox mesh`.

use super::mesh_report::{json, readable};
use crate::{
    args::{Cli, MeshArgs, MethodName, SurfaceArgs},
    terminal,
    watch::watched,
};
use clap::{CommandFactory, error::ErrorKind};
use ferrovox::{
    device::Device,
    isosurface::IsosurfaceParams,
    pipeline::{
        VolumeSource,
        mesh::{self, MeshCheck, MeshJob},
    },
};

/// Reads the volume, makes its isosurface, writes the mesh, and says what it is.
pub fn run(args: &MeshArgs) -> anyhow::Result<()> {
    refuse_conflicts(args);
    let job = job(args)?;
    let outcome = watched(|monitor| mesh::run(&job, monitor))?;
    terminal::warnings(&outcome.warnings);
    if args.json {
        terminal::print_json(&json(args, &outcome))
    } else {
        terminal::print(&readable(args, &outcome))
    }
}

fn job(args: &MeshArgs) -> anyhow::Result<MeshJob> {
    let params = IsosurfaceParams {
        iso: iso(&args.surface, &args.input.name())?,
        inside: args.surface.inside.into(),
        close: args.close,
        normals: args.normals,
        method: args.method.into(),
        ..IsosurfaceParams::default()
    };
    let devices = args.device.open()?;
    refuse_staged(args, &devices);
    Ok(MeshJob {
        volume: args.input.source(),
        mask: args.mask.as_ref().map(VolumeSource::new),
        output: args.output.clone(),
        params,
        devices,
        memory: args.memory,
        check: match (args.check, args.json) {
            (true, _) => MeshCheck::Required,
            (false, true) => MeshCheck::IfWhole,
            (false, false) => MeshCheck::No,
        },
    })
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
