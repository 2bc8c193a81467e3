//! `ferrovox mesh`.

use super::mesh_report::{json, readable};
use crate::{
    args::{CoordinatesName, MeshArgs, MethodName, SpaceName, SurfaceArgs},
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
    if let Some(list) = &args.labels.labels {
        return super::label_mesh::run(args, list, terminal);
    }
    let is_staged = args.method == MethodName::Staged;
    refuse(&[(
        is_staged && args.memory.is_some(),
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
        inside: args.surface.inside.into(),
        close: args.close,
        topology: args.topology.into(),
        vertices: args.vertices.into(),
        normals: args.normals.map(NormalSource::from),
        method: args.method.into(),
        ..SurfaceOptions::default()
    };
    let level = match args.labels.label {
        Some(label) => Level::Label(label),
        None => level(&args.surface, &args.input.name())?,
    };
    let source = VolumeSource {
        round_samples: args.surface.round_samples,
        ..args.input.source()
    };
    let volume = match args.memory {
        None => args.device.read_ahead(source),
        Some(_) => source,
    };
    Ok(MeshJob {
        volume,
        level,
        mask: args.mask.as_ref().map(VolumeSource::new),
        output: args.output.clone(),
        surface,
        coordinates: args.coordinates.into(),
        space: args.space.into(),
        filters: args.filters.into(),
        devices: args.device.open()?,
        memory: args.memory,
        check: match (args.check, args.report.json) {
            (true, _) => MeshCheck::Required,
            (false, true) => MeshCheck::IfWhole,
            (false, false) => MeshCheck::No,
        },
    })
}

/// Returns the level of a surface. Its value must be finite as `f32`, which kernels compare with.
pub fn level(surface: &SurfaceArgs, name: &str) -> anyhow::Result<Level> {
    let Some(iso) = surface.number() else {
        return Ok(Level::Otsu);
    };
    anyhow::ensure!(
        (iso as f32).is_finite(),
        "{name}: the isovalue is {iso}; give --iso a finite number within the range of f32"
    );
    Ok(Level::Iso(iso))
}
