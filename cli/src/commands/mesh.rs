//! `ferrovox mesh`.

use super::mesh_report::{json, readable};
use crate::{
    args::{CoordinatesName, MeshArgs, MethodName, SpaceName},
    terminal::{Terminal, remarks},
    usage::refuse,
    watch::run_monitored,
};
use ferrovox::{
    isosurface::NormalSource,
    pipeline::{
        Level, VolumeSource,
        mesh::{self, MeshCheck, MeshJob, SurfaceOptions},
    },
};

/// Reads the volume, extracts its isosurface, writes the mesh, and prints the report.
pub fn run(args: &MeshArgs, terminal: &Terminal) -> anyhow::Result<()> {
    refuse(&[(
        args.space == SpaceName::Lps && args.coordinates == CoordinatesName::Voxel,
        "--space lps does not apply to --coordinates voxel: omit one of them",
    )])?;
    if let Some(list) = &args.input.object.labels {
        return super::label_mesh::run(args, list, terminal);
    }
    let is_staged = args.method == MethodName::Staged;
    refuse(&[(
        is_staged && args.input.object.memory.is_some(),
        "--method staged needs the whole volume in memory: omit --memory, or use --method fused",
    )])?;
    let job = job(args)?;
    refuse(&[(
        is_staged && job.devices.len() > 1,
        "--method staged runs on one device: give one to --device, or use --method fused",
    )])?;
    let outcome = run_monitored(terminal, |monitor| mesh::run(&job, monitor))?;
    terminal.report(
        &remarks(&outcome.warnings),
        || json(args, &outcome),
        || readable(args, &outcome),
    )
}

fn job(args: &MeshArgs) -> anyhow::Result<MeshJob> {
    let surface = SurfaceOptions {
        inside: args.input.object.inside.into(),
        close: args.close,
        topology: args.topology.into(),
        vertices: args.vertices.into(),
        normals: args.normals.map(NormalSource::from),
        method: args.method.into(),
        ..SurfaceOptions::default()
    };
    let level = args.input.object.level(&args.input.name())?;
    let source = VolumeSource {
        round_samples: args.surface.round_samples,
        ..args.input.source()?
    };
    let volume = match args.input.object.memory {
        None => args.device.read_ahead(source),
        Some(_) => source,
    };
    Ok(MeshJob {
        volume,
        // the parser requires a level
        level: level.unwrap_or(Level::NonZero),
        mask: args.input.mask()?,
        output: args.output.clone(),
        surface,
        coordinates: args.coordinates.into(),
        space: args.space.into(),
        filters: args.mesh_filters(),
        devices: args.device.open()?,
        memory: args.input.object.memory,
        check: match (args.check, args.report.json) {
            (true, _) => MeshCheck::Required,
            (false, true) => MeshCheck::IfWhole,
            (false, false) => MeshCheck::No,
        },
    })
}
