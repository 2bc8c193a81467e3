//! `ferrovox mesh`.

use super::mesh_report::{json, readable};
use crate::{
    args::{IsoValue, MeshArgs, MethodName, SurfaceArgs},
    terminal::{Terminal, remarks},
    usage::refuse,
    watch::watched,
};
use ferrovox::{
    isosurface::{IsosurfaceParams, NormalSource},
    pipeline::{
        VolumeSource,
        mesh::{self, MeshCheck, MeshJob},
    },
};

/// Reads the volume, makes its isosurface, writes the mesh, and says what it is.
pub fn run(args: &MeshArgs, terminal: &Terminal) -> anyhow::Result<()> {
    if let Some(list) = &args.labels.labels {
        return super::label_mesh::run(args, list, terminal);
    }
    let is_staged = args.method == MethodName::Staged;
    refuse(&[(
        is_staged && args.memory.is_some(),
        "--method staged works on the whole volume: leave --memory out, or use --method fused",
    )])?;
    let job = job(args)?;
    refuse(&[(
        is_staged && job.devices.len() > 1,
        "--method staged works on one device: name one, or use --method fused",
    )])?;
    let outcome = watched(terminal, |monitor| mesh::run(&job, monitor))?;
    terminal.report(
        &remarks(&outcome.warnings),
        || json(args, &outcome),
        || readable(args, &outcome),
    )
}

fn job(args: &MeshArgs) -> anyhow::Result<MeshJob> {
    let params = IsosurfaceParams {
        iso: iso(&args.surface, &args.input.name())?,
        inside: args.surface.inside.into(),
        close: args.close,
        normals: args.normals.is_some(),
        normal_source: args.normals.map(NormalSource::from).unwrap_or_default(),
        vertices: args.vertices.into(),
        method: args.method.into(),
        topology: args.topology.into(),
        ..IsosurfaceParams::default()
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
        mask: args.mask.as_ref().map(VolumeSource::new),
        output: args.output.clone(),
        params,
        devices: args.device.open()?,
        memory: args.memory,
        check: match (args.check, args.report.json) {
            (true, _) => MeshCheck::Required,
            (false, true) => MeshCheck::IfWhole,
            (false, false) => MeshCheck::No,
        },
        level: args.surface.number(),
        otsu: args.surface.iso == IsoValue::Otsu,
        filters: args.filters.into(),
        label: args.labels.label,
    })
}

/// The isovalue as kernels take it, and 0 where it is to be found.
pub fn iso(surface: &SurfaceArgs, name: &str) -> anyhow::Result<f32> {
    let level = surface.number().unwrap_or(0.0);
    let iso = level as f32;
    anyhow::ensure!(
        iso.is_finite(),
        "{name}: the isovalue is {}; give --iso a finite number within the range of f32",
        level
    );
    Ok(iso)
}
